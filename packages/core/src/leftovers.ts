import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type BranchFacts, deleteBranch, readBranch } from './git/branch.js';
import { measureWorktree } from './git/measure.js';
import { type Repository, realPath } from './git/repository.js';
import { effect } from './process/effect.js';
import { reviewPrefix } from './workspace.js';
import { removeCleanWorktree, removeWorktree } from './git/worktree.js';
import type { CommonOptions } from './hold.js';
import { removeIfEmpty } from './state/files.js';
import type { RunDefinition } from './state/definition.js';
import type { RunPaths } from './state/paths.js';

export interface CleanOptions extends CommonOptions {
  /** Only say what would be removed. */
  readonly dryRun?: boolean;
  /** Only these; a run that could be resumed is cleaned up only where it is named. */
  readonly runs?: readonly string[];
}

/** The run that is being cleaned up, and what is decided so far. */
export interface Cleaning {
  readonly repository: Repository;
  readonly definition: RunDefinition;
  readonly options: CleanOptions;
  /** Refs that this call has removed, or would remove: they keep no commits. */
  readonly goneRefs: Set<string>;
  /** All worktrees that git knows here. */
  readonly worktrees: ReadonlySet<string>;
  readonly removed: string[];
  readonly kept: { what: string; why: string }[];
}

/** Checkouts of reviews are disposable: only a crash leaves one. */
export async function cleanReviews({
  repository,
  definition,
  options,
  worktrees,
  ...to
}: Cleaning): Promise<void> {
  const { id } = definition;
  const place = realPath(definition.worktrees); // as git lists them
  const there = existsSync(place) ? readdirSync(place).map((name) => path.join(place, name)) : [];
  const prefix = path.join(place, reviewPrefix(id));
  // Of one whose directory is gone git's entry is left.
  for (const directory of new Set([...there, ...worktrees])) {
    if (!directory.startsWith(prefix)) continue;
    const what = `review worktree ${directory}`;
    if (!worktrees.has(directory)) {
      to.kept.push({ what, why: 'git does not know it as a worktree of this repository' });
      continue;
    }
    const why =
      options.dryRun === true
        ? undefined
        : await removeWorktree(repository, directory, options.env);
    if (why === undefined) to.removed.push(what);
    else to.kept.push({ what, why });
  }
}

export async function cleanWorktree(cleaning: Cleaning): Promise<void> {
  const { repository, definition, options, worktrees, removed, kept } = cleaning;
  const directory = worktreeOf(definition);
  const what = `worktree ${directory}`;
  if (!worktrees.has(directory)) {
    if (existsSync(directory))
      kept.push({ what, why: 'git does not know it as a worktree of this repository' });
    return;
  }
  const why = existsSync(directory) ? await whyKeep(cleaning, directory) : undefined;
  if (why !== undefined) {
    kept.push({ what, why });
    return;
  }
  if (options.dryRun !== true) {
    const refusal = await removeCleanWorktree(repository, directory, options.env);
    if (refusal !== undefined && existsSync(directory)) {
      kept.push({ what, why: refusal });
      return;
    }
    // It was gone, now or already: then at most git's entry is left, and that goes too.
    if (refusal !== undefined) await removeWorktree(repository, directory, options.env);
    effect('worktree.place', () => removeIfEmpty(definition.worktrees));
  }
  removed.push(what);
}

/** As git lists it: without symbolic links above. */
function worktreeOf({ worktrees, id }: RunDefinition): string {
  return path.join(realPath(worktrees), id);
}

async function whyKeep(
  { definition, options }: Cleaning,
  directory: string,
): Promise<string | undefined> {
  const { branch, uncommitted, errors } = await measureWorktree(
    directory,
    definition.base.commit,
    options.env,
  );
  if (uncommitted === undefined) return `git could not be asked: ${errors.join('; ')}`;
  if (uncommitted.length > 0)
    return `not committed there: ${uncommitted.slice(0, 3).join(', ')}${uncommitted.length > 3 ? ` and ${uncommitted.length - 3} more` : ''}`;
  if (branch !== definition.branch)
    return `it is on ${branch ?? 'no branch'}, not on the run's ${definition.branch}`;
  return undefined;
}

export async function cleanBranch(cleaning: Cleaning): Promise<void> {
  const { repository, definition, options, goneRefs, removed, kept } = cleaning;
  const { branch } = definition;
  const what = `branch ${branch}`;
  const facts = await readBranch(repository.root, branch, options.env);
  if (facts !== undefined) {
    const why = branchNeeded(facts, cleaning);
    if (why !== undefined) {
      kept.push({ what, why });
      return;
    }
    if (options.dryRun !== true) await deleteBranch(repository, branch, options.env);
    goneRefs.add(`refs/heads/${branch}`);
    removed.push(what);
  }
  if (options.dryRun !== true) removeRefDirectory(repository, branch);
}

/** Deleting the only name of a commit loses it. */
function branchNeeded(
  { containedIn, checkedOutAt }: BranchFacts,
  { definition, kept, options, goneRefs }: Cleaning,
): string | undefined {
  const worktree = worktreeOf(definition);
  const willBeGone =
    options.dryRun === true && kept.every(({ what }) => what !== `worktree ${worktree}`);
  if (checkedOutAt !== undefined && !(willBeGone && checkedOutAt === worktree))
    return `it is checked out at ${checkedOutAt}`;
  const keepers = containedIn.filter(
    (ref) => !goneRefs.has(ref) && !isBranchOfRun(ref, definition),
  );
  if (keepers.length > 0) return undefined;
  return 'no other branch has its commits; merge it, or delete it by `git branch -D`';
}

/** Another run's branch keeps nothing: it may be the next to go. */
function isBranchOfRun(ref: string, { workflow }: RunDefinition): boolean {
  return ref.startsWith(`refs/heads/${workflow.branchPrefix}/`) && ref.endsWith('/work');
}

/** The file that kept git from removing the empty directory, and the directory. */
function removeRefDirectory({ commonDir }: Repository, branch: string): void {
  const directory = path.join(commonDir, 'refs', 'heads', path.dirname(branch));
  const others = existsSync(directory)
    ? readdirSync(directory).filter((name) => name !== '.keep')
    : [];
  if (others.length > 0) return;
  effect('branch.remove-directory', () => {
    rmSync(path.join(directory, '.keep'), { force: true });
    removeIfEmpty(directory);
    removeIfEmpty(path.dirname(directory));
  });
}

/** The record goes last: while anything else of the run is left, it says what that is. */
export function cleanRecord(
  { definition, options, removed, kept }: Cleaning,
  paths: RunPaths,
): void {
  const what = `record ${paths.directory}`;
  if (kept.length > 0) {
    kept.push({ what, why: 'something of the run is left, and this says what it is' });
    return;
  }
  if (options.dryRun !== true)
    effect('record.remove', () => rmSync(paths.directory, { recursive: true, force: true }));
  removed.push(`record of the run ${definition.id}`);
}
