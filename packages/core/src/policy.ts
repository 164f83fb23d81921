import { overBudget } from './budget.js';
import { movesOn, obstacle, willing } from './chain.js';
import { type Attempt, type RunState, type Visit, allAttempts } from './state/fold.js';
import type { Outcome } from './state/records.js';
import type { Phase, Workflow } from './workflow/workflow.js';

/** What an outcome leads to. `go-back` is a retry where the phase names nowhere to go back to; `move-on` asks the next agent of the phase, and waits where there is none. */
export type Consequence = 'advance' | 'retry' | 'go-back' | 'move-on' | 'fail' | 'stop';

export const CONSEQUENCES: Readonly<Record<Outcome, Consequence>> = {
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
};

/** Outcomes of a turn that stopped early: the session is continued where the agent can. */
export const UNFINISHED: ReadonlySet<Outcome> = new Set<Outcome>([
  'incomplete',
  'timed-out',
  'idle',
  'crashed',
  'rate-limited',
  'auth',
  'over-budget',
  'stopped',
]);

/** Their cause is the work, which no time mends: the next attempt begins at once. */
const NOT_DELAYED: ReadonlySet<Outcome> = new Set<Outcome>(['rejected', 'no-change']);
/** The longest time before a further attempt, in milliseconds. */
const DELAY_CAP_MS = 5 * 60_000;

export type Step =
  | {
      readonly do: 'enter';
      readonly phase: Phase;
      readonly because: string;
      readonly sentBackBy?: number;
      /** The agents that may be asked, in this order. */
      readonly candidates: readonly string[];
    }
  | {
      readonly do: 'attempt';
      readonly phase: Phase;
      readonly visit: Visit;
      readonly number: number;
      /** The agents that may be asked, in this order. */
      readonly candidates: readonly string[];
    }
  | {
      readonly do: 'adopt';
      readonly phase: Phase;
      readonly visit: Visit;
      readonly attempt: Attempt;
    }
  | {
      readonly do: 'wait';
      readonly for: 'reset' | 'login';
      readonly reason: string;
      readonly until?: string;
    }
  | {
      /** Before a further attempt. */
      readonly do: 'pause';
      readonly phase: Phase;
      /** In milliseconds; never longer than the delay itself, whatever the clock says. */
      readonly ms: number;
      /** When it is due, in milliseconds: as if it had come, once the pause is over. */
      readonly due: number;
    }
  | {
      readonly do: 'end';
      readonly state: 'completed' | 'failed' | 'stopped';
      readonly reason: string;
      /** Is a budget the cause? Then more may be allowed when the run is resumed. */
      readonly overBudget?: true;
    };

/** The part of the workflow that a run goes through, by ids of phases, both included. */
export interface PhaseRange {
  readonly first: number;
  readonly last: number;
}

/** The next step of a run. Pure: the journal's state in, what to do out. @param now in milliseconds: a limit may be over */
export function decide(workflow: Workflow, range: PhaseRange, state: RunState, now: number): Step {
  const step = nextStep(workflow, range, state);
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

/** A step whose agents are not chosen yet. */
type Next =
  | Exclude<Step, { do: 'enter' | 'attempt' }>
  | Omit<Extract<Step, { do: 'enter' }>, 'candidates'>
  | Omit<Extract<Step, { do: 'attempt' }>, 'candidates'>;

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
  const last = visit.attempts.at(-1);
  if (last === undefined) return attempt(workflow, state, phase, visit);
  if (last.ended === undefined) return { do: 'adopt', phase, visit, attempt: last };
  const { outcome } = last.ended;
  if (outcome === 'completed') return advance(workflow.phases[index + 1], range, phase);
  // Resumed by a person after this attempt: it is tried anew, whatever it came to. Or the next agent is asked.
  if (saysNothing(last) || allAttempts(state).length === state.attemptsBeforeResume)
    return attempt(workflow, state, phase, visit);
  return afterSetback(workflow, state, phase, visit, last.ended);
}

function advance(next: Phase | undefined, range: PhaseRange, done: Phase): Next {
  if (done.id >= range.last) {
    const all =
      next === undefined
        ? 'all phases are complete'
        : `complete up to phase ${done.id} ${done.name}, as asked`;
    return { do: 'end', state: 'completed', reason: all };
  }
  if (next === undefined)
    return {
      do: 'end',
      state: 'failed',
      reason: `there is no phase after ${done.id} ${done.name}`,
    };
  return { do: 'enter', phase: next, because: `phase ${done.id} ${done.name} is complete` };
}

function afterSetback(
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
function attempt(workflow: Workflow, state: RunState, phase: Phase, visit: Visit): Next {
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

/** In all, or of this outcome, in this visit since a person last resumed the run. */
function hasRetries(state: RunState, visit: Visit, { retries }: Phase, outcome: Outcome): boolean {
  const tries = triesSinceResume(state, visit);
  if (typeof retries === 'number') return tries.length <= retries;
  const counts: Partial<Record<Outcome, number | undefined>> = retries;
  return tries.filter(({ ended }) => ended?.outcome === outcome).length <= (counts[outcome] ?? 1);
}

/** The attempts that say something of the work. */
function triesSinceResume(state: RunState, visit: Visit): Attempt[] {
  const before = allAttempts(state).length - visit.attempts.length;
  const since = visit.attempts.slice(Math.max(0, state.attemptsBeforeResume - before));
  return since.filter((tried) => !saysNothing(tried));
}

/** It came to an end that says nothing of the work. */
function saysNothing(tried: Attempt): boolean {
  return movesOn(tried) || tried.ended?.unwatched === true;
}

/** What is left of the delay of a further attempt: longer each time that the outcome is the same. Undefined where it is due. */
function pauseBefore(
  { phase, visit }: { readonly phase: Phase; readonly visit: Visit },
  state: RunState,
  now: number,
): { readonly ms: number; readonly due: number } | undefined {
  const tries = triesSinceResume(state, visit).map(({ ended }) => ended);
  const last = tries.at(-1);
  if (last === undefined || last !== visit.attempts.at(-1)?.ended) return undefined;
  if (NOT_DELAYED.has(last.outcome)) return undefined;
  const row = tries.length - 1 - tries.findLastIndex((tried) => tried?.outcome !== last.outcome);
  const delay = Math.min(phase.retryDelayMs * 2 ** (row - 1), DELAY_CAP_MS);
  const due = Date.parse(last.at) + delay;
  const ms = Math.min(due - now, delay); // a clock that was set back adds nothing
  return ms > 0 ? { ms, due } : undefined;
}
