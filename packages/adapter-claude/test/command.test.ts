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

describe('what a profile asks for', () => {
  test('is an effort, of the words that the CLI knows', () => {
    expect(argsOf({ effort: 'high' })).toContain('--effort=high');
    expect(claude().capabilities).toMatchObject({
      effort: ['low', 'medium', 'high', 'xhigh', 'max'],
    });
  });

  test('are instructions, by a file: an argument would be too long', () => {
    const instructions = 'Be brief. '.repeat(20_000);
    const { args, files } = claude().execCommand({ ...request, instructions });
    expect(args).toContain('--append-system-prompt-file=/scratch/instructions.md');
    expect(files).toEqual({ 'instructions.md': instructions });
    expect(Math.max(...args.map((arg) => arg.length))).toBeLessThan(1000);
  });

  test('are the instructions of this attempt, in a session that began with others', () => {
    const args = argsOf({ instructions: 'Be brief.', sessionId: 'abc' });
    expect(args).toContain('--system-prompt-snapshot=off');
    expect(argsOf({ instructions: 'Be brief.' })).not.toContain('--system-prompt-snapshot=off');
  });

  test('is an answer by a schema', () => {
    const outputSchema = { type: 'object', properties: { a: { type: 'string' } } };
    expect(argsOf({ outputSchema })).toContain(`--json-schema=${JSON.stringify(outputSchema)}`);
  });

  test('is a copy of a session', () => {
    expect(argsOf({ sessionId: 'abc', fork: true }).slice(-2)).toEqual([
      '--resume=abc',
      '--fork-session',
    ]);
    expect(argsOf({ fork: true })).not.toContain('--fork-session');
  });

  test('and nothing else: no file is written for nothing', () => {
    expect(claude().execCommand(request)).not.toHaveProperty('files');
  });
});

describe('tool servers', () => {
  const mcp = {
    'local one': { command: ['node', 'server.js', '--x'], env: { PLAIN: 'p' }, envFrom: ['KEY'] },
    remote: { url: 'https://tools.example.com/mcp', headers: { 'X-A': 'b' }, tokenFrom: 'TOKEN' },
    bare: { command: ['server'] },
  };

  test('are in a file that names variables and holds no value of theirs', () => {
    const { args, files = {} } = claude().execCommand({ ...request, mcp });
    expect(args.slice(-2)).toEqual(['--mcp-config=/scratch/mcp.json', '--strict-mcp-config']);
    expect(JSON.parse(files['mcp.json'] ?? '')).toEqual({
      mcpServers: {
        'local one': {
          type: 'stdio',
          command: 'node',
          args: ['server.js', '--x'],
          env: { PLAIN: 'p', KEY: '${KEY}' },
        },
        remote: {
          type: 'http',
          url: 'https://tools.example.com/mcp',
          headers: { 'X-A': 'b', Authorization: 'Bearer ${TOKEN}' },
        },
        bare: { type: 'stdio', command: 'server', args: [], env: {} },
      },
    });
  });

  test('of a review are those of its profile, and their tools are granted: nobody is there to', () => {
    const args = argsOf({ mode: 'review', mcp });
    expect(args).toContain('--mcp-config=/scratch/mcp.json');
    expect(args).toContain('--allowedTools=mcp__local_one,mcp__remote,mcp__bare');
    expect(args.filter((arg) => arg === '--strict-mcp-config')).toHaveLength(1);
    expect(argsOf({ mode: 'review' }).join(' ')).not.toMatch(/mcp-config=|allowedTools/);
  });

  test('that are none at all are none of the user either', () => {
    const { args, files } = claude().execCommand({ ...request, mcp: {} });
    expect(args.at(-1)).toBe('--strict-mcp-config');
    expect(args.join(' ')).not.toContain('--mcp-config=');
    expect(files).toBeUndefined();
  });
});

function argsOf(more: Partial<ExecRequest>): readonly string[] {
  return claude().execCommand({ ...request, ...more }).args;
}

describe('the options of a profile', () => {
  test.each([
    [{}, []],
    [{ program: 'claude-beta', args: ['--max-budget-usd', '5'] }, []],
    [
      { progam: 'x', args: 'y' },
      [/^args: expected a list/, /^progam: unknown key; did you mean "program"\?$/],
    ],
    [{ args: ['do it'] }, [/^args\.0: a flag first/]],
    [
      { args: ['--verbose', '--tools=Bash', '-w', '--effort', 'high'], program: '' },
      [
        /^program: /,
        /^args\.0: --verbose is for devflow/,
        /^args\.1: --tools=Bash is for devflow/,
        /^args\.2: -w is for devflow/,
        /^args\.3: --effort is for devflow/,
      ],
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
