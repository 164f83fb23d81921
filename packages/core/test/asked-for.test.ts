import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentAdapter, AgentResult, ExecRequest } from '../src/adapter/index.js';
import { resume, run } from '../src/index.js';
import type { RunOptions } from '../src/start.js';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import type { WorkflowDefinition } from '../src/workflow/schema.js';
import { expectError, objections, outcomes, rig } from './rig.js';

const done = `${commitFile('a')}; ${giveAnswer()}`;

/** An agent that is a shell script; its adapter reports what a test wants. */
function agent(name: string, script: string, more: Partial<AgentAdapter> = {}): AgentAdapter {
  return {
    name,
    capabilities: { modes: ['work', 'review'] },
    execCommand: ({ prompt }) => ({ program: '/bin/sh', args: ['-c', script], stdin: prompt }),
    completionSignalDetected: () => true,
    ...more,
  };
}

/** An agent whose stream says what it says, whatever it prints. */
function reporting(result: Partial<AgentResult>): NonNullable<AgentAdapter['createParser']> {
  return () => {
    const lines: string[] = [];
    return {
      line(text) {
        lines.push(text);
        return [];
      },
      openCalls: () => 0,
      result: () => ({ turn: 'finished', finalText: lines.join('\n'), ...result }),
    };
  };
}

const limited = (resetsAt?: string) =>
  reporting({
    turn: 'failed',
    failure: {
      kind: 'rate-limited',
      message: 'too many calls',
      ...(resetsAt !== undefined && { resetsAt }),
    },
  });

async function start(
  adapters: readonly AgentAdapter[],
  workflow: Partial<WorkflowDefinition>,
  phase: Partial<WorkflowDefinition['phases'][number]> = {},
  more: Partial<RunOptions> = {},
) {
  const used = await rig();
  const options = {
    cwd: used.repository.root,
    env: used.repository.env,
    adapters,
    onEvent: (event: (typeof used.events)[number]) => used.events.push(event),
    ...more,
  };
  const phases = [{ id: 1, name: 'one', prompt: 'Do it', retries: 0, ...phase }];
  const result = run({ phases, ...workflow }, { task: 'it', name: 'test', ...options });
  const notes = () =>
    used.events.flatMap((event) =>
      event.type === 'note' ? [event.text] : event.type === 'preflight' ? event.notes : [],
    );
  return { ...used, options, result, notes };
}

describe('a chain of agents', () => {
  const chain = { agent: ['first', 'second'] };

  it('does the phase with the next agent where the first has reached its limit, and says so', async () => {
    const first = agent('first', 'exit 1', { createParser: limited() });
    const used = await start([first, agent('second', done)], {}, chain);
    const result = await used.result;
    expect(result.state).toBe('completed');
    expect(outcomes(result)).toEqual(['1 rate-limited', '1 completed']);
    expect(used.notes()).toContain('first is rate-limited: second is asked');
    const agents = used.journal('test').filter(({ type }) => type === 'attempt-intended');
    expect(agents.map(({ agent: name }) => name)).toEqual(['first', 'second']);
  });

  it('passes over an agent that cannot begin, and says which and why', async () => {
    const problem = { code: 'AGENT_NOT_LOGGED_IN', message: 'Not logged in.', hint: 'Log in.' };
    const first = agent('first', done, {
      preflight: () => Promise.resolve({ problems: [problem], notes: [] }),
    });
    const used = await start([first, agent('second', done)], {}, chain);
    const result = await used.result;
    expect(outcomes(result)).toEqual(['1 completed']);
    expect(used.notes().join('\n')).toMatch(
      /first cannot begin, the next one is asked: Not logged in\. \(AGENT_NOT_LOGGED_IN\)/,
    );
  });

  it('is blocked with the problems of all where none can begin', async () => {
    const missing = (name: string) =>
      agent(name, done, {
        preflight: () =>
          Promise.resolve({
            problems: [{ code: 'AGENT_NOT_FOUND', message: `${name} is gone`, hint: 'Get it.' }],
            notes: [],
          }),
      });
    const used = await start([missing('first'), missing('second')], {}, chain);
    expect(await used.result).toMatchObject({ state: 'waiting', waitingFor: 'preflight' });
    const found = used.events.findLast(({ type }) => type === 'preflight');
    expect(found).toMatchObject({
      problems: [{ message: 'first is gone' }, { message: 'second is gone' }],
    });
  });

  it('never moves on for work that was judged bad', async () => {
    const lazy = agent('first', giveAnswer());
    const used = await start([lazy, agent('second', done)], {}, { ...chain, retries: 1 });
    const result = await used.result;
    expect(result.state).toBe('failed');
    expect(outcomes(result)).toEqual(['1 no-change', '1 no-change']);
  });

  it('waits where everyone has reached a limit, and begins anew on resume', async () => {
    const at = '2100-01-01T00:00:00.000Z';
    const adapters = ['first', 'second'].map((name) =>
      agent(name, 'exit 1', { createParser: limited(at) }),
    );
    const used = await start(adapters, {}, chain);
    expect(await used.result).toMatchObject({ state: 'waiting', waitingFor: 'reset' });
    const again = await resume('test', {
      ...used.options,
      adapters: [agent('first', done), agent('second', 'exit 1')],
    });
    expect(outcomes(again)).toEqual(['1 rate-limited', '1 rate-limited', '1 completed']);
  });
});

describe('what a profile asks for', () => {
  it('reaches the adapter, and the version that its preflight found too', async () => {
    const requests: ExecRequest[] = [];
    const able = agent('able', '', {
      capabilities: {
        modes: ['work'],
        models: true,
        effort: true,
        instructions: true,
        mcp: true,
      },
      execCommand(request) {
        requests.push(request);
        return { program: '/bin/sh', args: ['-c', done], stdin: request.prompt };
      },
      preflight: () => Promise.resolve({ problems: [], notes: [], version: '1.2.3' }),
    });
    const mcp = { db: { command: ['db-server'], envFrom: ['DB_TOKEN'] } };
    const profile = { adapter: 'able', model: 'm', effort: 'high', instructions: 'Be brief.', mcp };
    const workflow = { profiles: { mine: profile } };
    const used = await start([able], workflow, { agent: 'mine' });
    expect(await used.result).toMatchObject({ state: 'waiting', waitingFor: 'preflight' });
    expect(used.events.findLast(({ type }) => type === 'preflight')).toMatchObject({
      problems: [{ code: 'ENV_MISSING', message: expect.stringContaining('DB_TOKEN') }],
    });

    const env = { ...used.repository.env, DB_TOKEN: 'a-secret-value' };
    const result = await resume('test', { ...used.options, env });
    expect(outcomes(result)).toEqual(['1 completed']);
    expect(requests.at(-1)).toMatchObject({
      model: 'm',
      effort: 'high',
      instructions: 'Be brief.',
      mcp,
      agentVersion: '1.2.3',
    });
  });

  it('is looked for after the PATH where its package managers put it', async () => {
    const elsewhere = agent('elsewhere', '', {
      searchPath: ['~/.agents/bin'],
      execCommand: ({ prompt }) => ({ program: 'my-agent', args: [], stdin: prompt }),
    });
    const used = await rig();
    const { repository } = used;
    const bin = `${repository.home}/.agents/bin`;
    mkdirSync(bin, { recursive: true });
    writeFileSync(`${bin}/my-agent`, `#!/bin/sh\n${done}\n`, { mode: 0o755 });
    const result = await run(
      { phases: [{ id: 1, name: 'one', prompt: 'Do it', agent: 'elsewhere', retries: 0 }] },
      { task: 'it', cwd: repository.root, env: repository.env, adapters: [elsewhere] },
    );
    expect(outcomes(result)).toEqual(['1 completed']);
  });
});

describe('a session', () => {
  it('that its agent no longer has is not continued, and that is said', async () => {
    const continued: (string | undefined)[] = [];
    const forgetful = agent('forgetful', '', {
      capabilities: { modes: ['work'], continue: true },
      execCommand({ sessionId, prompt }) {
        continued.push(sessionId);
        return { program: '/bin/sh', args: ['-c', giveAnswer()], stdin: prompt };
      },
      createParser: reporting({ turn: 'open', sessionId: 's-1' }),
      preflight: ({ sessionId }) =>
        Promise.resolve({
          problems: [],
          notes: [],
          ...(sessionId !== undefined && { staleSession: `the agent has no session ${sessionId}` }),
        }),
    });
    const used = await start([forgetful], {}, { agent: 'forgetful', retries: 1 });
    expect(outcomes(await used.result)).toEqual(['1 incomplete', '1 incomplete']);
    expect(continued.filter((session) => session !== undefined)).toEqual([]);
    expect(used.notes()).toContain('the agent has no session s-1; a new session is begun.');
  });
});

describe('an agent that states the sum of its session', () => {
  it('is charged with what each attempt added', async () => {
    let attempts = 0;
    const counting = agent('counting', giveAnswer(), {
      capabilities: { modes: ['work'], continue: true },
      createParser(clock) {
        attempts += 1;
        const sessionUsage = { inputTokens: attempts * 100, outputTokens: attempts * 10 };
        const turn = attempts === 1 ? 'open' : 'finished';
        return reporting({ turn, sessionId: 's-1', sessionUsage })(clock);
      },
    });
    const used = await start([counting], {}, { agent: 'counting', retries: 1 });
    const { attempts: all } = await used.result;
    expect(all.map(({ outcome, usage }) => [outcome, usage])).toEqual([
      ['incomplete', { inputTokens: 100, outputTokens: 10 }],
      ['no-change', { inputTokens: 100, outputTokens: 10 }],
    ]);
  });
});

describe('an answer by schema', () => {
  const structured = (structuredOutput: unknown) =>
    agent('able', commitFile('a'), {
      capabilities: { modes: ['work', 'review'], structuredOutput: true },
      createParser: reporting({ finalText: 'words', structuredOutput }),
    });
  const bySchema = { agent: 'able', answerBy: 'schema' } as const;

  it('is asked for by a schema in place of a line, and read from the structured output', async () => {
    let asked: ExecRequest | undefined;
    const able = structured({ status: 'success', summary: 'it is done', reason: '' });
    const spied: AgentAdapter = {
      ...able,
      execCommand(request) {
        asked = request;
        return able.execCommand(request);
      },
    };
    const used = await start([spied], {}, bySchema);
    const result = await used.result;
    expect(outcomes(result)).toEqual(['1 completed']);
    const ended = used.journal('test').find(({ type }) => type === 'attempt-ended');
    expect(ended?.['answer']).toEqual({ status: 'success', summary: 'it is done' });
    expect(asked?.outputSchema).toMatchObject({
      required: ['status', 'summary', 'reason'],
      additionalProperties: false,
    });
    const prompt = readFileSync(`${used.attempt('test', '01-one', 1)}/prompt.md`, 'utf8');
    expect(prompt).not.toContain('DEVFLOW_RESULT');
    expect(prompt).toContain('structured');
  });

  it.each([
    ['nothing', undefined, 'the agent gave no structured answer'],
    ['another form', { state: 'ok' }, /cannot be read/],
    ['an unknown status', { status: 'done' }, /cannot be read/],
  ])('that is %s is no answer', async (_, output, why) => {
    const result = await (await start([structured(output)], {}, bySchema)).result;
    expect(outcomes(result)).toEqual(['1 incomplete']);
    expect(objections(result).join('\n')).toMatch(why);
  });

  it('of a phase that judges needs a verdict', async () => {
    const review: Partial<WorkflowDefinition['phases'][number]> = {
      ...bySchema,
      mode: 'review',
      requires: ['marker', 'verdict'],
    };
    const silent = await start([structured({ status: 'success' })], {}, review);
    expect(outcomes(await silent.result)).toEqual(['1 incomplete']);
    const gaps = await start([structured({ status: 'success', verdict: 'gaps' })], {}, review);
    expect(outcomes(await gaps.result)).toEqual(['1 rejected']);
    const pass = await start([structured({ status: 'success', verdict: 'pass' })], {}, review);
    expect(outcomes(await pass.result)).toEqual(['1 completed']);
  });
});

describe("the agent's own sandbox", () => {
  it('is asked of the adapter, and of one that has none never', async () => {
    const confined: string[] = [];
    const able = agent('able', '', {
      capabilities: { modes: ['work'], ownSandbox: true },
      execCommand({ confinedBy, prompt }) {
        confined.push(confinedBy);
        return { program: '/bin/sh', args: ['-c', done], stdin: prompt };
      },
    });
    const used = await start([able], { sandbox: 'own' }, { agent: 'able' });
    expect(outcomes(await used.result)).toEqual(['1 completed']);
    expect(new Set(confined)).toEqual(new Set(['own']));
    const refused = await start([agent('plain', done)], { sandbox: 'own' }, { agent: 'plain' });
    await expectError(refused.result, 'CONFIG_INVALID', /"plain" has no sandbox of its own/);
  });
});

describe('a local adapter', () => {
  it('that has changed since the run began stops resume until it is accepted', async () => {
    const source = (hash: string) => ({ source: { path: '/adapters/mine', hash } });
    const broken = agent('mine', 'exit 1', source('1'));
    const used = await start([broken], {}, { agent: 'mine' });
    expect(outcomes(await used.result)).toEqual(['1 failed']);
    const changed = { ...used.options, adapters: [agent('mine', done, source('2'))] };
    await expectError(resume('test', changed), 'CODE_CHANGED', /adapter mine/);
    const accepted = await resume('test', { ...changed, acceptCode: true });
    expect(outcomes(accepted)).toEqual(['1 failed', '1 completed']);
  });
});

describe('the checkout of an agent', () => {
  it('is named by its real path: agents look up by that whether they trust it', async () => {
    const seen: string[] = [];
    const looking = agent('looking', done, {
      execCommand({ cwd, prompt }) {
        seen.push(cwd);
        return { program: '/bin/sh', args: ['-c', done], stdin: prompt };
      },
    });
    const used = await rig();
    const { directory, root, env } = used.repository;
    mkdirSync(path.join(directory, 'real'));
    symlinkSync(path.join(directory, 'real'), path.join(directory, 'linked'));
    const stateDir = path.join(directory, 'linked', 'state');
    await run(
      { phases: [{ id: 1, name: 'one', prompt: 'Do it', agent: 'looking', retries: 0 }] },
      { task: 'it', cwd: root, env, adapters: [looking], stateDir },
    );
    expect(seen.at(-1)).toContain(path.join(realpathSync(directory), 'real', 'state'));
  });
});
