import { CONSEQUENCES } from './consequence.js';
import { hasRetries } from './retry.js';
import { type Attempt, type RunState, type Visit, allAttempts } from './state/fold.js';
import type { Next } from './step.js';
import type { Phase, Workflow } from './workflow/workflow.js';

export function afterSetback(
  workflow: Workflow,
  state: RunState,
  phase: Phase,
  visit: Visit,
  ended: NonNullable<Attempt['ended']>,
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
    case 'retry':
      if (consequence === 'go-back' && phase.onGaps !== undefined && foundGaps(ended))
        return goBack(workflow, state, phase, phase.onGaps, said);
      return hasRetries(state, visit, phase, ended.outcome)
        ? attempt(workflow, state, phase, visit)
        : {
            do: 'end',
            state: 'failed',
            reason: `${name} ${ended.outcome}, no retries left: ${said}`,
          };
    case 'advance':
      return attempt(workflow, state, phase, visit); // never reached: `completed` is handled above
    default:
      return consequence satisfies never;
  }
}

/** By its verdict or its checks; not by what the phase itself did to the branch. */
function foundGaps({ reasons }: NonNullable<Attempt['ended']>): boolean {
  const first = reasons.find(({ says }) => says !== 'yes');
  return first?.evidence === 'answer' || first?.evidence === 'checks';
}

function goBack(
  workflow: Workflow,
  state: RunState,
  phase: Phase,
  { goto, max }: { goto: string; max: number },
  said: string,
): Next {
  const target = workflow.phases.find(({ name }) => name === goto);
  const used = state.visits.filter(({ sentBackBy }) => sentBackBy === phase.id).length;
  if (target === undefined || used >= max) {
    return {
      do: 'end',
      state: 'failed',
      reason: `phase ${phase.id} ${phase.name} still finds gaps after going back ${used} times (max ${max}): ${said}`,
    };
  }
  return {
    do: 'enter',
    phase: target,
    because: `phase ${phase.id} ${phase.name} found gaps: ${said}`,
    sentBackBy: phase.id,
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
