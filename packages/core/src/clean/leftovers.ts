import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type Cleaning, savedThing, worktreeOf } from './cleaning.js';
import { hidingPlaces } from '../git/hiding-places.js';
import { measureWorktree, untrackedFiles } from '../git/measure.js';
import { realPath } from '../git/repository.js';
import { forgetMissing, readMissing, saveMissing } from '../git/missing-worktree.js';
import { removeSavedWorktree } from '../git/remove-saved.js';
import type { Ignoring } from '../git/look.js';
import { glance } from '../git/snapshot.js';
import { effect } from '../process/effect.js';
import type { ListedWorktree } from '../git/worktree-list.js';
import { isReviewOf } from '../workspace.js';
import { isOwnReview, isWorktreeOf, removeCleanWorktree, removeWorktree } from '../git/worktree.js';
import { removeIfEmpty } from '../state/files.js';
import type { RunPaths } from '../state/paths.js';

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
    const isOurs = isOwnReview(repository, directory, id);
    if (!worktrees.has(directory) || !isOurs) {
      to.kept.push({ what, why: isOurs ? UNKNOWN_TO_GIT : NOT_OURS });
      continue;
    }
    const why =
      whyStandsIn(options.cwd, directory) ??
      (options.dryRun === true
        ? undefined
        : await removeWorktree(repository, directory, options.env));
    if (why === undefined) to.removed.push(what);
    else to.kept.push({ what, why });
  }
}

/** A name alone says nothing: the user's own worktree may have it. */
const NOT_OURS =
  'devflow did not make it, or it is locked no more: look at it, and remove it by hand';

const UNKNOWN_TO_GIT = 'git does not know it as a worktree of this repository';

export async function cleanWorktree(cleaning: Cleaning): Promise<void> {
  const { definition, worktrees, options, removed, kept } = cleaning;
  const directory = worktreeOf(definition);
  const what = `worktree ${directory}`;
  const listed = worktrees.get(directory);
  const isThere = existsSync(directory);
  if (listed === undefined) {
    if (isThere) kept.push({ what, why: UNKNOWN_TO_GIT });
    return;
  }
  try {
    const refusal =
      whyStandsIn(options.cwd, directory) ??
      (await (isThere ? removeThere(cleaning, directory) : removeMissing(cleaning, listed)));
    if (refusal === undefined) removed.push(what);
    else kept.push({ what, why: refusal });
  } catch (error) {
    kept.push({ what, why: (error as Error).message, failed: true });
  }
}

/** The shell of whoever stands there would stand nowhere, and so would git. */
function whyStandsIn(cwd: string, directory: string): string | undefined {
  const isIn = `${realPath(cwd)}/`.startsWith(`${directory}/`);
  return isIn ? 'you stand in it: do this from elsewhere' : undefined;
}

async function removeThere(cleaning: Cleaning, directory: string): Promise<string | undefined> {
  const why = await whyKeep(cleaning, directory);
  return why === undefined
    ? removeSafely(cleaning, directory)
    : removeSaved(cleaning, directory, why);
}

/** @returns why it is still there */
async function removeSafely(
  { repository, definition, options }: Cleaning,
  directory: string,
): Promise<string | undefined> {
  if (options.dryRun === true) return undefined;
  const refusal = await removeCleanWorktree(repository, directory, options.env);
  if (refusal !== undefined) return refusal;
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
  const doomed = { run, directory, ignoring: ignoringOf(cleaning, directory) };
  if (options.dryRun === true) {
    await glance(repository, doomed, options.env);
    saved.push({ what, restore: `devflow salvage restore ${run}` });
    return undefined;
  }
  const done = await removeSavedWorktree(repository, doomed, options.env);
  saved.push(...done.saved.map((each) => savedThing(what, each)));
  effect('worktree.place', () => removeIfEmpty(definition.worktrees));
  return done.refusal;
}

/**
 * Its directory is gone: removed, or moved by hand. git's entry of it may be all that names a commit, and has
 * what was staged; a worktree that was moved is no worktree any more without it.
 * @returns why it is still there
 */
async function removeMissing(
  { repository, definition, options, saved }: Cleaning,
  listed: ListedWorktree,
): Promise<string | undefined> {
  const { env } = options;
  const { id, branch } = definition;
  const found = await readMissing(repository, listed, env);
  const only = [
    ...(listed.branch === `refs/heads/${branch}` ? [] : [`is on ${listed.branch ?? 'no branch'}`]),
    ...(found?.staged === undefined ? [] : ['has what was staged']),
  ];
  if (found !== undefined && only.length > 0) {
    if (options.force !== true)
      return `its directory is gone, and git's entry of it ${only.join(' and ')}: if it was moved, \`git worktree repair <where it is>\` mends it; else \`devflow clean ${id} --force\` saves what only that has`;
    const what = `worktree ${listed.directory}`;
    if (options.dryRun === true) saved.push({ what, restore: `devflow salvage restore ${id}` });
    else {
      const kept = await saveMissing(repository, id, found, env);
      if (kept !== undefined) saved.push(savedThing(what, kept));
    }
  }
  if (options.dryRun === true) return undefined;
  if (found === undefined) return undefined;
  const refusal = await forgetMissing(repository, listed.directory, env);
  effect('worktree.place', () => removeIfEmpty(definition.worktrees));
  return refusal;
}

/** What only `info/exclude` hides is hidden by the user, unless that has changed since the run began. */
function ignoringOf({ repository, hiding }: Cleaning, directory: string): Ignoring {
  return hiding === hidingPlaces(repository, directory)
    ? 'all-that-git-ignores'
    : 'not-info-exclude';
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
