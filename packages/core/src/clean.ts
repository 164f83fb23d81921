import { DevflowError } from './errors.js';
import { findRepository } from './git/repository.js';
import { listWorktrees } from './git/worktree-list.js';
import {
  type CleanOptions,
  type Cleaning,
  cleanBranch,
  cleanRecord,
  cleanReviews,
  cleanWorktree,
} from './leftovers.js';
import { type RunDefinition, readDefinition } from './state/definition.js';
import { tryLock } from './state/lock.js';
import { runPaths } from './state/paths.js';
import { type RunStatus, runIds, status } from './status.js';

export type { CleanOptions } from './leftovers.js';

/** What became of one run's things. */
export interface CleanedRun {
  readonly run: string;
  readonly removed: readonly string[];
  /** Everything that stays, with the reason. */
  readonly kept: readonly { readonly what: string; readonly why: string }[];
}

/**
 * Removes what ended runs have left, and only what is safe: a worktree in which git finds nothing
 * uncommitted, a branch whose commits another branch has too, and the run's own record once both are gone.
 * A run that runs, waits or was interrupted is not touched, nor one that failed or was stopped unless it is named.
 * @throws DevflowError RUN_NOT_FOUND
 */
export async function clean(options: CleanOptions): Promise<CleanedRun[]> {
  const repository = await findRepository(options.cwd, options.env);
  const shared = {
    repository,
    options,
    goneRefs: new Set<string>(),
    worktrees: await listWorktrees(repository, options.env),
  };
  const cleaned: CleanedRun[] = [];
  const all = runIds(repository.commonDir);
  for (const run of options.runs ?? all) {
    if (!all.includes(run))
      throw new DevflowError('RUN_NOT_FOUND', `there is no run "${run}" here`);
    cleaned.push(await cleanRun(run, shared));
  }
  return cleaned;
}

async function cleanRun(
  run: string,
  shared: Omit<Cleaning, 'definition' | 'removed' | 'kept'>,
): Promise<CleanedRun> {
  const { repository, options } = shared;
  const paths = runPaths(repository.commonDir, run);
  const keepAll = (why: string) => ({ run, removed: [], kept: [{ what: `run ${run}`, why }] });
  let definition: RunDefinition;
  let seen: RunStatus;
  try {
    definition = readDefinition(paths.definition, run);
    seen = await status(run, options);
  } catch (error) {
    return keepAll((error as Error).message); // what cannot be read is not judged to be safe
  }
  if (!hasEnded(seen)) return keepAll(`it is ${seen.state}: ${seen.reason}`);
  if (seen.state !== 'completed' && options.runs === undefined)
    return keepAll(`it is ${seen.state} and can be resumed; name it to clean it up all the same`);
  const lock = options.dryRun === true ? undefined : tryLock(paths.lock);
  if (lock !== undefined && 'heldBy' in lock) return keepAll(`process ${lock.heldBy.pid} holds it`);
  const cleaning: Cleaning = { ...shared, definition, removed: [], kept: [] };
  try {
    await cleanReviews(cleaning);
    await cleanWorktree(cleaning);
    await cleanBranch(cleaning);
    cleanRecord(cleaning, paths);
  } catch (error) {
    cleaning.kept.push({ what: `run ${run}`, why: (error as Error).message }); // the others are cleaned up all the same
  } finally {
    lock?.release();
  }
  return { run, removed: cleaning.removed, kept: cleaning.kept };
}

function hasEnded({ state }: RunStatus): boolean {
  return state === 'completed' || state === 'failed' || state === 'stopped';
}
