import { overBudget } from '../budget/budget.js';
import { obstacle, willing } from './chain.js';
import { asked, skippedText } from './conditions.js';
import { afterCompletion, atLastGate, gated } from '../gate/gates.js';
import { pauseBefore, saysNothing } from './retry.js';
import { afterSetback, attempt } from './setback.js';
import type { RunState, Visit } from '../state/fold.js';
import { allAttempts, whySkipped } from '../state/selectors.js';
import type { Next, PhaseRange, Step } from './step.js';
import type { Phase, Workflow } from '../workflow/workflow.js';

/** The next step of a run. Pure: the journal's state in, what to do out. @param now in milliseconds: a limit may be over */
export function decide(workflow: Workflow, range: PhaseRange, state: RunState, now: number): Step {
  const step =
    atLastGate(state) ?? whereGatesLead(workflow, range, state, nextStep(workflow, range, state));
  if (step.do !== 'enter' && step.do !== 'attempt') return step;
  const reason = overBudget(workflow, step.phase, state);
  if (reason !== undefined) return { do: 'end', state: 'failed', reason, overBudget: true };
  const pause = step.do === 'attempt' ? pauseBefore(step, state, now) : undefined;
  if (pause !== undefined) return { do: 'pause', phase: step.phase, ...pause };
  const visit = step.do === 'attempt' ? step.visit : undefined;
  const candidates = willing(step.phase, state, visit, now);
  if (candidates.length > 0 || step.phase.agents.length === 0) return { ...step, candidates };
  return nobodyWilling(step.phase, state, visit);
}

/** First whether a phase is done at all, then its gate. A person may send the run back to before another one. */
function whereGatesLead(workflow: Workflow, range: PhaseRange, state: RunState, next: Next): Next {
  const question = asked(state, next);
  if (question !== next) return question;
  const then = gated(workflow, range, state, next);
  return then === next ? next : whereGatesLead(workflow, range, state, then);
}

function nextStep(workflow: Workflow, range: PhaseRange, state: RunState): Next {
  const visit = state.visits.at(-1);
  if (visit === undefined) {
    const first = workflow.phases.find(({ id }) => id >= range.first);
    if (first === undefined)
      return { do: 'end', state: 'failed', reason: `there is no phase ${range.first}` };
    return { do: 'enter', phase: first, because: 'it is the first phase' };
  }
  const index = workflow.phases.findIndex(({ id }) => id === visit.phase);
  const phase = workflow.phases[index];
  if (phase === undefined)
    return { do: 'end', state: 'failed', reason: `the workflow has no phase ${visit.phase}` };
  const onward = () => advance(workflow, range, state, index);
  if (visit.skipped !== undefined) return onward();
  const last = visit.attempts.at(-1);
  if (last === undefined) return attempt(workflow, state, phase, visit);
  if (last.ended === undefined) return { do: 'adopt', phase, visit, attempt: last };
  const { outcome } = last.ended;
  if (outcome === 'completed') return afterCompletion(workflow, range, state, phase, onward);
  // Resumed by a person after this attempt: it is tried anew, whatever it came to. Or the next agent is asked.
  if (saysNothing(last) || allAttempts(state).length === state.attemptsBeforeResume)
    return attempt(workflow, state, phase, visit);
  return afterSetback(workflow, state, phase, visit, last.ended);
}

/** Behind a phase that is complete, or was skipped. */
function advance({ phases }: Workflow, range: PhaseRange, state: RunState, index: number): Next {
  const { id = 0, name = '' } = phases[index] ?? {};
  const next = phases[index + 1];
  if (id >= range.last) {
    const all =
      next === undefined
        ? 'all phases are complete'
        : `complete up to phase ${id} ${name}, as asked`;
    const skipped = skippedText(state, phases);
    const but = skipped === '' ? '' : `, but for those that were skipped: ${skipped}`;
    return { do: 'end', state: 'completed', reason: `${all}${but}` };
  }
  if (next === undefined)
    return { do: 'end', state: 'failed', reason: `there is no phase after ${id} ${name}` };
  const what = whySkipped(state, id) === undefined ? 'is complete' : 'was skipped';
  return { do: 'enter', phase: next, because: `phase ${id} ${name} ${what}` };
}

const ASKED_ENOUGH = 'it was asked again for 24 hours, from here on a person must say so';

/** Every agent of the phase has reached its limit, is not logged in, or could not be started. */
function nobodyWilling(phase: Phase, state: RunState, visit: Visit | undefined): Step {
  const name = `phase ${phase.id} ${phase.name}`;
  const ended = visit?.attempts.at(-1)?.ended;
  const said = ended?.reasons.find(({ says }) => says !== 'yes')?.text;
  const reason = `${name}: ${said ?? 'no agent of it can be asked now'}`;
  const what = obstacle(phase.agents, state);
  if (what?.for === 'reset' && what.until === undefined)
    return { do: 'wait', reason: `${reason}; nobody knows until when: ${ASKED_ENOUGH}`, ...what };
  if (what !== undefined) return { do: 'wait', reason, ...what };
  return {
    do: 'end',
    state: 'failed',
    reason: `${name} ${ended?.outcome ?? 'not-started'}: ${said ?? 'no agent'}`,
  };
}
