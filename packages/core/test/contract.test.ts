import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type {
  AgentAdapter,
  AgentEvent,
  AgentResult,
  ExecRequest,
  Probe,
} from '../src/adapter/index.js';
import { run } from '../src/index.js';
import { sandboxPolicy } from '../src/launch.js';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import { expectError, outcomes, rig } from './rig.js';

/** An adapter for a shell script, with whatever a test wants of it. */
function scripted(script: string, more: Partial<AgentAdapter> = {}): AgentAdapter {
  return {
    name: 'scripted',
    capabilities: { modes: ['work', 'review'], continue: true, models: true },
    execCommand: ({ prompt }) => ({ program: '/bin/sh', args: ['-c', script], stdin: prompt }),
    completionSignalDetected: (output) => output.includes('DEVFLOW_RESULT'),
    ...more,
  };
}

function parser(
  result: Partial<AgentResult>,
  events: readonly AgentEvent[] = [],
  openCalls = 0,
): NonNullable<AgentAdapter['createParser']> {
  return () => {
    const lines: string[] = [];
    return {
      line(text) {
        lines.push(text);
        return events;
      },
      openCalls: () => openCalls,
      result: () => ({ turn: 'finished', finalText: lines.join('\n'), ...result }),
    };
  };
}

const done = `${commitFile('a')}; ${giveAnswer()}`;

/** The rig names shell scripts as agents; here the adapter itself is the agent. */
async function runAdapter(adapter: AgentAdapter, phase: object = {}, more: object = {}) {
  const used = await rig();
  const phases = [
    { id: 1, name: 'one', prompt: 'Do {{task}}', agent: 'scripted', retries: 0, ...phase },
  ];
  const result = await run(
    { phases },
    {
      task: 'it',
      name: 'test',
      cwd: used.repository.root,
      env: used.repository.env,
      adapters: [adapter],
      onEvent: (event) => used.events.push(event),
      ...more,
    },
  );
  return { ...used, result };
}

describe('every member of the contract is used', () => {
  it('completionSignalDetected: false means incomplete, whatever the parser says', async () => {
    const yes = await runAdapter(scripted(done, { createParser: parser({}) }));
    expect(outcomes(yes.result)).toEqual(['1 completed']);
    const no = await runAdapter(
      scripted(done, { createParser: parser({}), completionSignalDetected: () => false }),
    );
    expect(outcomes(no.result)).toEqual(['1 incomplete']);
  });

  it('completionSignalDetected: true never overrules an error of the agent', async () => {
    const failure = { kind: 'failed', message: 'overloaded' } as const;
    const { result } = await runAdapter(
      scripted(done, {
        createParser: parser({ turn: 'failed', failure }),
        completionSignalDetected: () => true,
      }),
    );
    expect(outcomes(result)).toEqual(['1 failed']);
    expect(result.reason).toMatch(/overloaded/);
  });

  it('completionSignalDetected is given the last whole lines, up to a megabyte', async () => {
    const given: string[] = [];
    const script = `yes "$(printf 'x%.0s' $(seq 99))" | head -n 30000; ${done}`;
    await runAdapter(
      scripted(script, { completionSignalDetected: (output) => given.push(output) > 0 }),
    );
    expect(given).toHaveLength(1);
    expect(given[0]?.length).toBeGreaterThan(900_000);
    expect(given[0]?.length).toBeLessThanOrEqual(1_000_000);
    expect(given[0]).toMatch(/^x{99}\n[^]*DEVFLOW_RESULT.*\n$/);
  });

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

  it('createParser: its events are shown and kept, one in flight is only shown', async () => {
    const event = { v: 1, name: 'Bash', summary: 'tests', state: 'working', child: false } as const;
    const events: AgentEvent[] = [
      { ...event, kind: 'command', running: true },
      { ...event, kind: 'command', ok: true },
    ];
    const used = await runAdapter(scripted(done, { createParser: parser({}, events) }));
    const shown = used.events.flatMap((runEvent) =>
      runEvent.type === 'agent' ? [runEvent.event] : [],
    );
    expect(shown).toEqual(events);
    const kept = readFileSync(path.join(used.attempt('test', '01-one', 1), 'events.jsonl'), 'utf8')
      .trim()
      .split('\n');
    expect(kept.map((line) => JSON.parse(line) as object)).toEqual([
      { at: expect.any(String), ...events[1] },
    ]);
  });

  it('createParser: an open tool call is no silence', async () => {
    const slow = `echo start; sleep 0.7; ${done}`;
    const idle = { idleTimeout: '200ms' };
    expect(
      outcomes((await runAdapter(scripted(slow, { createParser: parser({}) }), idle)).result),
    ).toEqual(['1 idle']);
    expect(
      outcomes(
        (await runAdapter(scripted(slow, { createParser: parser({}, [], 1) }), idle)).result,
      ),
    ).toEqual(['1 completed']);
  });

  it('a rate limit makes the run wait for its reset, and says until when', async () => {
    const failure = {
      kind: 'rate-limited',
      message: '5-hour limit',
      resetsAt: '2026-01-01T10:00:00.000Z',
    } as const;
    const { result } = await runAdapter(
      scripted(`${done}; exit 1`, { createParser: parser({ turn: 'failed', failure }) }),
      { retries: 5 },
    );
    expect(outcomes(result)).toEqual(['1 rate-limited']);
    expect(result).toMatchObject({
      state: 'waiting',
      waitingFor: 'reset',
      until: failure.resetsAt,
    });
  });

  it('a lost login makes the run wait for a person, and is asked for again', async () => {
    const asked: boolean[] = [];
    const preflight = ({ checkLogin }: Probe) => {
      asked.push(checkLogin);
      return Promise.resolve({ problems: [], notes: [] });
    };
    const failure = { kind: 'auth', message: 'key refused' } as const;
    const adapter = scripted(done, {
      preflight,
      createParser: parser({ turn: 'failed', failure }),
    });
    const { result } = await runAdapter(adapter, { retries: 5 });
    expect(result).toMatchObject({
      state: 'waiting',
      waitingFor: 'login',
      reason: expect.stringMatching(/key refused/),
    });
    const { result: two } = await runAdapter(scripted(done, { preflight }), {});
    expect(two.state).toBe('completed');
    expect(asked).toEqual([true, true]);
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

  it('usage and cost are kept as the agent states them; one that is unknown leaves the sum unknown', async () => {
    const usage = { inputTokens: 10, outputTokens: 2 };
    const known = await runAdapter(
      scripted(done, { createParser: parser({ usage, costUsd: 0.5 }) }),
    );
    expect(known.result).toMatchObject({ costUsd: 0.5, attempts: [{ usage, costUsd: 0.5 }] });
    const unknown = await runAdapter(scripted(done, { createParser: parser({}) }));
    expect(unknown.result.costUsd).toBeUndefined();
  });

  it('secrets that are passed on are taken out of events', async () => {
    const event = {
      v: 1,
      kind: 'text',
      name: 'x',
      summary: 'key is very-secret-value',
      state: 'working',
      child: false,
    } as const;
    const adapter = scripted(done, { envFrom: ['MY_KEY'], createParser: parser({}, [event]) });
    const used = await rig();
    const { events } = await runAdapter(
      adapter,
      {},
      { env: { ...used.repository.env, MY_KEY: 'very-secret-value' } },
    );
    const shown = events.flatMap((runEvent) =>
      runEvent.type === 'agent' ? [runEvent.event.summary] : [],
    );
    expect(shown).toEqual(['key is [redacted]']);
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
