import { chmodSync, existsSync, lstatSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DevflowError } from '../errors.js';
import { effect } from '../process/effect.js';
import { makeDirectory, readIfThere } from '../state/files.js';
import { isShortage } from '../process/system-error.js';
import { type Environment, type GitResult, git, tryGit } from './git.js';
import { withRepositoryLock } from './repository-lock.js';
import { lockReason, onlyHere } from './only-here.js';
import { type Repository, realPath } from './repository.js';

export interface NewWorktree {
  readonly directory: string;
  /** A branch to make; undefined: HEAD is detached. */
  readonly branch?: string;
  readonly commit: string;
  /** Why it is locked, for people who run `git worktree list`. */
  readonly reason: string;
}

/**
 * Adds a worktree on a new branch, or detached where `branch` is undefined. Only the addition is
 * under the lock; the checkout, which takes longer, is not.
 */
export async function addWorktree(
  repository: Repository,
  { directory, branch, commit, reason }: NewWorktree,
  env: Environment,
  signal?: AbortSignal,
): Promise<void> {
  effect('worktree.place', () => makeDirectory(path.dirname(directory)));
  const on = branch === undefined ? ['--detach'] : ['--no-track', '-b', branch];
  await withRepositoryLock(repository.commonDir, async () => {
    if (branch !== undefined) keepRefDirectory(repository.commonDir, branch);
    const locked = ['--lock', '--reason', reason, '--no-checkout'];
    const add = ['worktree', 'add', '--quiet', ...locked, ...on, directory, commit];
    await effect('worktree.add', () => git(repository.root, add, env, signal));
  });
  const fill = ['read-tree', '-m', '-u', 'HEAD'];
  await effect('worktree.checkout', () => git(directory, fill, env, signal));
}

/**
 * Ends an addition that a crash cut off, whatever it had done: nobody has worked there yet.
 * What is not just as an addition leaves it is left alone, and git says why it cannot go on.
 */
export async function repairWorktree(
  repository: Repository,
  worktree: NewWorktree & { branch: string },
  env: Environment,
  signal?: AbortSignal,
): Promise<void> {
  const { directory, branch, commit } = worktree;
  const isWorktree =
    (await tryGit(directory, ['rev-parse', '--verify', 'HEAD'], env).catch(() => undefined))
      ?.status === 0;
  const gitDir = gitDirOf(directory);
  if (isWorktree && gitDir !== undefined) {
    await effect('worktree.reset', () => {
      rmSync(path.join(gitDir, 'index.lock'), { force: true }); // of the checkout that was cut off
      return git(directory, ['reset', '--hard', '--quiet'], env, signal);
    });
    return;
  }
  await withRepositoryLock(repository.commonDir, async () => {
    if (existsSync(directory) && readdirSync(directory).every((name) => name === '.git'))
      effect('worktree.discard', () => rmSync(directory, { recursive: true }));
    const made = await tryGit(
      repository.root,
      ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`],
      env,
    );
    // The branch of the cut addition stands at its commit; one that stands elsewhere is not ours to move.
    if (made.stdout.trim() === commit) {
      const drop = ['update-ref', '-d', `refs/heads/${branch}`, commit];
      await effect('branch.delete', () => git(repository.root, drop, env));
    }
    await effect('worktree.prune', async () => {
      await tryGit(repository.root, ['worktree', 'unlock', directory], env);
      await git(repository.root, ['worktree', 'prune'], env);
    });
  });
  await addWorktree(repository, worktree, env, signal);
}

/**
 * Removes a disposable worktree by force, or what is left of one: an agent may have damaged it, so that git
 * knows it no more, or taken the directory away, so that only git's entry is there.
 * @returns why it is still there; undefined where it is gone
 */
export async function removeWorktree(
  repository: Repository,
  directory: string,
  env: Environment,
): Promise<string | undefined> {
  const remove = ['worktree', 'remove', '--force', '--force', directory];
  return withRepositoryLock(repository.commonDir, async () => {
    const ask = () => effect('worktree.discard', () => tryGit(repository.root, remove, env));
    if ((await ask()).status === 0) return undefined;
    try {
      effect('worktree.discard', () => removeWithRights(directory));
    } catch (error) {
      return (error as Error).message;
    }
    // Without its directory git lets go of the entry, locked or not. Not by `prune`, which takes those of others too.
    await ask();
    return undefined;
  });
}

/** Names of worktrees as git's entries have them: those whose directory is gone too. */
export function worktreeEntries({ commonDir }: Repository): string[] {
  const entries = path.join(commonDir, 'worktrees');
  return existsSync(entries) ? readdirSync(entries) : [];
}

/**
 * Did devflow make this checkout for a review of the run? By its own mark in git's entry of it, which is there where
 * the directory is damaged or gone: a name alone is anybody's.
 */
export function isOwnReview(repository: Repository, directory: string, id: string): boolean {
  const entry = worktreeEntries(repository)
    .map((name) => path.join(repository.commonDir, 'worktrees', name))
    .find((each) => {
      const pointer = readIfThere(path.join(each, 'gitdir'))?.trimEnd();
      if (pointer === undefined) return false;
      return realPath(path.dirname(path.resolve(each, pointer))) === realPath(directory);
    });
  if (entry === undefined) return false;
  return readIfThere(path.join(entry, 'locked'))?.trim() === lockReason(id, true);
}

/**
 * Removes a worktree if nothing would be lost: git itself finds no change in it, nor a repository within.
 * @returns why it is still there, in git's words; undefined where it is gone
 */
export async function removeCleanWorktree(
  repository: Repository,
  directory: string,
  env: Environment,
): Promise<string | undefined> {
  const gitDir = gitDirOf(directory) ?? directory;
  const lock = path.join(gitDir, 'locked');
  const removed = await withRepositoryLock(repository.commonDir, () =>
    effect('worktree.remove', async () => {
      const why = lostWith(repository, directory);
      if (why !== undefined) return { status: 1, stderr: why };
      const reason = readIfThere(lock);
      rmSync(lock, { force: true }); // what `git worktree unlock` does; a second --force would do it, and not look either
      const result = await tryGit(repository.root, ['worktree', 'remove', directory], env);
      if (result.status === 0) return result;
      // Where it could not delete all that it had found safe, git lets go of its entry all the same.
      if (gitDir !== directory && !existsSync(gitDir)) return removeRest(directory, result.stderr);
      if (reason !== undefined) writeFileSync(lock, reason);
      return result;
    }),
  );
  return removed.status === 0 ? undefined : removed.stderr.replace(/^fatal: /, '');
}

/**
 * Removes what git could not delete of a worktree in which it had found nothing that would be lost: directories
 * that do not let their owner write, as some package caches are.
 */
function removeRest(directory: string, words: string): Pick<GitResult, 'status' | 'stderr'> {
  try {
    effect('worktree.discard', () => removeWithRights(directory));
    return { status: 0, stderr: '' };
  } catch (error) {
    const remedy = `chmod -R u+rwX '${directory}' && rm -rf '${directory}'`;
    const why = `${words.replace(/^error: /, '')}; ${(error as Error).message}`;
    return {
      status: 1,
      stderr: `git has let go of it, but not all of it can be deleted (${why}). All that was not ignored is committed: ${remedy}`,
    };
  }
}

function removeWithRights(directory: string): void {
  giveBackRights(directory);
  rmSync(directory, { recursive: true, force: true });
}

/** Makes directories such that what is in them can be deleted. No link is followed; what is not ours stays as it is. */
function giveBackRights(directory: string): void {
  try {
    const found = lstatSync(directory);
    if (!found.isDirectory()) return;
    if ((found.mode & 0o700) !== 0o700) chmodSync(directory, 0o700);
    for (const entry of readdirSync(directory, { withFileTypes: true }))
      if (entry.isDirectory()) giveBackRights(path.join(directory, entry.name));
  } catch {
    // the removal says what is in its way
  }
}

/** What would be lost with a worktree of a run, although git finds nothing uncommitted in it: see {@link onlyHere}. */
export function lostWith(repository: Repository, directory: string): string | undefined {
  const gitDir = gitDirOf(directory);
  return gitDir === undefined ? undefined : onlyHere(repository, directory, gitDir);
}

/** The git metadata that a commit in a linked worktree writes to: not hooks and not configuration. */
export function writableRoots(commonDir: string, directory: string): string[] {
  const gitDir = gitDirOf(directory);
  if (gitDir === undefined)
    throw new DevflowError('GIT_FAILED', `${directory}/.git names no git directory`);
  return metadataRoots(commonDir, gitDir);
}

export function metadataRoots(commonDir: string, gitDir: string): string[] {
  return [gitDir, ...['objects', 'refs', 'logs'].map((name) => path.join(commonDir, name))];
}

/**
 * Is this still the worktree that git made: does its `.git` name a git directory of this repository, and
 * that one name both back? An agent can write another; then git would measure another repository, by its settings.
 */
export function isWorktreeOf({ commonDir }: Repository, directory: string): boolean {
  const gitDir = gitDirOf(directory);
  if (gitDir === undefined) return false;
  if (realPath(path.dirname(gitDir)) !== realPath(path.join(commonDir, 'worktrees'))) return false;
  const names = (file: string) =>
    realPath(path.resolve(gitDir, readIfThere(path.join(gitDir, file))?.trimEnd() ?? ''));
  // By `commondir` git finds branches, objects and configuration: of another repository, if it says so.
  return (
    names('gitdir') === realPath(path.join(directory, '.git')) &&
    names('commondir') === realPath(commonDir)
  );
}

/** The settings that git has for this worktree alone; undefined where there are none. */
export function ownSettings(directory: string): string | undefined {
  return readIfThere(settingsFile(directory));
}

export function restoreSettings(directory: string, settings: string | undefined): void {
  rmSync(settingsFile(directory), { recursive: true, force: true });
  if (settings !== undefined) writeFileSync(settingsFile(directory), settings);
}

export function settingsFile(directory: string): string {
  return path.join(gitDirOf(directory) ?? directory, 'config.worktree');
}

/** A linked worktree's own git directory, as its `.git` file names it; undefined where that is gone or says nothing. */
export function gitDirOf(directory: string): string | undefined {
  try {
    const pointer = readIfThere(path.join(directory, '.git'));
    const gitDir = /^gitdir: ([^]*?)\n?$/.exec(pointer ?? '')?.[1];
    return gitDir === undefined ? undefined : path.resolve(directory, gitDir);
  } catch (error) {
    if (isShortage(error)) throw error;
    return undefined; // gone, or made unreadable: an agent may do what it likes there
  }
}

/** A user's `git gc` removes empty ref directories, also under a working agent: a file keeps this one. */
function keepRefDirectory(commonDir: string, branch: string): void {
  const directory = path.join(commonDir, 'refs', 'heads', path.dirname(branch));
  const file = path.join(directory, '.keep');
  effect('branch.keep-directory', () => {
    makeDirectory(directory);
    if (!existsSync(file)) writeFileSync(file, '');
  });
}
