import { describe, expect, it } from 'vitest';
import { resume } from '../src/index.js';
import { giveAnswer } from '../src/testing/index.js';
import { agent, reporting, start } from './reporting-agent.js';
import { outcomes } from './rig.js';
import { done } from './scripted-adapter.js';

const limited = (resetsAt?: string) =>
  reporting({
    turn: 'failed',
    failure: {
      kind: 'rate-limited',
      message: 'too many calls',
      ...(resetsAt !== undefined && { resetsAt }),
    },
  });

describe('a chain of agents', () => {
  const chain = { agent: ['first', 'second'] };

  it('does the phase with the next agent where the first has reached its limit, and says so', async () => {
    const first = agent('first', 'exit 1', { createParser: limited() });
    const used = await start([first, agent('second', done)], {}, chain);
    const result = await used.result;
    expect(result.state).toBe('completed');
    expect(outcomes(result)).toEqual(['1 rate-limited', '1 completed']);
    expect(used.notes()).toContain('first has reached its limit: second is asked');
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
      problems: [{ message: 'first: first is gone' }, { message: 'second: second is gone' }],
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
    const at = new Date(Date.now() + 3_600_000).toISOString();
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

  it('waits for a limit, not for a person, where the next agent cannot begin', async () => {
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const problem = { code: 'AGENT_NOT_LOGGED_IN', message: 'Not logged in.', hint: 'Log in.' };
    const first = agent('first', 'exit 1', { createParser: limited(at) });
    const second = agent('second', done, {
      preflight: () => Promise.resolve({ problems: [problem], notes: [] }),
    });
    const used = await start([first, second], {}, chain);
    const result = await used.result;
    expect(result).toMatchObject({
      state: 'waiting',
      waitingFor: 'reset',
      problems: [{ message: 'second: Not logged in.' }],
    });
    const late = Date.parse(result.until ?? '') - Date.parse(at);
    expect(late).toBeGreaterThanOrEqual(1_000);
    expect(late).toBeLessThanOrEqual(60_000);
  });
});
