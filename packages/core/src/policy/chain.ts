import { endOfRow } from '../limit/limit-end.js';
import type { Attempt, RunState, Visit } from '../state/fold.js';
import { allAttempts } from '../state/selectors.js';
import type { Outcome } from '../state/records.js';
import type { Phase } from '../workflow/workflow.js';

/** Outcomes that say nothing of the work: the next agent of a chain may be asked. */
const MOVES_ON: ReadonlySet<Outcome> = new Set<Outcome>(['rate-limited', 'auth', 'not-started']);

export function movesOn({ ended }: Attempt): boolean {
  return ended !== undefined && MOVES_ON.has(ended.outcome);
}

/**
 * The agents of a phase that may be asked now, in their order. Left out are those that, since a person last
 * resumed the run, have reached a limit that still holds, are not logged in, or could not be started; and
 * within one visit those that moved on for whatever reason since the run last waited, or two agents would pass a
 * phase to and fro.
 */
export function willing(phase: Phase, state: RunState, visit: Visit | undefined, now: number) {
  const sinceWait = allAttempts(state).slice(state.attemptsBeforeWaitOver);
  return phase.agents.filter((name) => {
    const last = lastSinceResume(state, name);
    if (last === undefined || !movesOn(last)) return true;
    if (visit?.attempts.includes(last) === true && sinceWait.includes(last)) return false;
    const end = limitEnd(state, name);
    return end !== undefined && end <= now;
  });
}

/** When the limit of an agent ends. Undefined: its last attempt reached none, or nobody knows and a person is to be asked. */
function limitEnd(state: RunState, name: string): number | undefined {
  const attempts = sinceResume(state, name);
  const other = attempts.findLastIndex(({ ended }) => ended?.outcome !== 'rate-limited');
  return endOfRow(
    attempts.slice(other + 1).map(({ startedAt, ended }) => ({
      at: Date.parse(startedAt) + (ended?.durationMs ?? 0), // not when it was judged: a reset may be seconds away
      ...(ended?.resetsAt !== undefined && { resetsAt: ended.resetsAt }),
    })),
  );
}

/** Why an agent is not asked now, in words; undefined where nothing is known of it since a person last resumed the run. */
export function whyMovedOn(state: RunState, name: string): string | undefined {
  const last = lastSinceResume(state, name);
  if (last === undefined || !movesOn(last)) return undefined;
  const { outcome, resetsAt } = last.ended ?? {};
  if (outcome === 'auth') return 'is not logged in';
  if (outcome === 'not-started') return 'could not be started';
  return `has reached its limit${resetsAt === undefined ? '' : ` until ${resetsAt}`}`;
}

/** What a phase waits for. */
export interface Obstacle {
  readonly for: 'reset' | 'login';
  /** When it ends; undefined where a person is to be asked. */
  readonly until?: string;
}

/** What agents of a phase that are not willing wait for. Undefined: none of them was stopped by a limit or a login. */
export function obstacle(unwilling: readonly string[], state: RunState): Obstacle | undefined {
  const last = unwilling.map((name) => lastSinceResume(state, name)?.ended?.outcome);
  if (last.includes('rate-limited')) {
    const ends = unwilling.flatMap((name) => limitEnd(state, name) ?? []);
    return { for: 'reset', ...earliest(ends) };
  }
  return last.includes('auth') ? { for: 'login' } : undefined;
}

/** What a phase waits for none of whose willing agents can begin: the limits of accounts that its preflight was told of count as well. */
export function obstacleFound(
  phase: Phase,
  candidates: readonly string[],
  state: RunState,
): Obstacle | undefined {
  const unwilling = phase.agents.filter((name) => !candidates.includes(name));
  const own = obstacle(unwilling, state);
  const told = state.lastPreflight?.limitedUntil;
  if (told === undefined) return own?.until === undefined ? undefined : own; // a login is a person's
  return { for: 'reset', ...earliest([told, own?.until ?? told].map((end) => Date.parse(end))) };
}

function earliest(ends: readonly number[]): { until?: string } {
  return ends.length === 0 ? {} : { until: new Date(Math.min(...ends)).toISOString() };
}

function lastSinceResume(state: RunState, name: string): Attempt | undefined {
  return sinceResume(state, name).at(-1);
}

function sinceResume(state: RunState, name: string): Attempt[] {
  const attempts = allAttempts(state).slice(state.attemptsBeforeResume);
  return attempts.filter(({ agent }) => agent === name);
}
