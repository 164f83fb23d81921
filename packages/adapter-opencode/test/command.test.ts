import { AdapterOptionsError, type ExecRequest } from '@devflow/core/adapter';
import { describe, expect, test } from 'vitest';

import { opencode } from '../src/index.ts';

const request: ExecRequest = {
  phase: 2,
  mode: 'work',
  prompt: '--help\nis not a flag here',
  cwd: '/repository',
  extraWritableRoots: [],
  confinedBy: 'nobody',
  scratchDir: '/scratch',
};
const review: ExecRequest = { ...request, mode: 'review' };

describe('the command', () => {
  test('of a work phase asks nobody, and the prompt is on stdin only', () => {
    const { program, args, stdin } = opencode().execCommand(request);
    expect([program, ...args].join(' ')).toBe(
      'opencode run --format json --dir /repository --title devflow, phase 2 --auto',
    );
    expect(stdin).toBe(request.prompt);
  });

  test('of a review names its agent, and allows nothing by itself', () => {
    const { args } = opencode().execCommand(review);
    expect(args.join(' ')).toContain('--agent devflow-review');
    expect(args).not.toContain('--auto');
  });

  test('names the model, how hard to think, and the copy of a session to continue', () => {
    const more = { model: 'a/b', effort: 'high', sessionId: 'ses_1', fork: true } as const;
    const { args } = opencode().execCommand({ ...request, ...more });
    expect(args.slice(-4)).toEqual(['--model=a/b', '--variant=high', '--session=ses_1', '--fork']);
  });

  test('has arguments of a profile first, so that none swallows what follows', () => {
    const given = { program: '/opt/opencode', args: ['--file', 'notes.md'] };
    const command = opencode().configure?.(given).execCommand(request);
    expect(command?.program).toBe('/opt/opencode');
    expect(command?.args.slice(0, 5)).toEqual(['run', '--file', 'notes.md', '--format', 'json']);
  });
});

describe('the options of a profile', () => {
  test.each([
    [{}, []],
    [{ args: ['--print-logs'], billing: 'subscription' }, []],
    [{ args: ['do it'], billing: 'gold' }, [/^billing: /, /^args\.0: a flag first/]],
    [
      { args: ['--pure', '--agent=plan', '-sX', '--share'] },
      [/^args\.0: --pure is/, /^args\.1: --agent/, /^args\.2: -sX/, /^args\.3: --share/],
    ],
  ])('%o', (options, problems) => {
    expect(problemsOf(options)).toEqual(problems.map((problem) => expect.stringMatching(problem)));
  });

  function problemsOf(options: Record<string, unknown>): readonly string[] {
    try {
      opencode().configure?.(options);
      return [];
    } catch (error) {
      if (error instanceof AdapterOptionsError) return error.problems;
      throw error;
    }
  }
});

describe('the environment', () => {
  const envOf = (given: ExecRequest) => opencode().extraEnv?.(given) ?? {};

  test('keeps the agent from replacing itself and from fetching', () => {
    expect(envOf(request)).toMatchObject({
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      npm_config_offline: 'true',
    });
  });

  test('of a review takes nothing up from the checkout; of work it takes the project as it is', () => {
    const names = ['OPENCODE_DISABLE_PROJECT_CONFIG', 'OPENCODE_DISABLE_EXTERNAL_SKILLS'];
    for (const name of names) {
      expect(envOf(review)).toHaveProperty(name, '1');
      expect(envOf(request)).not.toHaveProperty(name);
    }
  });

  test('leaves the logins of OpenCode’s own plugins as they are', () => {
    for (const given of [request, review])
      expect(envOf(given)).not.toHaveProperty('OPENCODE_DISABLE_DEFAULT_PLUGINS');
  });
});

describe('the sandbox', () => {
  const needs = (more: Partial<ExecRequest>, env = {}) =>
    opencode().sandboxNeeds?.({ ...request, ...more }, { HOME: '/home/me', ...env });

  test('lets it write where its sessions and caches are, as the environment says, and not its settings', () => {
    expect(needs({}, { XDG_DATA_HOME: '/data' })?.write).toEqual([
      '/data/opencode',
      '/home/me/.local/state/opencode',
      '/home/me/.cache/opencode',
    ]);
  });

  test('lets it reach the provider of its model, and the tool servers', () => {
    const mcp = { far: { url: 'https://tools.example/mcp' }, near: { command: ['x'] } };
    expect(needs({ model: 'anthropic/claude', mcp })?.hosts).toEqual([
      'api.anthropic.com',
      'console.anthropic.com',
      'tools.example',
    ]);
    expect(needs({ model: 'mine/model' })?.hosts).toEqual([]);
    expect(needs({})?.hosts).toContain('openrouter.ai');
  });
});
