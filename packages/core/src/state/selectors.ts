import type { Commit } from '../git/history.js';
import type { WorktreeState } from '../git/worktree-state.js';
import type { Attempt, RunState } from './fold.js';
import type { Outcome } from './records.js';

/** What is asked of a run's state in more than one place. Pure. */

export function allAttempts(state: RunState): Attempt[] {
  return state.visits.flatMap(({ attempts }) => attempts);
}

/** The attempt that was begun and has no verdict yet. */
export function openAttempt(state: RunState): Attempt | undefined {
  const last = state.visits.at(-1)?.attempts.at(-1);
  return last?.ended === undefined ? last : undefined;
}

/** The last attempt at a phase that came to this outcome. */
export function lastEnded(state: RunState, phase: number, outcome?: Outcome): Attempt['ended'] {
  return allAttempts(state).findLast(
    ({ phase: of, ended }) =>
      of === phase && ended !== undefined && (outcome === undefined || ended.outcome === outcome),
  )?.ended;
}

/** Why a phase was skipped when the run last came to it; undefined where it was not. */
export function whySkipped({ visits }: RunState, phase: number): string | undefined {
  return visits.findLast(({ phase: of }) => of === phase)?.skipped;
}

/** The commit that the run is at, as the journal has it: where its branch must be. */
export function currentHead(state: RunState, base: string): string {
  const visit = state.visits.at(-1);
  const measured = visit?.attempts.findLast(({ ended }) => ended?.head !== undefined)?.ended?.head;
  return measured ?? visit?.head ?? base;
}

/**
 * The commit that has what is protected as it was accepted last: where the last completed attempt left the run, else
 * the base. While a phase leaves changed what it may not change, nothing is accepted of any phase: a loop back to
 * another one would make its own what was rejected.
 */
export function acceptedCommit(state: RunState, base: string): string {
  const changing = new Set<number>();
  let accepted = base;
  for (const { phase, ended } of allAttempts(state)) {
    if (ended === undefined) continue;
    if (ended.protected === 'kept') changing.delete(phase);
    else if (ended.protected !== undefined) changing.add(phase);
    if (ended.outcome === 'completed' && changing.size === 0) accepted = ended.head ?? accepted;
  }
  return accepted;
}

/**
 * How the run's worktree was before the last attempts, all of reviews, after which nothing else has run there: what
 * one changed is not how the next one found it. A person who resumed the run may have worked there.
 */
export function stateBeforeReviews(state: RunState): WorktreeState | undefined {
  const current = state.visits.at(-1);
  if (current?.attempts.length === 0 && current.checksBefore !== undefined) return undefined;
  const since = allAttempts(state).slice(state.attemptsBeforeResume);
  const last = since.findLastIndex(
    ({ worktree, ended }) =>
      worktree === undefined || ended === undefined || ended.checks.length > 0,
  );
  return since[last + 1]?.worktree;
}

/** Every commit that the branch went through in attempts, in order, each once. */
export function allCommits(state: RunState): Commit[] {
  const commits = allAttempts(state).flatMap(({ ended }) => ended?.commits ?? []);
  return [...new Map(commits.map((commit) => [commit.hash, commit])).values()];
}
