import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type Cleaning, savedThing, worktreeOf } from './cleaning.js';
import { type BranchFacts, deleteBranch, readBranch } from '../git/branch.js';
import type { Repository } from '../git/repository.js';
import { saveCommit } from '../git/salvage.js';
import { effect } from '../process/effect.js';
import { removeIfEmpty } from '../state/files.js';

export async function cleanBranch(cleaning: Cleaning): Promise<void> {
  const { repository, definition, options, goneRefs, removed, kept } = cleaning;
  const { branch } = definition;
  const what = `branch ${branch}`;
  const facts = await readBranch(repository, branch, options.env);
  if (facts !== undefined) {
    let why: string | undefined;
    try {
      why =
        whyCheckedOut(facts, cleaning) ??
        (await whyOnlyName(facts, cleaning)) ??
        (await deleteJudged(facts, cleaning));
    } catch (error) {
      kept.push({ what, why: (error as Error).message, failed: true });
      return;
    }
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
  saved.push(savedThing(what, await saveCommit(repository, id, commit, options.env)));
  return undefined;
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
