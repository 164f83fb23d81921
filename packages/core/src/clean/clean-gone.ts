import { existsSync } from 'node:fs';
import path from 'node:path';
import { type CleanedRun, type Cleaning, type Shared, keptWhole } from './cleaning.js';
import { endOrphans } from './end-orphans.js';
import { withRepositoryLock } from '../git/repository-lock.js';
import { cleanBranch } from './leftover-branch.js';
import { cleanReviews, cleanWorktree } from './leftovers.js';
import type { GoneRun } from './orphans.js';
import type { Lock } from '../state/lock.js';
import { type RunPaths, runPaths } from '../state/paths.js';
import { removeRun, takeNewRun, takeRun } from '../state/take.js';

/** What is left of a run without a record. Its name is taken meanwhile, so that nobody begins a run by it. */
export async function cleanGone(run: string, shared: Shared): Promise<CleanedRun> {
  const { repository, options, orphans } = shared;
  const paths = runPaths(repository.commonDir, run);
  const nothing = { id: run, worktrees: [], branches: [], directory: undefined };
  const gone = orphans.gone.find(({ id }) => id === run) ?? nothing;
  const cleaned: Pick<Cleaning, 'removed' | 'saved' | 'kept'> = {
    removed: [],
    saved: [],
    kept: [],
  };
  let lock: Lock | undefined;
  try {
    lock = options.dryRun === true ? undefined : takeGone(paths, run);
  } catch (error) {
    return keptWhole(run, (error as Error).message); // somebody begins just that run
  }
  try {
    await cleanAll(gone, { ...shared, ...cleaned });
  } catch (error) {
    cleaned.kept.push({ what: `run ${run}`, why: (error as Error).message, failed: true });
  } finally {
    removeDirectory(gone, paths, lock, cleaned);
  }
  return { run, ...cleaned };
}

/** A journal without a definition keeps others from beginning a run of that name; its lock does, where there is none. */
function takeGone(paths: RunPaths, run: string): Lock {
  const isOnlyJournal = existsSync(paths.journal) && !existsSync(paths.definition);
  return isOnlyJournal ? takeRun(paths, run) : takeNewRun(paths, run);
}

/** The directory was made only for the lock, or is what was left: a journal stays while anything else of the run does. */
function removeDirectory(
  { id, directory }: GoneRun,
  paths: RunPaths,
  lock: Lock | undefined,
  { removed, kept }: Pick<Cleaning, 'removed' | 'kept'>,
): void {
  const hasJournal = existsSync(paths.journal);
  if (hasJournal && kept.length > 0) {
    kept.push({ what: `record ${paths.directory}`, why: 'something of the run is left' });
    lock?.release();
    return;
  }
  if (lock !== undefined) removeRun(paths, lock);
  if (directory === undefined) return;
  if (lock !== undefined && existsSync(directory))
    kept.push({ what: `directory ${directory}`, why: 'it cannot be removed', failed: true });
  else removed.push(hasJournal ? `record of the run ${id}` : `what a start left: ${directory}`);
}

async function cleanAll(
  { id, worktrees, branches }: GoneRun,
  shared: Omit<Cleaning, 'definition' | 'hiding'> & Shared,
): Promise<void> {
  const [branch = `devflow/${id}/work`, ...others] = branches;
  const places = [...new Set(worktrees.map((directory) => path.dirname(directory)))];
  const cleaning = (place: string, of: string): Cleaning => ({
    ...shared,
    hiding: undefined,
    worktrees: new Map([...shared.worktrees].filter(([each]) => worktrees.includes(each))), // only those that devflow made
    definition: { id, branch: of, worktrees: place },
  });
  const first = cleaning(places[0] ?? '/', branch);
  await endOrphans(first, shared.orphans);
  if (shared.kept.length > 0) return; // its processes are still there
  for (const place of places) {
    await cleanReviews(cleaning(place, branch));
    await cleanWorktree(cleaning(place, branch));
  }
  for (const each of [branch, ...others])
    await cleanBranch({ ...first, definition: { ...first.definition, branch: each } });
}

/** What belongs to no run. */
export async function cleanRepository({
  repository,
  options,
  orphans,
}: Shared): Promise<CleanedRun[]> {
  const { lock, strangers } = orphans;
  // Whoever takes it from the dead gives it back.
  if (lock !== undefined && options.dryRun !== true)
    await withRepositoryLock(repository.commonDir, async () => undefined);
  const removed = lock === undefined ? [] : [`stale lock ${lock}`];
  const why = 'no run has it, and git does not know it: look at it, and remove it by hand';
  const kept = strangers.map((directory) => ({ what: `directory ${directory}`, why }));
  const isEmpty = removed.length + kept.length === 0;
  return isEmpty ? [] : [{ run: undefined, removed, saved: [], kept }];
}
