import { AdapterOptionsError, type ExecRequest } from '@devflow/core/adapter';
import { describe, expect, test } from 'vitest';

import { codex } from '../src/index.ts';

const request: ExecRequest = {
  phase: 1,
  mode: 'work',
  prompt: '--help\nis not a flag here',
  cwd: '/worktree',
  extraWritableRoots: ['/r/.git/worktrees/w', '/r/.git/objects', '/r/.git/refs', '/r/.git/logs'],
  confinedBy: 'own',
  scratchDir: '/scratch',
};

const commandOf = (more: Partial<ExecRequest> = {}) => codex().execCommand({ ...request, ...more });

/** The settings of `-c`, by key; of one that is said twice, the last. */
function settingsOf(args: readonly string[]): Record<string, string | undefined> {
  return Object.fromEntries(
    args.flatMap((arg, index) => {
      if (args[index - 1] !== '-c') return [];
      const at = arg.indexOf('=');
      return [[arg.slice(0, at), arg.slice(at + 1)]];
    }),
  );
}

describe('the command', () => {
  test('of a work phase in its own sandbox writes the checkout and what git needs, and asks nobody', () => {
    const { program, args, stdin, files } = commandOf();
    expect(program).toBe('codex');
    expect(args).toEqual([
      'exec',
      '--json',
      '--color=never',
      '--sandbox=workspace-write',
      '-c',
      'sandbox_workspace_write.writable_roots=["/r/.git/worktrees/w","/r/.git/objects","/r/.git/refs","/r/.git/logs"]',
      '-c',
      'features.plugins=false',
      '-c',
      'analytics.enabled=false',
      '-c',
      'check_for_update_on_startup=false',
      '-c',
      'features.unbounded_connection_retries=false',
      '-c',
      'approval_policy="never"',
      '-',
    ]);
    expect(stdin).toBe(request.prompt);
    expect(files).toBeUndefined();
  });

  test.each([
    ['work', 'own', 'workspace-write'],
    ['work', 'nobody', 'danger-full-access'],
    ['work', 'devflow', 'danger-full-access'],
    ['review', 'own', 'read-only'],
    ['review', 'nobody', 'read-only'],
    ['review', 'devflow', 'danger-full-access'], // its own would not work inside another
  ] as const)('of %s confined by %s has the sandbox %s', (mode, confinedBy, sandbox) => {
    expect(commandOf({ mode, confinedBy }).args).toContain(`--sandbox=${sandbox}`);
  });

  test('names the writable directories where there are none, so that none are added', () => {
    const { args } = commandOf({ extraWritableRoots: [] });
    expect(settingsOf(args)['sandbox_workspace_write.writable_roots']).toBe('[]');
  });

  test('of a review takes up nothing that the checkout could have planted', () => {
    const { args } = commandOf({ mode: 'review' });
    expect(args).toContain('--ignore-rules');
    expect(settingsOf(args)).toMatchObject({
      'features.hooks': 'false',
      'skills.include_instructions': 'false',
      projects: '{"/worktree"={"trust_level"="untrusted"}}',
    });
    expect(settingsOf(commandOf().args)).not.toHaveProperty('projects');
  });

  test('names the model and how hard to think', () => {
    const { args } = commandOf({ model: 'gpt-5.5', effort: 'high' });
    expect(args).toContain('--model=gpt-5.5');
    expect(settingsOf(args)['model_reasoning_effort']).toBe('"high"');
  });

  test('asks for the final answer by a schema in a file', () => {
    const { args, files } = commandOf({ outputSchema: { type: 'object' } });
    expect(args).toContain('--output-schema=/scratch/output-schema.json');
    expect(files).toEqual({ 'output-schema.json': '{"type":"object"}' });
  });

  test.each([
    [{ sessionId: 'abc' }, ['resume', 'abc', '-']],
    [{ sessionId: 'abc', fork: true }, ['fork', 'abc', '-']],
  ] as const)('continues %o after all flags', (more, end) => {
    expect(commandOf(more).args.slice(-3)).toEqual(end);
  });

  test('puts arguments of a profile first: of a setting said twice the last counts', () => {
    const args = ['-c', 'approval_policy="on-request"', '--profile', 'work'];
    const adapter = codex().configure?.({ program: '/opt/codex', args });
    const command = adapter?.execCommand(request);
    expect(command?.program).toBe('/opt/codex');
    expect(command?.args.slice(0, 6)).toEqual(['exec', ...args, '--json']);
    expect(settingsOf(command?.args ?? [])['approval_policy']).toBe('"never"');
  });
});

describe('standing instructions', () => {
  test('are added to those of the agent', () => {
    const { args, stdin } = commandOf({ instructions: 'Be "brief".\nNo \u007f, \ud800 or \\.' });
    expect(settingsOf(args)['developer_instructions']).toBe(
      String.raw`"Be \"brief\".\nNo \u007f, ` + '\ufffd' + String.raw` or \\."`,
    );
    expect(stdin).toBe(request.prompt);
  });

  test.each([
    ['of a continued session, which keeps those it began with', { sessionId: 'abc' }, 'Be brief.'],
    ['that no argument can hold', {}, 'é'.repeat(60_000)],
  ])('%s go with the prompt', (_, more, instructions) => {
    const { args, stdin } = commandOf({ ...more, instructions });
    expect(settingsOf(args)).not.toHaveProperty('developer_instructions');
    expect(stdin).toBe(`${instructions}\n\n${request.prompt}`);
  });
});

describe('tool servers', () => {
  test('are started or reached without asking, and must be there', () => {
    const { args } = commandOf({
      mcp: {
        local: { command: ['node', 'a b.js', '"q"'], env: { LEVEL: '1' }, envFrom: ['TOKEN'] },
        far: { url: 'https://x/mcp', headers: { 'x-a': 'b' }, tokenFrom: 'FAR_TOKEN' },
      },
    });
    const common = '"enabled"=true,"required"=true,"default_tools_approval_mode"="approve"';
    expect(settingsOf(args)['mcp_servers']).toBe(
      String.raw`{"local"={"command"="node","args"=["a b.js","\"q\""],"env"={"LEVEL"="1"},"env_vars"=["TOKEN"],` +
        `${common}},"far"={"url"="https://x/mcp","http_headers"={"x-a"="b"},"bearer_token_env_var"="FAR_TOKEN",${common}}}`,
    );
  });

  test('need nothing but their command', () => {
    const { args } = commandOf({ mcp: { local: { command: ['serve'] } } });
    expect(settingsOf(args)['mcp_servers']).toContain('{"command"="serve","args"=[],"enabled"');
  });
});

describe('the options of a profile', () => {
  test.each([
    [{}, []],
    [{ program: 'codex-beta', args: ['-p', 'work'], billing: 'subscription' }, []],
    [
      { billing: 'cash', progam: 'x' },
      [/^billing: /, /^progam: unknown key; did you mean "program"\?$/],
    ],
    [{ args: ['do it'] }, [/^args\.0: a flag first/]],
    [
      { args: ['--json', '-sread-only', '--sandbox=x', '--trust', '-m', 'x'] },
      [/^args\.0: --json/, /^args\.1: -s/, /^args\.2: --sandbox/, /^args\.3: --t/, /^args\.4: -m/],
    ],
    [{ args: ['--dangerously-bypass-approvals-and-sandbox'] }, [/^args\.0: .* for devflow to say/]],
  ])('%o', (options, problems) => {
    expect(problemsOf(options)).toEqual(problems.map((problem) => expect.stringMatching(problem)));
  });

  function problemsOf(options: Record<string, unknown>): readonly string[] {
    try {
      codex().configure?.(options);
      return [];
    } catch (error) {
      if (error instanceof AdapterOptionsError) return error.problems;
      throw error;
    }
  }
});

describe('a sandbox around it', () => {
  const needs = (env: Record<string, string>) => codex().sandboxNeeds?.(request, env);

  test('lets it keep its sessions, and reach the model and the login', () => {
    expect(needs({ HOME: '/home/me' })).toEqual({
      write: ['/home/me/.codex'],
      hosts: ['api.openai.com', 'chatgpt.com', 'auth.openai.com'],
    });
    expect(needs({ HOME: '/home/me', CODEX_HOME: '/c', CODEX_SQLITE_HOME: '/s' })?.write).toEqual([
      '/c',
      '/s',
    ]);
  });

  test('gets the login from the caller', () => {
    expect(codex().envFrom).toEqual(expect.arrayContaining(['CODEX_API_KEY', 'CODEX_HOME']));
  });
});
