import { describe, expect, it } from 'vitest';
import {
  attempted,
  ended,
  entered,
  intended,
  journalOf,
  phaseOf,
  resumed,
  started,
  waiting,
  workflowOf,
} from '../test/journal-of.js';
import { decide } from './policy.js';
import { fold } from './state/fold.js';
import type { Outcome, RecordBody } from './state/records.js';

const plan = phaseOf(1, 'plan', { agents: ['first', 'second'], retries: 0 });
const code = phaseOf(2, 'code', { agents: ['first', 'second'], retries: 1 });
const workflow = workflowOf([plan, code]);
const NOW = Date.UTC(2030, 0, 1, 12);
const before = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();

const after = (...bodies: RecordBody[]) =>
  decide(workflow, { first: 1, last: 2 }, fold(journalOf(started, ...bodies)), NOW);
const tried = (
  phase: number,
  attempt: number,
  agent: string,
  outcome: Outcome,
  resetsAt?: string,
) => [
  intended(phase, attempt, { agent }),
  ended(phase, outcome, attempt, resetsAt === undefined ? {} : { resetsAt }),
];

describe('a chain of agents', () => {
  it('begins with the first, and with the next where that cannot begin', () => {
    expect(after()).toMatchObject({ do: 'enter', candidates: ['first', 'second'] });
  });

  it.each(['rate-limited', 'auth', 'not-started'] as const)('moves on after %s', (outcome) => {
    const step = after(entered(1), ...tried(1, 1, 'first', outcome));
    expect(step).toMatchObject({ do: 'attempt', number: 2, candidates: ['second'] });
  });

  it.each(['rejected', 'failed', 'no-change', 'incomplete', 'crashed'] as const)(
    'never moves on after %s: that is a word on the work',
    (outcome) => {
      expect(after(entered(1), ...tried(1, 1, 'first', outcome))).toMatchObject({ do: 'end' });
      expect(after(entered(2), ...tried(2, 1, 'first', outcome))).toMatchObject({
        do: 'attempt',
        candidates: ['first', 'second'],
      });
    },
  );

  it('costs no retry', () => {
    const moved = [entered(2), ...tried(2, 1, 'first', 'rate-limited')];
    expect(after(...moved, ...tried(2, 2, 'second', 'failed'))).toMatchObject({
      do: 'attempt',
      candidates: ['second'],
    });
    const twice = [...tried(2, 2, 'second', 'failed'), ...tried(2, 3, 'second', 'failed')];
    expect(after(...moved, ...twice)).toMatchObject({ do: 'end', state: 'failed' });
  });

  it('remembers in later phases who has reached a limit, until that is over', () => {
    const done = (resetsAt?: string) => [
      entered(1),
      ...tried(1, 1, 'first', 'rate-limited', resetsAt),
      ...tried(1, 2, 'second', 'completed'),
    ];
    expect(after(...done())).toMatchObject({ do: 'enter', candidates: ['second'] });
    expect(after(...done(before(-1)))).toMatchObject({ candidates: ['second'] });
    expect(after(...done(before(1)))).toMatchObject({ candidates: ['first', 'second'] });
  });

  it('does not pass a phase to and fro where limits end at once', () => {
    const both = [
      ...tried(1, 1, 'first', 'rate-limited', before(1)),
      ...tried(1, 2, 'second', 'rate-limited', before(2)),
    ];
    expect(after(entered(1), ...both)).toMatchObject({ do: 'wait', until: before(2) });
  });

  it('waits for the first reset where all have reached a limit, whoever was asked last', () => {
    const limits = [
      ...tried(1, 1, 'first', 'rate-limited', before(-60)),
      ...tried(1, 2, 'second', 'not-started'),
    ];
    expect(after(entered(1), ...limits)).toMatchObject({
      do: 'wait',
      for: 'reset',
      until: before(-60),
    });
  });

  it('waits for a login where nobody has a limit, and fails where nobody could be started', () => {
    const login = [...tried(1, 1, 'first', 'auth'), ...tried(1, 2, 'second', 'not-started')];
    expect(after(entered(1), ...login)).toMatchObject({ do: 'wait', for: 'login' });
    const none = [...tried(1, 1, 'first', 'not-started'), ...tried(1, 2, 'second', 'not-started')];
    expect(after(entered(1), ...none)).toMatchObject({ do: 'end', state: 'failed' });
  });

  it('is asked from its beginning once a person has resumed the run', () => {
    const both = [...tried(1, 1, 'first', 'auth'), ...tried(1, 2, 'second', 'auth')];
    expect(after(entered(1), ...both, waiting({ for: 'login' }), resumed)).toMatchObject({
      do: 'attempt',
      number: 3,
      candidates: ['first', 'second'],
    });
  });

  it('does not enter a phase for which nobody can be asked', () => {
    const other = workflowOf([
      phaseOf(1, 'plan', { agents: ['first', 'second'] }),
      phaseOf(2, 'code', { agents: ['first'] }),
    ]);
    const bodies = [
      entered(1),
      ...tried(1, 1, 'first', 'rate-limited', before(-5)),
      ...tried(1, 2, 'second', 'completed'),
    ];
    const state = fold(journalOf(started, ...bodies));
    expect(decide(other, { first: 1, last: 2 }, state, NOW)).toEqual({
      do: 'wait',
      for: 'reset',
      until: before(-5),
      reason: 'phase 2 code: no agent of it can be asked now',
    });
  });

  it('of one agent is asked again only when a person says so', () => {
    const lone = workflowOf([phaseOf(1, 'plan', { agents: ['agent'], retries: 5 })]);
    const limited = fold(journalOf(started, entered(1), ...attempted(1, 'rate-limited')));
    expect(decide(lone, { first: 1, last: 1 }, limited, NOW)).toMatchObject({ do: 'wait' });
  });
});
