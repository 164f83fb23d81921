import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ended,
  entered,
  intended,
  journalOf,
  phaseOf,
  resumed,
  runEnded,
  skipped,
  started,
  waiting,
  workflowOf,
} from '../test/journal-of.js';
import { CONSEQUENCES } from './consequence.js';
import { decide } from './policy.js';
import { type RunState, allAttempts, fold } from './state/fold.js';
import type { Outcome, RecordBody } from './state/records.js';
import { cameBack } from './step.js';
import { LOOPS } from './workflow/loop.js';
import { RETRIED } from './workflow/retries.js';
import type { Workflow } from './workflow/workflow.js';

/** All limits are over by then. */
const LONG_AFTER = Date.UTC(2040, 0, 1);
const due = { ...resumed, by: 'due' } as RecordBody;
const OUTCOMES = Object.keys(CONSEQUENCES) as Outcome[];

/** What says no, and what is there then: seldom the same three times. */
function anyResult(roll: number) {
  const evidence = roll % 2 === 0 ? 'answer' : 'checks';
  const reasons = [{ evidence, says: 'no', text: 'no' }] as const;
  return { reasons, ...(roll < 9 && { tree: 'same' }) };
}

describe('whatever the attempts come to', () => {
  const anyCounts = fc.dictionary(fc.constantFrom(...RETRIED), fc.nat(3));
  const anyBack = fc.option(fc.record({ to: fc.nat(5), max: fc.integer({ min: 1, max: 3 }) }));
  const anyPhases = fc
    .array(
      fc.record({
        retries: fc.oneof(fc.nat(3), anyCounts),
        retryDelayMs: fc.constantFrom(0, 1, 7_000, 10_000_000),
        when: fc.boolean(),
        onRejected: anyBack,
        onGaps: anyBack,
        onFailed: anyBack,
      }),
      { minLength: 1, maxLength: 5 },
    )
    .map((phases) =>
      phases.map(({ retries, retryDelayMs, when, ...backs }, index) => {
        const loops = Object.entries(backs).flatMap(([loop, back]) =>
          back === null
            ? []
            : [[loop, { max: back.max, goto: `phase-${back.to % (index + 1)}` }] as const],
        );
        return phaseOf(index * 2 + 1, `phase-${index}`, {
          retries,
          retryDelayMs,
          ...(when && { when: { hook: 'any' } }),
          ...Object.fromEntries(loops),
        });
      }),
    );
  const anyRun = fc.record({
    phases: anyPhases,
    maxAttempts: fc.integer({ min: 1, max: 12 }),
    outcomes: fc.infiniteStream(
      fc.oneof(
        { weight: 3, arbitrary: fc.constant('completed' as const) },
        { weight: 2, arbitrary: fc.constant('rejected' as const) },
        { weight: 2, arbitrary: fc.constantFrom(...OUTCOMES) },
      ),
    ),
    resumes: fc.nat(6),
    rolls: fc.infiniteStream(fc.nat(11)),
    crashes: fc.infiniteStream(fc.boolean()),
    stays: fc.infiniteStream(fc.boolean()),
  });

  /** A run from its journal alone, as `drive` does it: a person resumes it some times, and it crashes now and then. It goes on by itself after a wait, by its holder or because it is due. */
  function drive(
    flow: Workflow,
    {
      outcomes,
      resumes,
      rolls,
      crashes,
      stays,
    }: {
      outcomes: Iterator<Outcome>;
      resumes: number;
      rolls: Iterator<number>;
      crashes: Iterator<boolean>;
      stays: Iterator<boolean>;
    },
  ) {
    const range = { first: 1, last: flow.phases.at(-1)?.id ?? 1 };
    const bodies: RecordBody[] = [started];
    const states: RunState[] = [];
    const pauses: number[] = [];
    const roll = () => rolls.next().value as number;
    let left = resumes;
    let now = 0; // a clock that was set back by decades
    for (let steps = 0; ; steps += 1) {
      if (steps > 1_000) throw new Error('it does not end');
      if (crashes.next().value === true) bodies.push(resumed);
      const state = fold(journalOf(...bodies));
      states.push(state);
      const step = decide(flow, range, state, now);
      if (step.do === 'enter') {
        bodies.push(entered(step.phase.id, cameBack(step)));
      } else if (step.do === 'ask-when') {
        const phase = step.phase.id;
        bodies.push(
          roll() % 3 === 0
            ? { ...skipped(phase), ...cameBack(step) }
            : { type: 'condition-held', phase, reason: 'r' },
        );
      } else if (step.do === 'attempt') {
        bodies.push(intended(step.phase.id, step.number));
      } else if (step.do === 'pause') {
        pauses.push(step.ms);
        now = step.due;
        const next = decide(flow, range, state, now);
        if (next.do === 'pause') throw new Error('it waits again for what it has waited for');
      } else if (step.do === 'adopt') {
        const outcome = outcomes.next().value as Outcome;
        bodies.push(ended(step.phase.id, outcome, step.attempt.attempt, anyResult(roll())));
      } else if (step.do === 'wait' && step.until !== undefined) {
        bodies.push(waiting({ until: step.until }));
        now = Math.max(now, LONG_AFTER);
        bodies.push(stays.next().value === true ? { type: 'wait-over' } : due);
      } else if (step.do === 'open-gate' || step.do === 'gate') {
        throw new Error('no phase has a gate');
      } else {
        bodies.push(step.do === 'wait' ? waiting({ for: step.for }) : runEnded(step.state));
        const isOver = step.do === 'end' && step.state === 'completed';
        if (isOver || left === 0)
          return {
            states,
            pauses,
            last: fold(journalOf(...bodies)),
            bodies,
            step,
          };
        left -= 1;
        bodies.push(resumed);
      }
    }
  }

  const holds = (
    property: (run: ReturnType<typeof drive>, flow: Workflow) => void,
    { numRuns = 400, ...more }: { readonly resumes?: number; readonly numRuns?: number } = {},
  ) =>
    fc.assert(
      fc.property(anyRun, ({ phases, maxAttempts, ...rest }) => {
        const flow = workflowOf(phases, { maxAttempts });
        property(drive(flow, { ...rest, ...more }), flow);
      }),
      { numRuns },
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
          if (visit.skipped === undefined)
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
        if (visit?.skipped === undefined)
          expect(visit?.attempts.at(-1)?.ended?.outcome).toBe('completed');
        else expect(visit.attempts).toEqual([]);
      }
    });
    expect(seen).toBeGreaterThan(10);
  });

  it('no loop of a phase is taken more often than it may, whatever the others do', () => {
    const full: Record<string, number> = {};
    holds(
      ({ last }, { phases }) => {
        for (const phase of phases) {
          for (const loop of LOOPS) {
            const max = phase[loop]?.max ?? 0;
            const used = last.visits.filter(
              (visit) => visit.sentBackBy === phase.id && visit.loop === loop,
            ).length;
            expect(used).toBeLessThanOrEqual(max);
            if (used === max && max > 0) full[loop] = (full[loop] ?? 0) + 1;
          }
        }
      },
      { numRuns: 2_000 },
    );
    for (const loop of LOOPS) expect(full[loop]).toBeGreaterThan(10);
  });

  it('a phase that may be skipped is asked about once each time that the run comes to it', () => {
    let asked = 0;
    holds(({ bodies }, { phases }) => {
      let answers: number[] = [];
      for (const body of bodies) {
        if (body.type === 'condition-held') answers.push(body.phase);
        if (body.type !== 'phase-entered' && body.type !== 'phase-skipped') continue;
        const mayBeSkipped = phases.find(({ id }) => id === body.phase)?.when !== undefined;
        const expected = mayBeSkipped && body.type === 'phase-entered' ? [body.phase] : [];
        expect(answers).toEqual(expected);
        asked += expected.length;
        answers = [];
      }
    });
    expect(asked).toBeGreaterThan(100);
  });

  it('nothing is tried a fourth time that has come to the same three times', () => {
    let still = 0;
    holds(
      ({ last, step }) => {
        if (last.attemptsBeforeResume > 0) return;
        for (const phase of new Set(last.visits.map((visit) => visit.phase))) {
          const results = allAttempts(last)
            .filter((attempt) => attempt.phase === phase)
            .map(({ ended: end }) => JSON.stringify([end?.outcome, end?.tree, end?.reasons]));
          const isSame = (index: number) =>
            /^\["(?:rejected|no-change)","same"/.test(results[index] ?? '') &&
            [1, 2, 3].every((back) => results[index - back] === results[index]);
          expect(results.some((_, index) => isSame(index))).toBe(false);
        }
        still += Number(step.do === 'end' && step.reason.includes('three times with the same'));
      },
      { resumes: 0, numRuns: 4_000 },
    );
    expect(still).toBeGreaterThan(5);
  });

  it('a phase is not tried again more often than each outcome has retries, however often its run waits', () => {
    let used = 0;
    let waited = 0;
    holds(
      ({ last }, { phases }) => {
        if (last.attemptsBeforeResume > 0) return; // stopped and picked up: counted anew
        waited += Number(last.attemptsBeforeWaitOver > 0);
        for (const { phase, attempts } of last.visits) {
          const retries = phases.find(({ id }) => id === phase)?.retries;
          for (const outcome of RETRIED) {
            const tries = attempts.filter(({ ended: end }) => end?.outcome === outcome).length;
            const most = typeof retries === 'number' ? retries : (retries?.[outcome] ?? 1);
            expect(tries).toBeLessThanOrEqual(most + 1);
            used += Number(tries === most + 1);
          }
        }
      },
      { resumes: 0, numRuns: 2_000 }, // one run in thirty waits
    );
    expect(waited).toBeGreaterThan(10);
    expect(used).toBeGreaterThan(10);
  });

  it('no pause is longer than its cap, whatever the clock says', () => {
    const all: number[] = [];
    holds(({ pauses }) => all.push(...pauses));
    expect(all.length).toBeGreaterThan(10);
    expect(Math.min(...all)).toBeGreaterThan(0);
    expect(Math.max(...all)).toBe(5 * 60_000);
  });

  it('no two attempts at a phase have the same number', () => {
    holds(({ last }) => {
      const names = allAttempts(last).map(({ phase, attempt }) => `${phase}.${attempt}`);
      expect(new Set(names).size).toBe(names.length);
    });
  });
});
