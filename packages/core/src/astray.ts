import type { Problem } from './adapter/index.js';
import type { RunContext } from './context.js';
import { isWorktreeOf } from './git/worktree.js';
import { checkRepository } from './preflight/repository.js';
import { isAlive } from './process/identity.js';
import { processTree } from './process/tree.js';
import { readClaim } from './process/wrapper.js';
import type { Attempt } from './state/fold.js';
import { sweep } from './sweep.js';
import { runWorktree } from './workspace.js';

/** What somebody did to the run's worktree or branch while no devflow looked. */
const ASTRAY = new Set(['WORKTREE_MISSING', 'WORKTREE_BRANCH_CHANGED', 'BRANCH_MOVED']);

/**
 * What a person must put back before an attempt that is taken up can be judged, or launched. Judged as it is,
 * it would be tried again and paid for again, although its work may be whole.
 */
export async function whyAstray(context: RunContext): Promise<readonly Problem[]> {
  context.measured.facts = undefined;
  const { problems } = await checkRepository(context);
  return problems.filter(({ code }) => ASTRAY.has(code));
}

/** The same before the attempt is taken up: an agent that lives and has its worktree is left to work. */
export async function whyNotAdopted(
  context: RunContext,
  attempt: Attempt,
): Promise<readonly Problem[]> {
  const { directory, token, cgroup } = attempt;
  const claim = readClaim(directory);
  const leader = claim === 'lost' ? undefined : claim;
  const lives = leader !== undefined && isAlive(leader);
  if (lives && isWorktreeOf(context.repository, runWorktree(context))) return [];
  const problems = await whyAstray(context);
  if (problems.length > 0) await sweep(context, processTree(leader, token, cgroup), attempt); // nothing works where nobody can judge it
  return problems;
}
