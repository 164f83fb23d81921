import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  attempted,
  ended,
  entered,
  holder,
  intended,
  journalOf,
  resumed,
  runEnded,
  skipped,
  started,
  waiting,
} from '../../test/journal-of.js';
import { EMPTY, fold } from './fold.js';
import {
  acceptedCommit,
  allAttempts,
  allCommits,
  currentHead,
  lastEnded,
  openAttempt,
  stateBeforeReviews,
  whySkipped,
} from './selectors.js';
import type { Outcome, Protected, RecordBody } from './records.js';

const stateOf = (...bodies: RecordBody[]) => fold(journalOf(...bodies));

describe('the commit that was accepted last', () => {
  const at = (
    phase: number,
    outcome: Outcome,
    attempt: number,
    more: { head?: string; protected?: Protected } = {},
  ) => [intended(phase, attempt), ended(phase, outcome, attempt, more)];
  const accepted = (...bodies: RecordBody[]) => acceptedCommit(stateOf(started, ...bodies), 'base');

  it('is the base until an attempt is completed, and its head then, of any phase', () => {
    expect(accepted()).toBe('base');
    const failed = [entered(1), ...at(1, 'rejected', 1, { head: 'a' })];
    expect(accepted(...failed)).toBe('base');
    expect(accepted(...failed, ...at(1, 'completed', 2, { head: 'b' }))).toBe('b');
    expect(accepted(entered(1), ...at(1, 'completed', 1, {}))).toBe('base');
  });

  const tampered = [
    entered(1),
    ...at(1, 'completed', 1, { head: 'a' }),
    entered(2),
    ...at(2, 'failed', 1, { head: 'b', protected: 'changed' }),
    entered(1),
    ...at(1, 'completed', 2, { head: 'c' }),
  ];

  it.each(['changed', 'unknown'] as const)(
    'is none of another phase, after %s, while it is not put back',
    (word) => {
      expect(accepted(...tampered)).toBe('a');
      const back = [entered(2), ...at(2, 'failed', 2, { head: 'd', protected: word })];
      expect(accepted(...tampered, ...back, ...at(1, 'completed', 3, { head: 'e' }))).toBe('a');
    },
  );

  it('is its own once it is put back, and those of others after that', () => {
    const back = [entered(2), ...at(2, 'failed', 2, { head: 'd', protected: 'kept' })];
    expect(accepted(...tampered, ...back)).toBe('a');
    expect(accepted(...tampered, ...back, ...at(2, 'completed', 3, { head: 'e', protected: 'kept' }))).toBe('e'); // prettier-ignore
    expect(accepted(...tampered, ...back, ...at(1, 'completed', 3, { head: 'f' }))).toBe('f');
  });

  it('waits for each phase that changed what it may not', () => {
    const other = [entered(3), ...at(3, 'failed', 1, { protected: 'unknown' })];
    const back = at(2, 'completed', 2, { head: 'd', protected: 'kept' });
    expect(accepted(...tampered, ...other, ...back)).toBe('a');
  });
});

describe('the checks before a visit', () => {
  it('belong to it, and are not those of the next one', () => {
    const check = { name: 'test', command: ['t'], passed: true, ended: 'exit 0', output: '', durationMs: 1 }; // prettier-ignore
    const before: RecordBody = { type: 'checks-before', phase: 1, checks: [check] };
    const state = stateOf(started, entered(1), before, ...attempted(1, 'completed'), entered(1));
    expect(state.visits.map(({ checksBefore }) => checksBefore)).toEqual([[check], undefined]);
    expect(stateOf(started, before).visits).toEqual([]);
  });
});

describe('the state of a run', () => {
  it('is empty before its first record', () => {
    expect(fold([])).toEqual(EMPTY);
  });

  it('has its visits with their attempts, in order', () => {
    const state = stateOf(
      started,
      entered(1),
      ...attempted(1, 'failed', 1),
      ...attempted(1, 'completed', 2),
      entered(2, { sentBackBy: 3 }),
      intended(2),
    );
    expect(state.startedAt).toBe('2030-01-01T00:00:00.000Z');
    expect(state.visits).toMatchObject([
      { phase: 1, head: 'head-of-1', enteredAt: '2030-01-01T00:00:01.000Z' },
      { phase: 2, sentBackBy: 3 },
    ]);
    expect(state.visits[0]?.attempts.map(({ ended: of }) => of?.outcome)).toEqual([
      'failed',
      'completed',
    ]);
    expect(openAttempt(state)).toMatchObject({
      phase: 2,
      attempt: 1,
      startedAt: expect.any(String),
    });
  });

  it('has a visit without attempts where a phase was skipped', () => {
    const state = stateOf(started, entered(1), ...attempted(1, 'completed'), skipped(2));
    expect(state.visits[1]).toMatchObject({
      phase: 2,
      skipped: 'when: false is false',
      attempts: [],
    });
    expect(currentHead(state, 'base')).toBe('head-of-2');
    expect([1, 2, 3].map((phase) => whySkipped(state, phase))).toEqual([
      undefined,
      'when: false is false',
      undefined,
    ]);
    const entered2 = fold(journalOf(entered(2)), state);
    expect(whySkipped(entered2, 2)).toBeUndefined();
  });

  it('remembers by phase when its condition held', () => {
    const held = (phase: number): RecordBody => ({ type: 'condition-held', phase, reason: 'r' });
    const state = stateOf(started, held(1), entered(1), held(2));
    expect(state.held).toEqual({ 1: { visits: 0, gates: 0 }, 2: { visits: 1, gates: 0 } });
  });

  it('follows the worktree from its addition to its removal', () => {
    const directory = '/worktrees/x';
    const adding: RecordBody = { type: 'worktree-adding', directory };
    const ready: RecordBody = { type: 'worktree-ready', directory };
    expect(stateOf(adding).worktree).toEqual({ directory, stage: 'adding' });
    expect(stateOf(adding, ready).worktree).toEqual({ directory, stage: 'ready' });
    expect(
      stateOf(adding, ready, { type: 'worktree-removed', directory }).worktree,
    ).toBeUndefined();
  });

  it('keeps the last preflight', () => {
    const preflight = (note: string): RecordBody => ({
      type: 'preflight',
      phase: 1,
      problems: [],
      notes: [note],
    });
    expect(stateOf(preflight('a'), preflight('b')).lastPreflight).toMatchObject({ notes: ['b'] });
  });

  it('waits or has ended until somebody resumes it', () => {
    expect(stateOf(started, waiting({ until: 'then' })).waiting).toMatchObject({ until: 'then' });
    expect(stateOf(started, runEnded('failed')).ended).toMatchObject({
      state: 'failed',
      at: expect.any(String),
    });
    const again = stateOf(started, waiting(), runEnded('stopped'), resumed);
    expect([again.waiting, again.ended]).toEqual([undefined, undefined]);
  });

  it('remembers what was there when a person resumed it, and not where it was picked up after a crash', () => {
    const one = [started, entered(1), ...attempted(1, 'failed')];
    expect(stateOf(...one, resumed).attemptsBeforeResume).toBe(0);
    expect(stateOf(...one, waiting(), resumed).attemptsBeforeResume).toBe(1);
    expect(stateOf(...one, runEnded('failed'), resumed).attemptsBeforeResume).toBe(1);
    const more = [...one, runEnded('failed'), resumed, ...attempted(1, 'failed', 2), resumed];
    expect(stateOf(...more).attemptsBeforeResume).toBe(1);
  });

  it('takes no wait that came to its end by itself for a new word', () => {
    const waited = [started, entered(1), ...attempted(1, 'rate-limited'), waiting()];
    for (const over of [{ type: 'wait-over' }, { ...resumed, by: 'due' }] as RecordBody[]) {
      expect(stateOf(...waited, over)).toMatchObject({
        waiting: undefined,
        attemptsBeforeResume: 0,
        attemptsBeforeWaitOver: 1,
      });
    }
  });

  it('waits for nothing once it has ended', () => {
    expect(
      stateOf(started, waiting({ until: 'then' }), runEnded('stopped')).waiting,
    ).toBeUndefined();
  });

  it('takes records one by one as it takes them all at once', () => {
    const anyBody = fc.constantFrom<RecordBody>(
      started,
      resumed,
      { ...resumed, tookOver: holder } as RecordBody,
      entered(1),
      entered(2, { sentBackBy: 1 }),
      skipped(2),
      { type: 'condition-held', phase: 1, reason: 'r' },
      intended(1),
      ended(1, 'completed', 1, { head: 'h', commits: [{ hash: 'h', subject: 's' }] }),
      waiting(),
      { type: 'wait-over' },
      { ...resumed, by: 'due' } as RecordBody,
      runEnded('failed'),
      { type: 'worktree-adding', directory: 'd' },
    );
    fc.assert(
      fc.property(fc.array(anyBody, { maxLength: 20 }), fc.nat(20), (bodies, cut) => {
        const records = journalOf(...bodies);
        const oneByOne = fold(records.slice(cut), fold(records.slice(0, cut)));
        expect(oneByOne).toEqual(fold(records));
      }),
    );
  });

  it('is not moved by a verdict on an attempt that was never begun', () => {
    expect(stateOf(ended(1, 'completed')).visits).toEqual([]);
    expect(allAttempts(stateOf(entered(1), ended(1, 'completed')))).toEqual([]);
  });
});

describe("the run's worktree as reviews found it", () => {
  const review = (index: string, attempt = 1): RecordBody => ({
    ...intended(1, attempt),
    worktree: { index, paths: {} },
  });
  const first = [started, entered(1), review('one'), ended(1, 'rejected', 1)];
  const found = (...bodies: RecordBody[]) => stateBeforeReviews(stateOf(...bodies))?.index;

  it('is as the first of them found it, also in the next visit', () => {
    expect(found(started, entered(1))).toBeUndefined();
    expect(found(...first)).toBe('one');
    expect(found(...first, entered(1), review('two', 2), ended(1, 'rejected', 2))).toBe('one');
  });

  // prettier-ignore
  it.each<[name: string, after: RecordBody[]]>([
    ['an attempt that is no review', [entered(2), ...attempted(2, 'completed')]],
    ['checks', [review('two', 2), ended(1, 'rejected', 2, { checks: [{ name: 'n', command: ['n'], passed: false, ended: 'exit 1', output: '', durationMs: 1 }] })]],
    ['checks before the first attempt', [entered(1), { type: 'checks-before', phase: 1, checks: [] }]],
    ['a person who resumed the run', [runEnded('failed'), resumed]],
  ])('is to be looked at anew after %s', (_, after) => {
    expect(found(...first, ...after)).toBeUndefined();
  });
});

describe('of a state one can ask', () => {
  const commit = (hash: string) => ({ hash, subject: `Add ${hash}` });
  const state = stateOf(
    started,
    entered(1, { head: 'zero' }),
    intended(1),
    ended(1, 'failed', 1, { head: 'one', commits: [commit('one')] }),
    intended(1, 2),
    ended(1, 'completed', 2, { head: 'two', commits: [commit('one'), commit('two')] }),
    entered(2, { head: 'two' }),
    intended(2),
  );

  it('for the last attempt at a phase that came to an outcome', () => {
    expect(lastEnded(state, 1)).toMatchObject({ attempt: 2 });
    expect(lastEnded(state, 1, 'failed')).toMatchObject({ attempt: 1 });
    expect(lastEnded(state, 1, 'declined')).toBeUndefined();
    expect(lastEnded(state, 2)).toBeUndefined();
  });

  it('for every commit, each once, in order', () => {
    expect(allCommits(state).map(({ hash }) => hash)).toEqual(['one', 'two']);
  });

  it('for the commit that the branch is at, as far as it was measured', () => {
    expect(currentHead(EMPTY, 'base')).toBe('base');
    expect(currentHead(stateOf(entered(1, { head: 'zero' })), 'base')).toBe('zero');
    expect(currentHead(state, 'base')).toBe('two');
    const unmeasured = stateOf(
      entered(1),
      intended(1),
      ended(1, 'failed', 1, { head: 'a' }),
      ...attempted(1, 'crashed', 2),
    );
    expect(currentHead(unmeasured, 'base')).toBe('a');
  });

  it('for the attempt that is under way', () => {
    expect(openAttempt(EMPTY)).toBeUndefined();
    expect(openAttempt(stateOf(entered(1)))).toBeUndefined();
    expect(openAttempt(stateOf(entered(1), ...attempted(1, 'failed')))).toBeUndefined();
    expect(openAttempt(state)).toMatchObject({ phase: 2 });
  });
});
