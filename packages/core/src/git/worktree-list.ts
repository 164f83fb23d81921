import { type Environment, git } from './git.js';
import type { Repository } from './repository.js';

/** The directories of all worktrees of a repository, as git knows them; some may be gone. */
export async function listWorktrees(
  { root }: Repository,
  env: Environment,
): Promise<ReadonlySet<string>> {
  const output = await git(root, ['worktree', 'list', '--porcelain', '-z'], env);
  const entries = output.split('\0').filter((entry) => entry.startsWith('worktree '));
  return new Set(entries.map((entry) => entry.slice('worktree '.length)));
}
