import { describe, expect, it } from 'vitest';
import { ended, entered, intended, journalOf, phaseOf, started } from '../test/journal-of.js';
import type { AgentAdapter } from './adapter/index.js';
import { sessionToContinue, usageOf } from './session.js';
import { fold } from './state/fold.js';
import { allAttempts } from './state/selectors.js';
import type { RecordBody } from './state/records.js';

const adapter: AgentAdapter = {
  name: 'agent',
  capabilities: { modes: ['work'], continue: true },
  execCommand: () => ({ program: 'agent', args: [], stdin: '' }),
  completionSignalDetected: () => true,
};
const agent = { name: 'agent', adapter, profile: undefined, model: undefined, effort: undefined };
const code = phaseOf(1, 'code');
const stateOf = (...bodies: RecordBody[]) => fold(journalOf(started, entered(1), ...bodies));
const lastOf = (state: ReturnType<typeof stateOf>) => {
  const last = allAttempts(state).at(-1);
  if (last === undefined) throw new Error('no attempt');
  return last;
};

describe('the session to continue', () => {
  const visitOf = (outcome: 'incomplete' | 'rejected', more = {}) =>
    stateOf(intended(1, 1, more), ended(1, outcome, 1, { sessionId: 's-1' })).visits.at(-1);

  it('is that of a turn that stopped early', () => {
    expect(sessionToContinue(agent, code, visitOf('incomplete'))).toBe('s-1');
    expect(sessionToContinue(agent, code, visitOf('rejected'))).toBeUndefined();
  });

  it('is none of another agent, another phase, a review, or an agent that cannot', () => {
    const visit = visitOf('incomplete');
    const cannot = {
      ...agent,
      adapter: { ...adapter, capabilities: { modes: ['work'] } },
    } as const;
    expect(sessionToContinue(agent, code, visitOf('incomplete', { agent: 'x' }))).toBeUndefined();
    expect(sessionToContinue(agent, phaseOf(2, 'ship'), visit)).toBeUndefined();
    expect(sessionToContinue(agent, phaseOf(1, 'code', { mode: 'review' }), visit)).toBeUndefined();
    expect(sessionToContinue(cannot, code, visit)).toBeUndefined();
    expect(sessionToContinue(agent, code, undefined)).toBeUndefined();
  });
});

describe('what an attempt used', () => {
  const sum = (inputTokens: number) =>
    ({ turn: 'finished', sessionUsage: { inputTokens } }) as const;
  const first = [
    intended(1, 1),
    ended(1, 'incomplete', 1, { sessionId: 's-1', sessionUsage: { inputTokens: 100 } }),
  ];

  it('is what the agent says of this attempt', () => {
    const state = stateOf(intended(1, 1));
    const usage = { inputTokens: 5 };
    expect(usageOf({ turn: 'finished', usage }, lastOf(state), state)).toBe(usage);
    expect(usageOf({ turn: 'finished' }, lastOf(state), state)).toBeUndefined();
  });

  it('is the sum of a session that began with it', () => {
    const state = stateOf(intended(1, 1));
    expect(usageOf(sum(100), lastOf(state), state)).toEqual({ inputTokens: 100 });
  });

  it('is what came on top of the sum before, in a session that it continued', () => {
    const state = stateOf(...first, intended(1, 2, { continues: 's-1' }));
    expect(usageOf(sum(130), lastOf(state), state)).toEqual({ inputTokens: 30 });
  });

  it('is unknown where the sum before is, or is the greater one', () => {
    const cut = [intended(1, 1), ended(1, 'crashed', 1, { sessionId: 's-1' })];
    const unknown = stateOf(...cut, intended(1, 2, { continues: 's-1' }));
    expect(usageOf(sum(130), lastOf(unknown), unknown)).toBeUndefined();
    const state = stateOf(...first, intended(1, 2, { continues: 's-1' }));
    expect(usageOf(sum(90), lastOf(state), state)).toEqual({});
  });
});
