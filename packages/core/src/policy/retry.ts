import { movesOn } from './chain.js';
import type { Attempt, RunState, Visit } from '../state/fold.js';
import { allAttempts } from '../state/selectors.js';
import type { Outcome } from '../state/records.js';
import type { Phase } from '../workflow/workflow.js';

/** Their cause is the work, which no time mends: the next attempt begins at once. */
const NOT_DELAYED: ReadonlySet<Outcome> = new Set<Outcome>(['rejected', 'no-change']);
/** The longest time before a further attempt, in milliseconds. */
const DELAY_CAP_MS = 5 * 60_000;

/** In all, or of this outcome, in this visit since a person last resumed the run. */
export function hasRetries(
  state: RunState,
  visit: Visit,
  { retries }: Phase,
  outcome: Outcome,
): boolean {
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
export function saysNothing(tried: Attempt): boolean {
  return movesOn(tried) || tried.ended?.unwatched === true;
}

/** What is left of the delay of a further attempt: longer each time that the outcome is the same. Undefined where it is due. */
export function pauseBefore(
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
