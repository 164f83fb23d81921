import { type Environment, git } from './git.js';
import type { Repository } from './repository.js';

export interface ListedWorktree {
  /** As git knows it; it may be gone. */
  readonly directory: string;
  /** Why it is locked; undefined where it is not. */
  readonly reason: string | undefined;
}

/** The directories of all worktrees of a repository, as git knows them; some may be gone. */
export async function listWorktrees(
  repository: Repository,
  env: Environment,
): Promise<ReadonlySet<string>> {
  return new Set((await worktreesWithReasons(repository, env)).map(({ directory }) => directory));
}

export async function worktreesWithReasons(
  { root }: Repository,
  env: Environment,
): Promise<ListedWorktree[]> {
  const output = await git(root, ['worktree', 'list', '--porcelain', '-z'], env);
  // A record ends with an empty entry.
  return output.split('\0\0').flatMap((record) => {
    const entries = record.split('\0');
    const directory = valueOf(entries, 'worktree');
    return directory === undefined ? [] : [{ directory, reason: valueOf(entries, 'locked') }];
  });
}

function valueOf(entries: readonly string[], key: string): string | undefined {
  return entries.find((entry) => entry.startsWith(`${key} `))?.slice(key.length + 1);
}
