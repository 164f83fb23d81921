import path from 'node:path';
import {
  type CleanOptions,
  type CleanedRun,
  type Cleaning,
  type Shared,
  keptWhole,
} from './cleaning.js';
import { DevflowError } from '../errors.js';
import { endOrphans } from './end-orphans.js';
import { findRepository } from '../git/repository.js';
import { hidingPlaces } from '../git/hiding-places.js';
import { listWorktrees } from '../git/worktree-list.js';
import { cleanBranch } from './leftover-branch.js';
import { cleanRecord, cleanReviews, cleanWorktree } from './leftovers.js';
import { cleanGone, cleanRepository } from './clean-gone.js';
import { type Orphans, findOrphans, isStale } from './orphans.js';
import { type RunDefinition, readDefinition } from '../state/definition.js';
import { fold } from '../state/fold.js';
import { allAttempts } from '../state/selectors.js';
import { readJournalIfThere } from '../state/journal.js';
import { tryLock } from '../state/lock.js';
import { type RunPaths, runPaths } from '../state/paths.js';
import { type RunStatus, runIds, status } from '../status.js';

export type { CleanOptions, CleanedRun, SavedThing } from './cleaning.js';

/**
 * Removes what ended runs have left, what is left of runs that are gone, and processes of no attempt; and only
 * what is safe: a worktree in which git finds nothing uncommitted, a branch whose commits another branch has too,
 * and the run's own record once both are gone. By force the rest too, once it is saved: see `devflow salvage`.
 * A run that runs, waits or was interrupted is not touched, nor one that failed or was stopped unless it is named.
 * @throws DevflowError RUN_NOT_FOUND
 */
export async function clean(options: CleanOptions): Promise<CleanedRun[]> {
  const repository = await findRepository(options.cwd, options.env);
  const orphans = await findOrphans(repository, options.env);
  const listed = await listWorktrees(repository, options.env);
  const worktrees = new Map(listed.map((each) => [each.directory, each]));
  const shared: Shared = { repository, options, goneRefs: new Set(), worktrees, orphans };
  const here = runIds(repository.commonDir);
  const left = [...orphans.gone.map(({ id }) => id), ...orphans.processes.map(({ run }) => run)];
  const all = [...new Set([...here, ...left])];
  const cleaned: CleanedRun[] = [];
  for (const run of options.runs ?? all) {
    if (!all.includes(run))
      throw new DevflowError('RUN_NOT_FOUND', `there is no run "${run}" here`);
    cleaned.push(await (here.includes(run) ? cleanRun(run, shared) : cleanGone(run, shared)));
  }
  return options.runs === undefined ? [...cleaned, ...(await cleanRepository(shared))] : cleaned;
}

async function cleanRun(run: string, shared: Shared): Promise<CleanedRun> {
  const { repository, options, orphans } = shared;
  const paths = runPaths(repository.commonDir, run);
  const keepAll = (why: string) => keptWhole(run, why);
  let definition: RunDefinition;
  let seen: RunStatus;
  let hiding: string;
  try {
    definition = readDefinition(paths.definition, run);
    seen = await status(run, options);
    hiding = hidingBefore(shared, paths, definition);
  } catch (error) {
    return keepAll((error as Error).message); // what cannot be read is not judged to be safe
  }
  const hasProcesses = orphans.processes.some((each) => each.run === run);
  const notEnded = whyNotEnded(seen);
  if (notEnded !== undefined && !hasProcesses) return keepAll(notEnded);
  const wasStale = isStale(paths.lock);
  const lock = options.dryRun === true ? undefined : tryLock(paths.lock);
  if (lock !== undefined && 'heldBy' in lock) return keepAll(`process ${lock.heldBy.pid} holds it`);
  // Somebody may have taken it up before the lock was had, and have died since.
  if (
    lock !== undefined &&
    whyNotEnded(await status(run, options)) !== undefined &&
    notEnded === undefined
  ) {
    lock.release();
    return keepAll('it was taken up meanwhile');
  }
  const cleaning: Cleaning = { ...shared, definition, hiding, removed: [], saved: [], kept: [] };
  if (wasStale && notEnded === undefined) cleaning.removed.push(`stale lock ${paths.lock}`);
  try {
    await cleanHeld(cleaning, paths, seen, orphans);
  } catch (error) {
    cleaning.kept.push({ what: `run ${run}`, why: (error as Error).message, failed: true }); // the others are cleaned up all the same
  } finally {
    lock?.release();
  }
  return { run, removed: cleaning.removed, saved: cleaning.saved, kept: cleaning.kept };
}

async function cleanHeld(
  cleaning: Cleaning,
  paths: RunPaths,
  seen: RunStatus,
  orphans: Orphans,
): Promise<void> {
  const { kept, options, definition } = cleaning;
  const keep = (why: string) => kept.push({ what: `run ${definition.id}`, why });
  await endOrphans(cleaning, orphans);
  if (kept.length > 0) return void keep('processes of it are still there');
  const notEnded = whyNotEnded(seen);
  if (notEnded !== undefined) return void keep(notEnded);
  await cleanReviews(cleaning);
  if (seen.state !== 'completed' && options.runs === undefined)
    return void keep(`it is ${seen.state} and can be resumed; name it to clean it up all the same`);
  await cleanWorktree(cleaning);
  await cleanBranch(cleaning);
  cleanRecord(cleaning, paths);
}

/** What git was told not to show before any agent could tell it. */
function hidingBefore(
  { repository }: Shared,
  { journal }: RunPaths,
  { worktrees, id }: RunDefinition,
): string {
  const [first] = allAttempts(fold(readJournalIfThere(journal).records));
  return first?.hiding ?? hidingPlaces(repository, path.join(worktrees, id));
}

/** Whoever may still go on with a run needs all that it has. */
function whyNotEnded({ id, state, reason }: RunStatus): string | undefined {
  if (state === 'completed' || state === 'failed' || state === 'stopped') return undefined;
  return `it is ${state}: ${reason}; \`devflow stop ${id}\` ends it`;
}
