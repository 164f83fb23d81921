import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ExecRequest, Probe } from '../src/adapter/index.js';
import { sandboxPolicy } from '../src/launch.js';
import { expectError, outcomes, rig } from './rig.js';
import { done, parser, runAdapter, scripted } from './scripted-adapter.js';

describe('every member of the contract is used', () => {
  it('execCommand is asked for all that an adapter needs, and its files are written', async () => {
    const asked: ExecRequest[] = [];
    const execCommand = (request: ExecRequest) => {
      asked.push(request);
      const script = `test "$(cat '${request.scratchDir}/sub/settings')" = on && { ${done}; }`;
      return {
        program: '/bin/sh',
        args: ['-c', script],
        stdin: 'another stdin',
        files: { 'sub/settings': 'on' },
      };
    };
    const { result, repository } = await runAdapter(
      { ...scripted(''), execCommand },
      { model: 'large' },
    );
    expect(outcomes(result)).toEqual(['1 completed']);
    const common = path.join(repository.root, '.git');
    expect(asked.at(-1)).toMatchObject({
      phase: 1,
      mode: 'work',
      model: 'large',
      confinedBy: 'nobody',
      cwd: expect.stringMatching(/worktrees/),
    });
    expect(asked.at(-1)?.prompt).toMatch(/^Do it\n/);
    expect(asked.at(-1)?.extraWritableRoots).toEqual([
      `${common}/worktrees/test`,
      `${common}/objects`,
      `${common}/refs`,
      `${common}/logs`,
    ]);
  });

  it('sandboxNeeds become part of what the sandbox lets through', () => {
    const needs = { write: ['/state/of/agent'], hosts: ['api.example.com'] };
    const adapter = scripted('', { sandboxNeeds: () => needs });
    const request = {
      phase: 1,
      mode: 'work',
      prompt: '',
      cwd: '/tree',
      extraWritableRoots: ['/git'],
      confinedBy: 'devflow',
      scratchDir: '/s',
    } as const;
    const agent = {
      name: 'scripted',
      adapter,
      profile: undefined,
      model: undefined,
      effort: undefined,
    };
    expect(sandboxPolicy(agent, request, {})).toEqual({
      write: ['/tree', '/git', '/state/of/agent'],
      hosts: ['api.example.com'],
    });
  });

  it('extraEnv and envFrom reach the agent', async () => {
    const script = `test "$EXTRA" = "phase 1" && test "$PASSED" = on && { ${done}; }`;
    const adapter = scripted(script, {
      extraEnv: ({ phase }) => ({ EXTRA: `phase ${phase}` }),
      envFrom: ['PASSED'],
    });
    const used = await rig();
    const { result } = await runAdapter(
      adapter,
      {},
      { env: { ...used.repository.env, PASSED: 'on' } },
    );
    expect(outcomes(result)).toEqual(['1 completed']);
  });

  it('preflight stands in the way with its problems, and its version and account are journalled', async () => {
    const problem = { code: 'NO_LOGIN', message: 'not logged in', hint: 'log in' };
    const blocked = await runAdapter(
      scripted(done, { preflight: () => Promise.resolve({ problems: [problem], notes: [] }) }),
    );
    expect(blocked.result).toMatchObject({ state: 'waiting', problems: [problem], attempts: [] });
    const fine = await runAdapter(
      scripted(done, {
        preflight: () =>
          Promise.resolve({
            problems: [],
            notes: ['a note'],
            version: '1.2.3',
            account: 'api-key',
          }),
      }),
    );
    expect(fine.journal('test').find(({ type }) => type === 'preflight')).toMatchObject({
      version: '1.2.3',
      account: 'api-key',
      notes: ['a note'],
    });
  });

  it('preflight may ask programs in the agent’s environment; an answer that depends on the file is kept', async () => {
    const answers: string[] = [];
    const preflight = async (probe: Probe) => {
      for (const cached of [true, true, false]) {
        const { stdout } = await probe.ask('sh', ['-c', 'echo "$DEVFLOW_TEST $$"'], { cached });
        answers.push(stdout);
      }
      const missing = await probe.ask('no-such-program', []);
      expect(missing.status).toBeUndefined();
      expect(await probe.find('no-such-program')).toBeUndefined();
      return { problems: [], notes: [] };
    };
    await runAdapter(scripted(done, { preflight }));
    expect(answers[0]).toBe(answers[1]);
    expect(answers[2]).not.toBe(answers[0]);
  });

  it('a session that stopped early is continued, where the agent can', async () => {
    const sessions: (string | undefined)[] = [];
    const execCommand = ({ sessionId, prompt }: ExecRequest) => {
      sessions.push(sessionId);
      return {
        program: '/bin/sh',
        args: ['-c', sessionId === undefined ? 'echo half' : done],
        stdin: prompt,
      };
    };
    const { result } = await runAdapter(
      { ...scripted(''), execCommand, createParser: parser({ sessionId: 's-1' }) },
      { retries: 1 },
    );
    expect(outcomes(result)).toEqual(['1 incomplete', '1 completed']);
    expect(sessions.slice(-2)).toEqual([undefined, 's-1']);
  });

  it('a mode that it does not have, and options that it does not know, are errors before anything is made', async () => {
    const only = scripted(done, {
      capabilities: { modes: ['work'], continue: false, models: true },
    });
    await expectError(
      runAdapter(only, { mode: 'review' }),
      'CONFIG_INVALID',
      /"scripted" cannot do mode "review"/,
    );
  });
});
