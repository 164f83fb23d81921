import { type Attempt, type RunState, type Visit, allAttempts } from './state/fold.js';
import type { Outcome } from './state/records.js';
import type { Phase } from './workflow/workflow.js';

/** Outcomes that say nothing of the work: the next agent of a chain may be asked. */
const MOVES_ON: ReadonlySet<Outcome> = new Set<Outcome>(['rate-limited', 'auth', 'not-started']);

export function movesOn({ ended }: Attempt): boolean {
  return ended !== undefined && MOVES_ON.has(ended.outcome);
}

/**
 * The agents of a phase that may be asked now, in their order. Left out are those that, since a person last
 * resumed the run, have reached a limit that still holds, are not logged in, or could not be started; and
 * within one visit those that moved on for whatever reason, or two agents would pass a phase to and fro.
 */
export function willing(phase: Phase, state: RunState, visit: Visit | undefined, now: number) {
  return phase.agents.filter((name) => {
    const last = lastSinceResume(state, name);
    if (last === undefined || !movesOn(last)) return true;
    if (visit?.attempts.includes(last) === true) return false;
    const { resetsAt } = last.ended ?? {};
    return resetsAt !== undefined && Date.parse(resetsAt) <= now;
  });
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

/** What the agents of a phase wait for, where none of them is willing. Undefined: none could be started. */
export function obstacle(
  phase: Phase,
  state: RunState,
): { readonly for: 'reset' | 'login'; readonly until?: string } | undefined {
  const last = phase.agents.map((name) => lastSinceResume(state, name)?.ended);
  const limited = last.filter((ended) => ended?.outcome === 'rate-limited');
  if (limited.length > 0) {
    const resets = limited.flatMap((ended) => ended?.resetsAt ?? []);
    const [until] = resets.toSorted((a, b) => Date.parse(a) - Date.parse(b));
    return { for: 'reset', ...(until !== undefined && { until }) };
  }
  return last.some((ended) => ended?.outcome === 'auth') ? { for: 'login' } : undefined;
}

function lastSinceResume(state: RunState, name: string): Attempt | undefined {
  const attempts = allAttempts(state).slice(state.attemptsBeforeResume);
  return attempts.findLast(({ agent }) => agent === name);
}
