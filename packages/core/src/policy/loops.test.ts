import { describe, expect, it } from 'vitest';
import {
  attempted,
  ended,
  entered,
  intended,
  journalOf,
  phaseOf,
  resumed,
  runEnded,
  started,
  waiting,
  workflowOf,
} from '../../test/journal-of.js';
import { decide } from './policy.js';
import { fold } from '../state/fold.js';
import type { Outcome, Reason, RecordBody } from '../state/records.js';
import type { Phase } from '../workflow/workflow.js';

const code = phaseOf(1, 'code', { retries: 0 });
const ways = {
  onRejected: { goto: 'code', max: 2 },
  onGaps: { goto: 'code', max: 3 },
  onFailed: { goto: 'code', max: 1 },
};

function after(prove: Partial<Phase>, ...bodies: RecordBody[]) {
  const workflow = workflowOf([code, phaseOf(2, 'prove', { retries: 0, ...prove })]);
  const state = fold(journalOf(started, entered(1), ...attempted(1, 'completed'), ...bodies));
  return decide(workflow, { first: 1, last: 2 }, state, Date.UTC(2040, 0, 1));
}

const because = (evidence: Reason['evidence'], text = 'no'): { reasons: Reason[] } => ({
  reasons: [{ evidence, says: 'no', text }],
});
const rejected = (evidence: Reason['evidence'], attempt = 1) => [
  intended(2, attempt),
  ended(2, 'rejected', attempt, because(evidence)),
];

describe('a phase whose attempt was rejected', () => {
  it('goes back by onGaps for gaps alone, and by onRejected for all else', () => {
    const step = (ways_: Partial<Phase>, evidence: Reason['evidence']) =>
      after({ ...ways_, retries: 5 }, entered(2), ...rejected(evidence));
    expect(step(ways, 'answer')).toMatchObject({ do: 'enter', phase: code, loop: 'onGaps' });
    for (const evidence of ['checks', 'git'] as const)
      expect(step(ways, evidence)).toMatchObject({ do: 'enter', loop: 'onRejected' });
    const { onGaps, onRejected } = ways;
    expect(step({ onRejected }, 'answer')).toMatchObject({
      do: 'enter',
      phase: code,
      sentBackBy: 2,
      loop: 'onRejected',
      because: 'phase 2 prove was rejected: no',
    });
    expect(step({ onGaps }, 'checks')).toMatchObject({ do: 'attempt' });
  });

  it('has a maximum for each way by itself, over the whole run', () => {
    const back = (loop: 'onRejected' | 'onGaps', attempt: number) => [
      entered(1, { sentBackBy: 2, loop }),
      ...attempted(1, 'completed', attempt),
      entered(2),
      ...rejected(loop === 'onGaps' ? 'answer' : 'checks', attempt),
    ];
    const first = [entered(2), ...rejected('checks', 1)];
    const used = [...first, ...back('onRejected', 2), ...back('onRejected', 3)];
    expect(after(ways, ...first, ...back('onRejected', 2))).toMatchObject({ do: 'enter' });
    const over = {
      do: 'end',
      state: 'failed',
      reason: 'phase 2 prove is still rejected after going back 2 times (max 2): no',
    };
    expect(after(ways, ...used)).toEqual(over);
    expect(after(ways, ...used, runEnded('failed'), resumed, ...rejected('checks', 4))).toEqual(
      over,
    );
    expect(after(ways, ...used, ...back('onGaps', 4))).toMatchObject({ loop: 'onGaps' });
  });

  it('counts for gaps what an earlier devflow did not name', () => {
    const unnamed = [1, 2, 3].flatMap((attempt) => [
      entered(1, { sentBackBy: 2 }),
      ...attempted(1, 'completed', attempt + 1),
      entered(2),
      ...rejected('answer', attempt + 1),
    ]);
    expect(after(ways, entered(2), ...rejected('answer'), ...unnamed)).toMatchObject({
      do: 'end',
      reason: expect.stringMatching(/still finds gaps after going back 3 times/),
    });
  });
});

describe('a phase that could not be done', () => {
  const FAILED = ['failed', 'incomplete', 'no-change', 'crashed', 'timed-out', 'idle'] as const;

  it.each(FAILED)('goes back after "%s", once its retries are used up', (outcome) => {
    const one = [entered(2), ...attempted(2, outcome)];
    expect(after({ ...ways, retries: 1 }, ...one)).toMatchObject({ do: 'attempt', number: 2 });
    expect(after({ ...ways, retries: 1 }, ...one, ...attempted(2, outcome, 2))).toMatchObject({
      do: 'enter',
      phase: code,
      sentBackBy: 2,
      loop: 'onFailed',
      because: `phase 2 prove did not succeed (${outcome}): it ${outcome}`,
    });
    expect(after({}, ...one)).toMatchObject({ do: 'end', state: 'failed' });
  });

  it.each(['declined', 'over-budget'] as const)('never goes back after "%s"', (outcome) => {
    expect(after(ways, entered(2), ...attempted(2, outcome))).toMatchObject({ do: 'end' });
  });

  it('does not go back for what was rejected', () => {
    const { onFailed } = ways;
    expect(after({ onFailed }, entered(2), ...rejected('checks'))).toMatchObject({ do: 'end' });
  });

  it('has a maximum', () => {
    const twice = [
      entered(2),
      ...attempted(2, 'failed'),
      entered(1, { sentBackBy: 2, loop: 'onFailed' }),
      ...attempted(1, 'completed', 2),
      entered(2),
      ...attempted(2, 'failed', 2),
    ];
    expect(after(ways, ...twice)).toMatchObject({
      do: 'end',
      reason:
        'phase 2 prove still does not succeed (failed) after going back 1 times (max 1): it failed',
    });
  });
});

describe('a phase that comes to the same three times', () => {
  const result = (attempt: number, more: Partial<ReturnType<typeof ended>> = {}) => [
    intended(2, attempt),
    ended(2, 'rejected', attempt, { tree: 'a', ...because('checks'), ...more }),
  ];
  const patient = { retries: 9 };
  const still = {
    do: 'end',
    state: 'failed',
    reason: 'phase 2 prove rejected three times with the same result: no',
  };

  it('ends the run, also where it is tried again in place', () => {
    const two = [entered(2), ...result(1), ...result(2)];
    expect(after(patient, ...two)).toMatchObject({ do: 'attempt' });
    expect(after(patient, ...two, ...result(3))).toEqual(still);
  });

  it('ends a loop before its maximum', () => {
    const back = (attempt: number) => [
      entered(1, { sentBackBy: 2, loop: 'onRejected' }),
      ...attempted(1, 'completed', attempt),
      entered(2),
      ...result(attempt),
    ];
    const patiently = { onRejected: { goto: 'code', max: 9 } };
    const two = [entered(2), ...result(1), ...back(2)];
    expect(after(patiently, ...two)).toMatchObject({ do: 'enter' });
    expect(after(patiently, ...two, ...back(3))).toEqual(still);
  });

  const check = { name: 'it', command: ['it'], passed: false, output: '', durationMs: 1 };
  it.each([
    ['another tree', { tree: 'b' }],
    ['a tree that is not known', { tree: undefined as never }],
    ['another reason', because('checks', 'another')],
    ['another check that fails', { checks: [{ ...check, ended: 'exit 1' }] }],
    ['another outcome', { outcome: 'failed' as Outcome }],
  ])('goes on after %s', (_, more) => {
    for (const different of [1, 2, 3]) {
      const three = [1, 2, 3].flatMap((n) => result(n, n === different ? more : {}));
      expect(after(patient, entered(2), ...three)).toMatchObject({ do: 'attempt' });
    }
  });

  it('goes on where the tree is never known', () => {
    const three = [1, 2, 3].flatMap((n) => result(n, { tree: undefined as never }));
    expect(after(patient, entered(2), ...three)).toMatchObject({ do: 'attempt' });
  });

  it('is looked at anew where a person has resumed the run', () => {
    const three = [1, 2, 3].flatMap((n) => result(n));
    const again = [entered(2), ...three, runEnded('failed'), resumed, ...result(4)];
    expect(after(patient, ...again)).toMatchObject({ do: 'attempt' });
  });

  it('counts no attempt that a limit ended', () => {
    const limited = [...attempted(2, 'rate-limited', 3), waiting(), { type: 'wait-over' } as const];
    const three = [...result(1), ...result(2), ...limited, ...result(4)];
    expect(after(patient, entered(2), ...three)).toEqual(still);
  });

  it('keeps its retries where a server may be down, and goes round no third time then', () => {
    const failure = { outcome: 'failed' as Outcome };
    const three = [1, 2, 3].flatMap((n) => result(n, failure));
    expect(after(patient, entered(2), ...three)).toMatchObject({ do: 'attempt' });
    const back = (attempt: number) => [
      entered(1, { sentBackBy: 2, loop: 'onFailed' }),
      ...attempted(1, 'completed', attempt),
      entered(2),
      ...result(attempt, failure),
    ];
    const patiently = { onFailed: { goto: 'code', max: 9 } };
    const two = [entered(2), ...result(1, failure), ...back(2)];
    expect(after(patiently, ...two)).toMatchObject({ do: 'enter' });
    expect(after(patiently, ...two, ...back(3))).toMatchObject({
      do: 'end',
      reason: expect.stringContaining('failed three times with the same result'),
    });
  });
});
