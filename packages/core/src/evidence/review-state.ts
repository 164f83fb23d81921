import type { RunContext } from '../context.js';
import type { ChangedPaths, GitFacts } from '../git/measure.js';
import { type WorktreeState, changesBetween, worktreeState } from '../git/worktree-state.js';
import type { Attempt } from '../state/fold.js';
import { stateBeforeReviews } from '../state/selectors.js';
import { measureRun, runWorktree } from '../workspace.js';

/** How a review finds the run's worktree, in which it has nothing to do. */
export async function stateFound(context: RunContext): Promise<WorktreeState | undefined> {
  const before = stateBeforeReviews(context.log.state);
  return before ?? worktreeState(runWorktree(context), await measureRun(context, 'HEAD'));
}

/** In what the run's worktree is another than a review found it. */
export function changedByReview(
  context: RunContext,
  attempt: Attempt,
  git: GitFacts,
): ChangedPaths {
  const after = worktreeState(runWorktree(context), git);
  if (attempt.worktree === undefined || after === undefined)
    return { unknown: 'it could not be measured' };
  return changesBetween(attempt.worktree, after);
}
