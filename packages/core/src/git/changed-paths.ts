import { type Environment, tryGit } from './git.js';
import { type GitFacts, type MeasureOptions, NOT_WITHIN, STATUS, parseStatus } from './measure.js';

const DIFF = ['diff', '--name-only', '-z', '--no-renames', '--no-ext-diff', '--ignore-submodules=none', '--no-relative']; // prettier-ignore
const STATUS_EACH = [...STATUS, '--untracked-files=all', '--no-renames'];

/**
 * Paths that are not as at a commit: by what is committed since, by what is not committed, untracked ones by
 * their own names; of what was renamed both. Two git calls, at the same time: only where somebody asks.
 * @param uncommitted of the same worktree, as measured before: what git does not show counts too
 */
export async function changedPaths(
  directory: string,
  since: string,
  { uncommitted }: GitFacts,
  env: Environment,
  { confined = false }: Pick<MeasureOptions, 'confined'> = {},
): Promise<{ readonly paths: readonly string[] } | { readonly error: string }> {
  const [diff, status] = await Promise.all([
    tryGit(directory, [...DIFF, since, 'HEAD', '--'], env),
    tryGit(directory, [...STATUS_EACH, ...(confined ? NOT_WITHIN : [])], env),
  ]);
  const failed = [diff, status].find((result) => result.status !== 0);
  if (failed !== undefined) return { error: failed.stderr || 'git ended without a word' };
  if (uncommitted === undefined) return { error: 'what is not committed is not known' };
  const committed = diff.stdout.split('\0').filter((name) => name !== '');
  const named = [...committed, ...parseStatus(status.stdout).uncommitted];
  // A directory is named by what is in it, unless git does not say that: a repository of its own, one that cannot be read.
  const isNamed = (name: string) =>
    name.endsWith('/') && named.some((file) => file !== name && file.startsWith(name));
  const found = [...named, ...uncommitted.filter((name) => !isNamed(name))];
  return { paths: [...new Set(found.map((name) => name.replace(/\/$/, '')))].toSorted() };
}
