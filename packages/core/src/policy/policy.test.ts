import { describe, expect, it } from 'vitest';
import { after, code, plan, validate, workflow } from '../../test/three-phases.js';
import {
  attempted,
  ended,
  entered,
  intended,
  journalOf,
  resumed,
  runEnded,
  started,
  waiting,
} from '../../test/journal-of.js';
import { CONSEQUENCES } from './consequence.js';
import { decide } from './policy.js';
import { fold } from '../state/fold.js';
import type { RecordBody } from '../state/records.js';

describe('a consequence', () => {
  it('is set for every outcome', () => {
    expect(CONSEQUENCES).toEqual({
      completed: 'advance',
      rejected: 'go-back',
      'no-change': 'retry',
      failed: 'retry',
      incomplete: 'retry',
      'timed-out': 'retry',
      idle: 'retry',
      crashed: 'retry',
      'rate-limited': 'move-on',
      auth: 'move-on',
      declined: 'fail',
      'over-budget': 'fail',
      'not-started': 'move-on',
      stopped: 'stop',
    });
  });

  it.each([
    [
      'completed',
      { do: 'enter', phase: code, because: 'phase 1 plan is complete', candidates: ['agent'] },
    ],
    ['rejected', { do: 'attempt', phase: plan, number: 2 }],
    ['no-change', { do: 'attempt', number: 2 }],
    ['failed', { do: 'attempt', number: 2 }],
    ['incomplete', { do: 'attempt', number: 2 }],
    ['timed-out', { do: 'attempt', number: 2 }],
    ['idle', { do: 'attempt', number: 2 }],
    ['crashed', { do: 'attempt', number: 2 }],
    ['rate-limited', { do: 'wait', for: 'reset', reason: 'phase 1 plan: it rate-limited' }],
    ['auth', { do: 'wait', for: 'login', reason: 'phase 1 plan: it auth' }],
    ['declined', { do: 'end', state: 'failed', reason: 'phase 1 plan declined: it declined' }],
    ['over-budget', { do: 'end', state: 'failed' }],
    ['not-started', { do: 'end', state: 'failed' }],
    ['stopped', { do: 'end', state: 'stopped', reason: 'stopped in phase 1 plan' }],
  ] as const)('of "%s" is followed', (outcome, step) => {
    expect(after(entered(1), ...attempted(1, outcome))).toMatchObject(step);
  });
});

describe('a run', () => {
  it('begins with its first phase', () => {
    expect(after()).toEqual({
      do: 'enter',
      phase: plan,
      because: 'it is the first phase',
      candidates: ['agent'],
    });
  });

  it('attempts a phase that it has entered', () => {
    expect(after(entered(1))).toMatchObject({ do: 'attempt', phase: plan, number: 1 });
  });

  it('takes up an attempt that has no verdict yet', () => {
    const step = after(entered(1), intended(1));
    expect(step).toMatchObject({ do: 'adopt', phase: plan, attempt: { phase: 1, attempt: 1 } });
  });

  it('is completed after its last phase', () => {
    const step = after(entered(5), ...attempted(5, 'completed'));
    expect(step).toEqual({ do: 'end', state: 'completed', reason: 'all phases are complete' });
  });

  it('waits until the instant that the agent named', () => {
    const until = '2030-01-01T10:00:00.000Z';
    const limited = ended(1, 'rate-limited', 1, { resetsAt: until });
    expect(after(entered(1), intended(1), limited)).toMatchObject({ do: 'wait', until });
  });

  it('names the first ground that does not say yes', () => {
    const reasons = [
      { evidence: 'process', says: 'yes', text: 'fine' },
      { evidence: 'agent', says: 'unknown', text: 'nobody knows' },
      { evidence: 'git', says: 'no', text: 'nothing' },
    ] as const;
    const step = after(entered(1), intended(1), ended(1, 'declined', 1, { reasons }));
    expect(step).toMatchObject({ reason: 'phase 1 plan declined: nobody knows' });
  });

  it('fails where its journal names a phase that the workflow does not have', () => {
    expect(after(entered(7))).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('7'),
    });
  });

  it('goes from its first to its last phase and no further', () => {
    const range = { first: 2, last: 2 };
    const step = (...bodies: RecordBody[]) =>
      decide(workflow, range, fold(journalOf(started, ...bodies)), 0);
    expect(step()).toMatchObject({ do: 'enter', phase: code });
    expect(step(entered(2), ...attempted(2, 'completed'))).toMatchObject({
      do: 'end',
      state: 'completed',
    });
  });

  it('begins with the phase above where the id that it is to begin with is none', () => {
    const step = decide(workflow, { first: 3, last: 5 }, fold([]), 0);
    expect(step).toMatchObject({ do: 'enter', phase: validate });
    expect(decide(workflow, { first: 6, last: 6 }, fold([]), 0)).toMatchObject({ state: 'failed' });
  });
});

describe('retries', () => {
  it('are as many as the phase allows, and the attempts are numbered on', () => {
    const tries = (count: number) =>
      Array.from({ length: count }, (_, index) => attempted(1, 'failed', index + 1)).flat();
    expect(after(entered(1), ...tries(2))).toMatchObject({ do: 'attempt', number: 3 });
    expect(after(entered(1), ...tries(3))).toEqual({
      do: 'end',
      state: 'failed',
      reason: 'phase 1 plan failed, no retries left: it failed',
    });
  });

  it('are none where the phase allows none', () => {
    const step = after(entered(5), ...attempted(5, 'crashed'));
    expect(step).toMatchObject({ do: 'end', state: 'failed' });
  });

  it('count anew in each visit, the numbers of the attempts do not', () => {
    const step = after(
      entered(2),
      ...attempted(2, 'failed', 1),
      ...attempted(2, 'completed', 2),
      entered(5),
      ...attempted(5, 'rejected'),
      entered(2, { sentBackBy: 5 }),
      ...attempted(2, 'failed', 3),
    );
    expect(step).toMatchObject({ do: 'attempt', number: 4 });
  });

  it('count anew after a person has resumed the run, whatever it ended with', () => {
    const failed = [...attempted(2, 'failed', 1), ...attempted(2, 'failed', 2), runEnded('failed')];
    expect(after(entered(2), ...failed, resumed)).toMatchObject({ do: 'attempt', number: 3 });
    const again = attempted(2, 'failed', 3);
    expect(after(entered(2), ...failed, resumed, ...again)).toMatchObject({
      do: 'attempt',
      number: 4,
    });
    const both = [...again, ...attempted(2, 'failed', 4)];
    expect(after(entered(2), ...failed, resumed, ...both)).toMatchObject({
      do: 'end',
      state: 'failed',
    });
  });

  it('do not count anew where a run is picked up after a crash', () => {
    const failed = [...attempted(2, 'failed', 1), ...attempted(2, 'failed', 2)];
    expect(after(entered(2), ...failed, resumed)).toMatchObject({ do: 'end', state: 'failed' });
  });

  it.each(['declined', 'auth', 'rate-limited', 'stopped', 'over-budget', 'not-started'] as const)(
    'begin anew where a person resumes after "%s"',
    (outcome) => {
      const over =
        outcome === 'auth' || outcome === 'rate-limited' ? waiting() : runEnded('failed');
      const step = after(entered(2), ...attempted(2, outcome), over, resumed);
      expect(step).toMatchObject({ do: 'attempt', phase: code, number: 2 });
    },
  );

  it('are not made of what is complete: resumed, the run goes on behind it', () => {
    const step = after(entered(2), ...attempted(2, 'completed'), runEnded('stopped'), resumed);
    expect(step).toMatchObject({ do: 'enter', phase: validate });
  });
});
