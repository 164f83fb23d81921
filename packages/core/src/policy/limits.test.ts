import { describe, expect, it } from 'vitest';
import { after, code, plan, validate, whole } from '../../test/three-phases.js';
import {
  attempted,
  entered,
  journalOf,
  phaseOf,
  resumed,
  runEnded,
  started,
  workflowOf,
} from '../../test/journal-of.js';
import { decide } from './policy.js';
import { fold } from '../state/fold.js';
import type { RecordBody } from '../state/records.js';

describe('going back', () => {
  const round = (number: number) => [
    entered(2, number === 1 ? {} : { sentBackBy: 5 }),
    ...attempted(2, 'completed', number),
    entered(5),
    ...attempted(5, 'rejected', number),
  ];
  const rounds = (count: number) =>
    Array.from({ length: count }, (_, index) => round(index + 1)).flat();

  it('leads to the phase that is named, and says why and from where', () => {
    expect(after(...rounds(1))).toEqual({
      do: 'enter',
      phase: code,
      because: 'phase 5 validate found gaps: it rejected',
      sentBackBy: 5,
      loop: 'onGaps',
      candidates: ['agent'],
    });
  });

  it('ends after its maximum over the whole run', () => {
    expect(after(...rounds(2))).toMatchObject({ do: 'enter', phase: code });
    expect(after(...rounds(3))).toEqual({
      do: 'end',
      state: 'failed',
      reason: 'phase 5 validate still finds gaps after going back 2 times (max 2): it rejected',
    });
  });

  it('is counted over resumes too: a person who resumes gets one more look, not one more loop', () => {
    const resumedRun = [...rounds(3), runEnded('failed'), resumed];
    expect(after(...resumedRun)).toMatchObject({ do: 'attempt', phase: validate });
    expect(after(...resumedRun, ...attempted(5, 'rejected', 4))).toMatchObject({
      do: 'end',
      state: 'failed',
    });
  });

  it('is not counted for another phase that went back to the same place', () => {
    const second = phaseOf(6, 'audit', { onGaps: { goto: 'code', max: 1 } });
    const two = workflowOf([plan, code, validate, second]);
    const bodies = [
      ...rounds(2),
      entered(2, { sentBackBy: 5 }),
      entered(6),
      ...attempted(6, 'rejected'),
    ];
    const step = decide(two, { first: 1, last: 6 }, fold(journalOf(started, ...bodies)), 0);
    expect(step).toMatchObject({ do: 'enter', phase: code, sentBackBy: 6 });
  });

  it('is for what was rejected: an unfinished review is tried again instead', () => {
    const patient = workflowOf([plan, code, { ...validate, retries: 1 }]);
    const state = fold(journalOf(started, entered(5), ...attempted(5, 'incomplete')));
    expect(decide(patient, whole, state, 0)).toMatchObject({ do: 'attempt', number: 2 });
  });
});

describe('maxAttempts', () => {
  const few = workflowOf([plan, code, validate], { maxAttempts: 3 });
  const step = (...bodies: RecordBody[]) =>
    decide(few, whole, fold(journalOf(started, ...bodies)), 0);
  const used = {
    do: 'end',
    state: 'failed',
    reason: 'the run has used its 3 attempts (maxAttempts)',
  };

  it('ends a run within a phase', () => {
    const three = [1, 2, 3].flatMap((number) => attempted(1, 'failed', number));
    expect(step(entered(1), ...three.slice(0, 4))).toMatchObject({ do: 'attempt', number: 3 });
    const patient = workflowOf([{ ...plan, retries: 9 }], { maxAttempts: 3 });
    expect(decide(patient, whole, fold(journalOf(entered(1), ...three)), 0)).toEqual(used);
  });

  it('is counted over phases and loops', () => {
    const loop = [
      entered(2),
      ...attempted(2, 'completed'),
      entered(5),
      ...attempted(5, 'rejected'),
    ];
    const back = [entered(2, { sentBackBy: 5 }), ...attempted(2, 'completed', 2)];
    expect(step(...loop, ...back, entered(5))).toEqual(used);
  });

  it('is counted over resumes, which reset the retries only', () => {
    const three = [1, 2, 3].flatMap((number) => attempted(1, 'failed', number));
    expect(step(entered(1), ...three, runEnded('failed'), resumed)).toEqual(used);
  });
});
