import { type Environment, git } from './git.js';
import type { Repository } from './repository.js';

export interface ListedWorktree {
  /** As git knows it; it may be gone. */
  readonly directory: string;
  /** Why it is locked; undefined where it is not. */
  readonly reason: string | undefined;
  readonly head: string | undefined;
  /** The full name of the ref that HEAD names; undefined where it is detached. */
  readonly branch: string | undefined;
}

/** All worktrees of a repository, as git knows them. */
export async function listWorktrees(
  { root }: Repository,
  env: Environment,
): Promise<ListedWorktree[]> {
  const output = await git(root, ['worktree', 'list', '--porcelain', '-z'], env);
  // A record ends with an empty entry.
  return output.split('\0\0').flatMap((record) => {
    const entries = record.split('\0');
    const directory = valueOf(entries, 'worktree');
    if (directory === undefined) return [];
    const [head, branch] = [valueOf(entries, 'HEAD'), valueOf(entries, 'branch')];
    return [{ directory, reason: valueOf(entries, 'locked'), head, branch }];
  });
}

function valueOf(entries: readonly string[], key: string): string | undefined {
  return entries.find((entry) => entry.startsWith(`${key} `))?.slice(key.length + 1);
}
