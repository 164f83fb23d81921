import * as fc from 'fast-check';
import { CONSEQUENCES } from '../src/policy/consequence.js';
import { decide } from '../src/policy/policy.js';
import { type RunState, fold } from '../src/state/fold.js';
import type { Outcome, RecordBody } from '../src/state/records.js';
import { cameBack } from '../src/policy/step.js';
import { RETRIED } from '../src/workflow/retries.js';
import type { Workflow } from '../src/workflow/workflow.js';
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
} from './journal-of.js';

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

/** Does it hold of any run of any workflow? */
export const holds = (
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
