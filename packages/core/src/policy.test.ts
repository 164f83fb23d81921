import * as fc from 'fast-check';
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
} from '../test/journal-of.js';
import { CONSEQUENCES, type Step, decide } from './policy.js';
import { type RunState, allAttempts, fold } from './state/fold.js';
import type { Outcome, RecordBody } from './state/records.js';
import type { Workflow } from './workflow/workflow.js';

const plan = phaseOf(1, 'plan', { retries: 2 });
const code = phaseOf(2, 'code', { retries: 1 });
const validate = phaseOf(5, 'validate', {
  mode: 'review',
  requires: ['marker', 'verdict'],
  onGaps: { goto: 'code', max: 2 },
  retries: 0,
});
const workflow = workflowOf([plan, code, validate]);
const whole = { first: 1, last: 5 };
const OUTCOMES = Object.keys(CONSEQUENCES) as Outcome[];

const after = (...bodies: RecordBody[]): Step =>
  decide(workflow, whole, fold(journalOf(started, ...bodies)), 0);

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
    const until = '2030-01-01T10:00:00Z';
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

describe('whatever the attempts come to', () => {
  const anyPhases = fc
    .array(
      fc.record({
        retries: fc.nat(3),
        back: fc.option(fc.record({ to: fc.nat(5), max: fc.integer({ min: 1, max: 3 }) })),
      }),
      { minLength: 1, maxLength: 5 },
    )
    .map((phases) =>
      phases.map(({ retries, back }, index) =>
        phaseOf(index * 2 + 1, `phase-${index}`, {
          retries,
          ...(back !== null && {
            onGaps: { goto: `phase-${back.to % (index + 1)}`, max: back.max },
          }),
        }),
      ),
    );
  const anyRun = fc.record({
    phases: anyPhases,
    maxAttempts: fc.integer({ min: 1, max: 12 }),
    outcomes: fc.infiniteStream(
      fc.oneof(
        { weight: 3, arbitrary: fc.constant('completed' as const) },
        fc.constantFrom(...OUTCOMES),
      ),
    ),
    resumes: fc.nat(6),
    crashes: fc.infiniteStream(fc.boolean()),
  });

  /** A run from its journal alone, as `drive` does it: a person resumes it some times, and it crashes now and then. */
  function drive(
    flow: Workflow,
    {
      outcomes,
      resumes,
      crashes,
    }: { outcomes: Iterator<Outcome>; resumes: number; crashes: Iterator<boolean> },
  ) {
    const range = { first: 1, last: flow.phases.at(-1)?.id ?? 1 };
    const bodies: RecordBody[] = [started];
    const states: RunState[] = [];
    let left = resumes;
    for (let steps = 0; ; steps += 1) {
      if (steps > 1_000) throw new Error('it does not end');
      if (crashes.next().value === true) bodies.push(resumed);
      const state = fold(journalOf(...bodies));
      states.push(state);
      const step = decide(flow, range, state, 0);
      if (step.do === 'enter') {
        bodies.push(
          entered(
            step.phase.id,
            step.sentBackBy === undefined ? {} : { sentBackBy: step.sentBackBy },
          ),
        );
      } else if (step.do === 'attempt') {
        bodies.push(intended(step.phase.id, step.number));
      } else if (step.do === 'adopt') {
        bodies.push(ended(step.phase.id, outcomes.next().value as Outcome, step.attempt.attempt));
      } else {
        bodies.push(step.do === 'wait' ? waiting({ for: step.for }) : runEnded(step.state));
        const isOver = step.do === 'end' && step.state === 'completed';
        if (isOver || left === 0) return { states, last: fold(journalOf(...bodies)), step };
        left -= 1;
        bodies.push(resumed);
      }
    }
  }

  const holds = (property: (run: ReturnType<typeof drive>, flow: Workflow) => void) =>
    fc.assert(
      fc.property(anyRun, ({ phases, maxAttempts, ...rest }) => {
        const flow = workflowOf(phases, { maxAttempts });
        property(drive(flow, rest), flow);
      }),
      { numRuns: 400 },
    );

  it('a run ends, within its attempts, over all loops and resumes', () => {
    holds(({ last }, { maxAttempts }) => {
      expect(allAttempts(last).length).toBeLessThanOrEqual(maxAttempts);
    });
  });

  it('a run never gets past a phase that is not completed', () => {
    holds(({ states }) => {
      for (const { visits } of states) {
        for (const [index, visit] of visits.entries()) {
          const next = visits[index + 1];
          if (next === undefined || next.sentBackBy !== undefined) continue;
          expect(visit.attempts.at(-1)?.ended?.outcome).toBe('completed');
          expect(next.phase).toBeGreaterThan(visit.phase);
        }
      }
    });
  });

  it('a run is completed only where the last visit of every phase ended as completed', () => {
    let seen = 0;
    holds(({ last, step }, { phases }) => {
      if (step.do !== 'end' || step.state !== 'completed') return;
      seen += 1;
      for (const { id } of phases) {
        const visit = last.visits.findLast(({ phase }) => phase === id);
        expect(visit?.attempts.at(-1)?.ended?.outcome).toBe('completed');
      }
    });
    expect(seen).toBeGreaterThan(10);
  });

  it('a phase never sends back more often than it may', () => {
    holds(({ last }, { phases }) => {
      for (const { id, onGaps } of phases) {
        const used = last.visits.filter(({ sentBackBy }) => sentBackBy === id).length;
        expect(used).toBeLessThanOrEqual(onGaps?.max ?? 0);
      }
    });
  });

  it('no two attempts at a phase have the same number', () => {
    holds(({ last }) => {
      const names = allAttempts(last).map(({ phase, attempt }) => `${phase}.${attempt}`);
      expect(new Set(names).size).toBe(names.length);
    });
  });
});
