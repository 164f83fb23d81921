import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Cleaning, SavedThing } from './cleaning.js';
import { type BranchFacts, deleteBranch, readBranch } from './git/branch.js';
import { measureWorktree, untrackedFiles } from './git/measure.js';
import { type Repository, realPath } from './git/repository.js';
import { type Salvaged, saveCommit, saveWorktree } from './git/salvage.js';
import type { Ignoring } from './git/snapshot.js';
import { effect } from './process/effect.js';
import type { ListedWorktree } from './git/worktree-list.js';
import { isReviewOf } from './workspace.js';
import { hidingPlaces, isWorktreeOf, removeCleanWorktree, removeWorktree } from './git/worktree.js';
import { removeIfEmpty } from './state/files.js';
import type { RunPaths } from './state/paths.js';

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
  // Of one whose directory is gone git's entry is left.
  for (const directory of new Set([...there, ...worktrees.keys()])) {
    if (path.dirname(directory) !== place || !isReviewOf(id, path.basename(directory))) continue;
    const what = `review worktree ${directory}`;
    const listed = worktrees.get(directory);
    const notOurs = listed === undefined ? UNKNOWN_TO_GIT : whyNotReview(id, listed);
    if (notOurs !== undefined) {
      to.kept.push({ what, why: notOurs });
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

/** A name alone says nothing: the user's own worktree may have it. What devflow made is locked by its words. */
function whyNotReview(id: string, { directory, reason }: ListedWorktree): string | undefined {
  const isNamed = /^\d+-\d+$/.test(path.basename(directory).slice(`${id}.review-`.length));
  if (isNamed && reason === `devflow run ${id}, review`) return undefined;
  return 'devflow did not make it, or it is locked no more: look at it, and remove it by hand';
}

const UNKNOWN_TO_GIT = 'git does not know it as a worktree of this repository';

export async function cleanWorktree(cleaning: Cleaning): Promise<void> {
  const { definition, worktrees, removed, kept } = cleaning;
  const directory = worktreeOf(definition);
  const what = `worktree ${directory}`;
  if (!worktrees.has(directory)) {
    if (existsSync(directory)) kept.push({ what, why: UNKNOWN_TO_GIT });
    return;
  }
  const why = existsSync(directory) ? await whyKeep(cleaning, directory) : undefined;
  const refusal = await (why === undefined
    ? removeSafely(cleaning, directory)
    : removeSaved(cleaning, directory, why));
  if (refusal === undefined) removed.push(what);
  else kept.push({ what, why: refusal });
}

/** @returns why it is still there */
async function removeSafely(
  { repository, definition, options }: Cleaning,
  directory: string,
): Promise<string | undefined> {
  if (options.dryRun === true) return undefined;
  const refusal = await removeCleanWorktree(repository, directory, options.env);
  if (refusal !== undefined && existsSync(directory)) return refusal;
  // It was gone, now or already: then at most git's entry is left, and that goes too.
  if (refusal !== undefined) await removeWorktree(repository, directory, options.env);
  effect('worktree.place', () => removeIfEmpty(definition.worktrees));
  return undefined;
}

/** By force what is not safe, once it is saved. @returns why it is still there */
async function removeSaved(
  cleaning: Cleaning,
  directory: string,
  why: string,
): Promise<string | undefined> {
  const { repository, definition, options, saved } = cleaning;
  if (options.force !== true) return why;
  const what = `worktree ${directory}`;
  const { id: run } = definition;
  if (options.dryRun === true) {
    saved.push({ what, restore: `devflow salvage restore ${run}` });
    return undefined;
  }
  const ignoring = ignoringOf(cleaning, directory);
  try {
    const kept = await saveWorktree(repository, { run, directory, ignoring }, options.env);
    if (kept !== undefined) saved.push(savedThing(what, kept));
  } catch (error) {
    return (error as Error).message;
  }
  const refusal = await removeWorktree(repository, directory, options.env);
  effect('worktree.place', () => removeIfEmpty(definition.worktrees));
  return refusal;
}

function savedThing(what: string, { run, number, ref }: Salvaged): SavedThing {
  return { what, restore: `devflow salvage restore ${run} ${number}`, ref };
}

/** What only `info/exclude` hides is hidden by the user, unless that has changed since the run began. */
function ignoringOf({ repository, hiding }: Cleaning, directory: string): Ignoring {
  return hiding === hidingPlaces(repository, directory)
    ? 'all-that-git-ignores'
    : 'not-info-exclude';
}

/** As git lists it: without symbolic links above. */
function worktreeOf({ worktrees, id }: Cleaning['definition']): string {
  return path.join(realPath(worktrees), id);
}

async function whyKeep(cleaning: Cleaning, directory: string): Promise<string | undefined> {
  const { repository, definition, options } = cleaning;
  if (!isWorktreeOf(repository, directory))
    return 'it is no worktree of this repository any more: its .git leads elsewhere';
  // As after a confined attempt: nothing that an agent left may make git run a program.
  const confined = { confined: true };
  const facts = await measureWorktree(directory, 'HEAD', options.env, confined);
  const { branch, errors } = facts;
  if (facts.uncommitted === undefined) return `git could not be asked: ${errors.join('; ')}`;
  const hidden =
    ignoringOf(cleaning, directory) === 'not-info-exclude'
      ? await untrackedFiles(directory, options.env)
      : [];
  const uncommitted = [...new Set([...facts.uncommitted, ...hidden])];
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
  const facts = await readBranch(repository, branch, options.env);
  if (facts !== undefined) {
    const why =
      whyCheckedOut(facts, cleaning) ??
      (await whyOnlyName(facts, cleaning)) ??
      (await deleteJudged(facts, cleaning));
    if (why !== undefined) {
      kept.push({ what, why });
      return;
    }
    goneRefs.add(`refs/heads/${branch}`);
    removed.push(what);
  }
  if (options.dryRun !== true) removeRefDirectory(repository, branch);
}

async function deleteJudged(
  { commit }: BranchFacts,
  cleaning: Cleaning,
): Promise<string | undefined> {
  const { repository, definition, options, saved } = cleaning;
  const { branch } = definition;
  if (options.dryRun === true) return undefined;
  const isSaved = saved.some(({ what }) => what === `branch ${branch}`);
  const judge = (facts: BranchFacts) =>
    whyCheckedOut(facts, cleaning) ??
    (isSaved || keepersOf(facts, cleaning).length > 0
      ? undefined
      : 'the branch that had its commits too is gone meanwhile');
  return deleteBranch(repository, { branch, commit, judge }, options.env);
}

function whyCheckedOut(
  { checkedOutAt, inUse }: BranchFacts,
  { definition, kept, options }: Cleaning,
): string | undefined {
  const worktree = worktreeOf(definition);
  const willBeGone =
    options.dryRun === true && kept.every(({ what }) => what !== `worktree ${worktree}`);
  if (checkedOutAt === undefined || (willBeGone && checkedOutAt === worktree)) return inUse;
  return `it is checked out at ${checkedOutAt}`;
}

/** Deleting the only name of a commit loses it: by force it is saved before. */
async function whyOnlyName(facts: BranchFacts, cleaning: Cleaning): Promise<string | undefined> {
  const { repository, definition, options, saved } = cleaning;
  const { commit } = facts;
  if (keepersOf(facts, cleaning).length > 0) return undefined;
  if (options.force !== true)
    return `no other branch has its commits; merge it, or \`devflow clean ${definition.id} --force\` saves them first`;
  const { id, branch } = definition;
  const what = `branch ${branch}`;
  if (options.dryRun === true) {
    saved.push({ what, restore: `devflow salvage restore ${id}` });
    return undefined;
  }
  try {
    saved.push(savedThing(what, await saveCommit(repository, id, commit, options.env)));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function keepersOf(
  { containedIn }: BranchFacts,
  { goneRefs, definition }: Cleaning,
): readonly string[] {
  return containedIn.filter((ref) => !goneRefs.has(ref) && !isBranchOfRun(ref, definition));
}

/** Another run's branch keeps nothing: it may be the next to go. */
function isBranchOfRun(ref: string, { branch }: Cleaning['definition']): boolean {
  const prefix = path.dirname(path.dirname(branch));
  return ref.startsWith(`refs/heads/${prefix}/`) && ref.endsWith('/work');
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
