import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { codeOf } from '../process/system-error.js';
import { type Environment, tryGit } from './git.js';
import { parseStatus } from './status.js';

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
export function parseIndex(output: string): IndexEntry[] {
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
  const changed = parseStatus(fromHead).uncommitted.filter((file) => !leftOut.has(file));
  const unseen = entries.flatMap(({ isRepository, file }) => {
    if (!isRepository) return [];
    const place = path.join(directory, file);
    if (existsSync(path.join(place, '.git'))) return confined ? [file] : [];
    return contentOf(place).map((name) => path.join(file, name));
  });
  return [...new Set([...changed, ...unseen])];
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
