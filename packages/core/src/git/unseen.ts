import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { codeOf } from '../process/system-error.js';
import { type Environment, tryGit } from './git.js';
import { askedFromHead } from './from-head.js';
import { STATUS, parseStatus } from './status.js';

/** What is in the index, and what it says of each file. */
export const LIST = ['ls-files', '-v', '--stage', '-z'];

interface IndexEntry {
  /** By `ls-files -v`: in small letters where it is assumed to be unchanged, `S` outside a sparse checkout. */
  readonly tag: string;
  /** Does git know only the commit of a repository there? */
  readonly isRepository: boolean;
  readonly file: string;
}

/** `git ls-files -v --stage -z` */
function parseIndex(output: string): IndexEntry[] {
  return output.split('\0').flatMap((entry) => {
    const [, tag, mode, file] = /^(.) (\d+) [^\t]*\t(.*)$/s.exec(entry) ?? [];
    if (tag === undefined || file === undefined) return [];
    return [{ tag, isRepository: mode === '160000', file }];
  });
}

/**
 * Paths of which `git status` does not say that they are not committed.
 * @param list the worktree's index
 * @param fromHead the status by an index that nobody else has written
 */
export async function unseenPaths(
  directory: string,
  list: string,
  fromHead: string,
  confined: boolean,
  env: Environment,
): Promise<string[]> {
  const entries = parseIndex(list);
  const leftOut = new Set(await outsideSparseCheckout(directory, entries, env));
  const { uncommitted, missing } = parseStatus(fromHead);
  const changed = uncommitted.filter((file) => !(leftOut.has(file) && missing.includes(file)));
  const unseen = await Promise.all(
    entries.flatMap(({ isRepository, file }) =>
      isRepository ? unseenWithin(directory, file, confined, env) : [],
    ),
  );
  return [...new Set([...changed, ...unseen.flat()])];
}

/** In the place of a repository within, whose index can hide too. */
async function unseenWithin(
  directory: string,
  file: string,
  confined: boolean,
  env: Environment,
): Promise<string[]> {
  const place = path.join(directory, file);
  if (file.includes('\uFFFD')) return [file]; // its name is no text: there is no asking for it
  if (!existsSync(path.join(place, '.git')))
    return contentOf(place).map((name) => path.join(file, name));
  return !confined && (await isAsCommitted(place, env)) ? [] : [file];
}

/** Is what a repository has committed there as it is committed? Untracked files are no matter of the index: git's own status has them. */
async function isAsCommitted(place: string, env: Environment): Promise<boolean> {
  const known = [...STATUS, '--untracked-files=no'];
  const [index, fromHead] = await Promise.all([
    tryGit(place, LIST, env),
    askedFromHead(place, known, env),
  ]);
  if (index.status !== 0 || 'unknown' in fromHead) return false;
  const unseen = await unseenPaths(place, index.stdout, fromHead.output, false, env);
  return unseen.length === 0;
}

/** Files that are not there because a sparse checkout leaves them out. */
async function outsideSparseCheckout(
  directory: string,
  entries: readonly IndexEntry[],
  env: Environment,
): Promise<string[]> {
  const marked = entries.filter(({ tag }) => tag === 'S').map(({ file }) => file);
  if (marked.length === 0) return [];
  const asked = ['config', '--type=bool', '--get', 'core.sparseCheckout'];
  const { stdout } = await tryGit(directory, asked, env);
  if (stdout.trim() !== 'true') return [];
  return marked.filter((file) => !existsSync(path.join(directory, file)));
}

/** What is in the place of a repository that is not there, as of a submodule without `git submodule init`: git looks at nothing of it. */
function contentOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return []; // git says that it is gone, or another thing
    return ['.'];
  }
}
