import { AdapterOptionsError, type ExecRequest } from '@devflow/core/adapter';
import { describe, expect, test } from 'vitest';

import { claude } from '../src/index.ts';

const request: ExecRequest = {
  phase: 1,
  mode: 'work',
  prompt: '--help\nis not a flag here',
  cwd: '/repository',
  extraWritableRoots: [],
  confinedBy: 'nobody',
  scratchDir: '/scratch',
};

describe('the command', () => {
  test('of a work phase asks nobody, and the prompt is on stdin only', () => {
    const { program, args, stdin } = claude().execCommand(request);
    expect(program).toBe('claude');
    expect(args).toEqual([
      '-p',
      '--output-format',
      'stream-json',
      '--verbose',
      '--dangerously-skip-permissions',
    ]);
    expect(stdin).toBe(request.prompt);
  });

  test('hands over no prompt that begins as a command of the CLI does', () => {
    const stdinOf = (prompt: string) => claude().execCommand({ ...request, prompt }).stdin;
    expect(stdinOf('/compact')).toBe('Task: /compact');
    expect(stdinOf('\n /compact')).toBe('Task: \n /compact');
    expect(stdinOf('see /etc')).toBe('see /etc');
  });

  test('of a review has no tool that writes, no MCP server, no hook and no bypass', () => {
    const { args } = claude().execCommand({ ...request, mode: 'review' });
    expect(args.join(' ')).toContain(
      '--tools Read,Grep,Glob --strict-mcp-config --setting-sources user --settings {"disableAllHooks":true}',
    );
    expect(args.join(' ')).not.toContain('skip-permissions');
  });

  test('names the model and the conversation to continue', () => {
    const { args } = claude().execCommand({ ...request, model: 'opus', sessionId: 'abc' });
    expect(args.slice(-2)).toEqual(['--model=opus', '--resume=abc']);
  });

  test('puts arguments of a profile before the flags, so that none is swallowed', () => {
    const adapter = claude().configure?.({ program: '/opt/claude', args: ['--add-dir', '/data'] });
    const command = adapter?.execCommand(request);
    expect(command?.program).toBe('/opt/claude');
    expect(command?.args.slice(0, 4)).toEqual(['-p', '--add-dir', '/data', '--output-format']);
  });
});

describe('the options of a profile', () => {
  test.each([
    [{}, []],
    [{ program: 'claude-beta', args: ['--effort', 'high'] }, []],
    [
      { progam: 'x', args: 'y' },
      [/^args: .*array/, /^progam: unknown; known are program, args, billing$/],
    ],
    [{ args: ['do it'] }, [/^args\.0: a flag first/]],
    [
      { args: ['--effort', 'high', '--tools=Bash', '-w'], program: '' },
      [/^program: /, /^args\.2: --tools=Bash is for devflow/, /^args\.3: -w is for devflow/],
    ],
  ])('%o', (options, problems) => {
    expect(problemsOf(options)).toEqual(problems.map((problem) => expect.stringMatching(problem)));
  });

  function problemsOf(options: Record<string, unknown>): readonly string[] {
    try {
      claude().configure?.(options);
      return [];
    } catch (error) {
      if (error instanceof AdapterOptionsError) return error.problems;
      throw error;
    }
  }
});

describe('the environment', () => {
  test('bounds the retries and keeps the agent quiet', () => {
    expect(claude().extraEnv?.(request)).toEqual({
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '3',
    });
  });

  test.each(['own', 'nobody'] as const)('claims no sandbox where it is confined by %s', (by) => {
    expect(claude().extraEnv?.({ ...request, confinedBy: by })).not.toHaveProperty('IS_SANDBOX');
  });

  test("says that devflow's sandbox is a sandbox", () => {
    const env = claude().extraEnv?.({ ...request, confinedBy: 'devflow' });
    expect(env).toHaveProperty('IS_SANDBOX', '1');
  });

  test('takes the key and the address of the model from the caller', () => {
    expect(claude().envFrom).toEqual(
      expect.arrayContaining(['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'CLAUDE_CONFIG_DIR']),
    );
  });
});
