import type { Problem } from './adapter/index.js';
import type { RunContext } from './context.js';
import { isWorktreeOf } from './git/worktree.js';
import { checkRepository } from './preflight/repository.js';
import { isAlive } from './process/identity.js';
import { processTree } from './process/tree.js';
import { readClaim } from './process/wrapper.js';
import type { Attempt } from './state/fold.js';
import { allAttempts, currentHead } from './state/selectors.js';
import { sweep } from './sweep.js';
import { runWorktree } from './workspace.js';

/** What somebody did to the run's worktree or branch while no devflow looked. */
const ASTRAY = new Set(['WORKTREE_MISSING', 'WORKTREE_BRANCH_CHANGED', 'BRANCH_MOVED']);

/**
 * What a person must put back before an attempt that is taken up can be judged, or launched. Judged as it is,
 * it would be tried again and paid for again, although its work may be whole.
 */
export async function whyAstray(context: RunContext): Promise<readonly Problem[]> {
  return (await lookAgain(context)).astray;
}

async function lookAgain(context: RunContext) {
  context.measured.facts = undefined;
  const { problems, head } = await checkRepository(context);
  return { astray: problems.filter(({ code }) => ASTRAY.has(code)), head };
}

/**
 * The same before a run is completed, where somebody had time for it: a person was asked since the last attempt, or
 * another devflow judged that. What is called complete is what was judged.
 */
export async function whyNotAsJudged(context: RunContext): Promise<readonly Problem[]> {
  const { state } = context.log;
  const last = state.gates.at(-1);
  const wasAsked = last?.attempts === allAttempts(state).length;
  if (state.worktree?.stage !== 'ready') return [];
  if (wasAsked && last.kind === 'preflight' && last.decided?.decision === 'approve') return []; // of this
  if (!wasAsked && context.measured.facts !== undefined) return [];
  const { astray, head } = await lookAgain(context);
  const judged = currentHead(state, context.definition.base.commit);
  if (astray.length > 0 || head === undefined || head === judged) return astray;
  return [hasMore(context.definition.branch, judged)];
}

function hasMore(branch: string, judged: string): Problem {
  return {
    code: 'BRANCH_MOVED',
    message: `${branch} has commits that came after all was judged`,
    hint: `See them (\`git log ${judged.slice(0, 10)}..${branch}\`); approve to have them in it, or put the branch back and resume.`,
  };
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
