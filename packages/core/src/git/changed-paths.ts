import { type Environment, tryGit } from './git.js';
import type { GitFacts, MeasureOptions } from './measure.js';
import { NOT_WITHIN, STATUS, parseStatus } from './status.js';

const DIFF = ['diff', '--raw', '-z', '--no-renames', '--no-ext-diff', '--ignore-submodules=none', '--no-relative']; // prettier-ignore
const STATUS_EACH = [...STATUS, '--untracked-files=all', '--no-renames'];

export interface ChangedPaths {
  /** All that changed or may have, in order. */
  readonly paths: readonly string[];
  /** Of these the files and links that are known to have changed, come or gone. */
  readonly files: readonly string[];
  /** Of these the repositories within of which git knows the commit; their content is not in this repository. */
  readonly repositories: readonly string[];
}

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
): Promise<ChangedPaths | { readonly error: string }> {
  const [diff, status] = await Promise.all([
    tryGit(directory, [...DIFF, since, 'HEAD', '--'], env),
    tryGit(directory, [...STATUS_EACH, ...(confined ? NOT_WITHIN : [])], env),
  ]);
  const failed = [diff, status].find((result) => result.status !== 0);
  if (failed !== undefined) return { error: failed.stderr || 'git ended without a word' };
  if (uncommitted === undefined) return { error: 'what is not committed is not known' };
  const changes = [...parseRaw(diff.stdout), ...parseChanges(status.stdout)];
  const named = changes.map(({ name }) => name);
  // A directory is named by what is in it, unless git does not say that: a repository of its own, one that cannot be read.
  const isNamed = (name: string) =>
    name.endsWith('/') && named.some((file) => file !== name && file.startsWith(name));
  const found = [...named, ...uncommitted.filter((name) => !isNamed(name))];
  return {
    paths: ordered(found.map((name) => name.replace(/\/$/, ''))),
    files: ordered(changes.filter(({ is }) => is === 'file').map(({ name }) => name)),
    repositories: ordered(changes.filter(({ is }) => is === 'repository').map(({ name }) => name)),
  };
}

function ordered(names: readonly string[]): string[] {
  return [...new Set(names)].toSorted();
}

interface Change {
  readonly name: string;
  readonly is: 'file' | 'repository' | 'unknown';
}

/** `git diff --raw -z`: `:100644 000000 <hash> <hash> D`, then the name. */
function parseRaw(output: string): Change[] {
  const fields = output.split('\0');
  return fields.flatMap((field, index) => {
    const name = fields[index + 1];
    if (index % 2 === 1 || name === undefined) return [];
    return [{ name, is: kindOf(field.slice(1).split(' ').slice(0, 2)) }];
  });
}

/** `git status --porcelain=v2 -z --no-renames`, each entry with what it is by the modes in it. */
function parseChanges(output: string): Change[] {
  return output.split('\0').flatMap((entry) => {
    const [name] = parseStatus(entry).uncommitted;
    if (name === undefined) return [];
    if (entry.startsWith('?')) return [{ name, is: name.endsWith('/') ? 'unknown' : 'file' }];
    return [{ name, is: kindOf(entry.split(' ').slice(3, entry.startsWith('u') ? 7 : 6)) }];
  });
}

/** By the modes before and after, of which `000000` is nothing. */
function kindOf(modes: readonly string[]): Change['is'] {
  return modes.some((mode) => /^1[02]/.test(mode)) ? 'file' : 'repository';
}
