import { CONSEQUENCES } from './consequence.js';
import { goesInCircles, standsStill } from './progress.js';
import { hasRetries } from './retry.js';
import type { Attempt, RunState, Visit } from '../state/fold.js';
import { allAttempts } from '../state/selectors.js';
import type { Next } from './step.js';
import type { LoopName } from '../workflow/loop.js';
import type { Phase, Workflow } from '../workflow/workflow.js';

type Ended = NonNullable<Attempt['ended']>;

export function afterSetback(
  workflow: Workflow,
  state: RunState,
  phase: Phase,
  visit: Visit,
  ended: Ended,
): Next {
  const name = `phase ${phase.id} ${phase.name}`;
  const said = ended.reasons.find(({ says }) => says !== 'yes')?.text ?? ended.outcome;
  const consequence = CONSEQUENCES[ended.outcome];
  switch (consequence) {
    case 'stop':
      return { do: 'end', state: 'stopped', reason: `stopped in ${name}` };
    case 'move-on': // never reached: handled above
    case 'fail':
      return { do: 'end', state: 'failed', reason: `${name} ${ended.outcome}: ${said}` };
    case 'go-back':
    case 'retry': {
      if (standsStill(state, phase)) return noProgress(phase, ended, said);
      const loop = consequence === 'go-back' ? wayBack(phase, ended) : undefined;
      if (loop !== undefined) return goBack(workflow, state, phase, loop, ended, said);
      if (hasRetries(state, visit, phase, ended.outcome))
        return attempt(workflow, state, phase, visit);
      if (consequence === 'retry' && phase.onFailed !== undefined)
        return goesInCircles(state, phase)
          ? noProgress(phase, ended, said)
          : goBack(workflow, state, phase, 'onFailed', ended, said);
      const reason = `${name} ${ended.outcome}, no retries left: ${said}`;
      return { do: 'end', state: 'failed', reason };
    }
    case 'advance':
      return attempt(workflow, state, phase, visit); // never reached: `completed` is handled above
    default:
      return consequence satisfies never;
  }
}

function noProgress({ id, name }: Phase, { outcome }: Ended, said: string): Next {
  const reason = `phase ${id} ${name} ${outcome} three times with the same result: ${said}`;
  return { do: 'end', state: 'failed', reason };
}

/** Where an attempt that was rejected leads to: for gaps its own way, where the phase has one. */
function wayBack(phase: Phase, ended: Ended): LoopName | undefined {
  if (phase.onGaps !== undefined && foundGaps(ended)) return 'onGaps';
  return phase.onRejected === undefined ? undefined : 'onRejected';
}

/** By its verdict: nothing else of an answer makes an attempt rejected. */
export function foundGaps({ reasons }: Ended): boolean {
  return reasons.find(({ says }) => says !== 'yes')?.evidence === 'answer';
}

/** What the phase did, for the reason of a way back; and where that is used up. */
const WORDS: Readonly<Record<LoopName, readonly [string, string]>> = {
  onGaps: ['found gaps', 'still finds gaps'],
  onRejected: ['was rejected', 'is still rejected'],
  onFailed: ['did not succeed', 'still does not succeed'],
};

function goBack(
  workflow: Workflow,
  state: RunState,
  phase: Phase,
  loop: LoopName,
  { outcome }: Ended,
  said: string,
): Next {
  const { goto, max } = phase[loop] ?? { goto: '', max: 0 };
  const target = workflow.phases.find(({ name }) => name === goto);
  const used = state.visits.filter(
    (visit) => visit.sentBackBy === phase.id && (visit.loop ?? 'onGaps') === loop,
  ).length;
  const name = `phase ${phase.id} ${phase.name}`;
  const [once, still] = WORDS[loop];
  const how = loop === 'onFailed' ? ` (${outcome})` : '';
  if (target === undefined || used >= max) {
    return {
      do: 'end',
      state: 'failed',
      reason: `${name} ${still}${how} after going back ${used} times (max ${max}): ${said}`,
    };
  }
  return {
    do: 'enter',
    phase: target,
    because: `${name} ${once}${how}: ${said}`,
    sentBackBy: phase.id,
    loop,
  };
}

/** The next attempt, unless the run's total is used up: it never resets. */
export function attempt(workflow: Workflow, state: RunState, phase: Phase, visit: Visit): Next {
  const attempts = allAttempts(state);
  if (attempts.length >= workflow.maxAttempts) {
    return {
      do: 'end',
      state: 'failed',
      reason: `the run has used its ${workflow.maxAttempts} attempts (maxAttempts)`,
    };
  }
  const number = attempts.filter(({ phase: of }) => of === phase.id).length + 1;
  return { do: 'attempt', phase, visit, number };
}
