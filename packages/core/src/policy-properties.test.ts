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
  started,
  waiting,
  workflowOf,
} from '../test/journal-of.js';
import { CONSEQUENCES } from './consequence.js';
import { decide } from './policy.js';
import { type RunState, allAttempts, fold } from './state/fold.js';
import type { Outcome, RecordBody } from './state/records.js';
import { RETRIED } from './workflow/retries.js';
import type { Workflow } from './workflow/workflow.js';

/** All limits are over by then. */
const LONG_AFTER = Date.UTC(2040, 0, 1);
const due = { ...resumed, by: 'due' } as RecordBody;
const OUTCOMES = Object.keys(CONSEQUENCES) as Outcome[];

describe('whatever the attempts come to', () => {
  const anyCounts = fc.dictionary(fc.constantFrom(...RETRIED), fc.nat(3));
  const anyPhases = fc
    .array(
      fc.record({
        retries: fc.oneof(fc.nat(3), anyCounts),
        retryDelayMs: fc.constantFrom(0, 1, 7_000, 10_000_000),
        back: fc.option(fc.record({ to: fc.nat(5), max: fc.integer({ min: 1, max: 3 }) })),
      }),
      { minLength: 1, maxLength: 5 },
    )
    .map((phases) =>
      phases.map(({ back, ...settings }, index) =>
        phaseOf(index * 2 + 1, `phase-${index}`, {
          ...settings,
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
    stays: fc.infiniteStream(fc.boolean()),
  });

  /** A run from its journal alone, as `drive` does it: a person resumes it some times, and it crashes now and then. It goes on by itself after a wait, by its holder or because it is due. */
  function drive(
    flow: Workflow,
    {
      outcomes,
      resumes,
      crashes,
      stays,
    }: {
      outcomes: Iterator<Outcome>;
      resumes: number;
      crashes: Iterator<boolean>;
      stays: Iterator<boolean>;
    },
  ) {
    const range = { first: 1, last: flow.phases.at(-1)?.id ?? 1 };
    const bodies: RecordBody[] = [started];
    const states: RunState[] = [];
    const pauses: number[] = [];
    let left = resumes;
    let now = 0; // a clock that was set back by decades
    for (let steps = 0; ; steps += 1) {
      if (steps > 1_000) throw new Error('it does not end');
      if (crashes.next().value === true) bodies.push(resumed);
      const state = fold(journalOf(...bodies));
      states.push(state);
      const step = decide(flow, range, state, now);
      if (step.do === 'enter') {
        bodies.push(
          entered(
            step.phase.id,
            step.sentBackBy === undefined ? {} : { sentBackBy: step.sentBackBy },
          ),
        );
      } else if (step.do === 'attempt') {
        bodies.push(intended(step.phase.id, step.number));
      } else if (step.do === 'pause') {
        pauses.push(step.ms);
        now = step.due;
        const next = decide(flow, range, state, now);
        if (next.do === 'pause') throw new Error('it waits again for what it has waited for');
      } else if (step.do === 'adopt') {
        bodies.push(ended(step.phase.id, outcomes.next().value as Outcome, step.attempt.attempt));
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
