import { copyFileSync, existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { effect } from '../process/effect.js';
import { readIfThere } from '../state/files.js';
import { type Environment, tryGit } from './git.js';
import { plumbing } from './plumbing.js';
import { type Repository, realPath } from './repository.js';
import { withRepositoryLock } from './repository-lock.js';
import { type Salvaged, commitStaged, isUnnamed, saveCommit } from './salvage.js';
import { refuseModules } from './snapshot.js';
import type { ListedWorktree } from './worktree-list.js';

/** What only git's entry of a worktree has whose directory is gone: removed, or moved by hand. */
export interface Missing {
  readonly head: string;
  /** What was staged, where HEAD does not have it. */
  readonly staged: string | undefined;
}

/** @returns undefined where git has no entry of it. @throws DevflowError SALVAGE_FAILED where it cannot be read or saved */
export async function readMissing(
  repository: Repository,
  { directory, head = '' }: ListedWorktree,
  env: Environment,
): Promise<Missing | undefined> {
  const gitDir = entryOf(repository, directory);
  if (gitDir === undefined) return undefined;
  refuseModules(gitDir);
  const ask = ['rev-parse', '--verify', `${head}^{tree}`];
  const headTree = (await plumbing(repository.root, ask, env)).trim();
  const own = path.join(gitDir, 'index');
  if (!existsSync(own)) return { head, staged: undefined };
  const index = path.join(gitDir, 'devflow-salvage'); // a copy: git may rewrite the index that it reads
  try {
    copyFileSync(own, index);
    const staged = (await plumbing(repository.root, ['write-tree'], env, { index })).trim();
    return { head, staged: staged === headTree ? undefined : staged };
  } finally {
    rmSync(index, { force: true });
  }
}

/** @returns undefined where all of it is elsewhere. @throws DevflowError SALVAGE_FAILED */
export async function saveMissing(
  repository: Repository,
  run: string,
  { head, staged }: Missing,
  env: Environment,
): Promise<Salvaged | undefined> {
  if (staged === undefined && !(await isUnnamed(repository.root, head, env))) return undefined;
  const commit =
    staged === undefined
      ? head
      : await commitStaged(repository.root, { run, tree: staged, head }, env);
  return saveCommit(repository, run, commit, env);
}

/**
 * Takes git's entry away. The wait for the lock may be long: by then somebody may have put the directory back.
 * @returns why it is still there
 */
export async function forgetMissing(
  { root, commonDir }: Repository,
  directory: string,
  env: Environment,
): Promise<string | undefined> {
  const forget = ['worktree', 'remove', '--force', '--force', directory];
  return withRepositoryLock(commonDir, async () => {
    if (existsSync(directory)) return 'it is there again';
    const { status, stderr } = await effect('worktree.discard', () => tryGit(root, forget, env));
    return status === 0 ? undefined : stderr;
  });
}

function entryOf({ commonDir }: Repository, directory: string): string | undefined {
  const entries = path.join(commonDir, 'worktrees');
  const names = existsSync(entries) ? readdirSync(entries) : [];
  return names
    .map((name) => path.join(entries, name))
    .find((entry) => {
      const pointer = readIfThere(path.join(entry, 'gitdir'))?.trimEnd();
      return (
        pointer !== undefined &&
        realPath(path.dirname(path.resolve(entry, pointer))) === realPath(directory)
      );
    });
}
