import { createHash } from 'node:crypto';
import {
  type Stats,
  lstatSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import path from 'node:path';
import type { AdapterSource, Problem } from '../adapter/index.js';
import { DevflowError } from '../errors.js';

/** What local code may come to: more is a dependency, an output or a repository that has strayed into it. */
const MOST_FILES = 1_000;
const MOST_BYTES = 20_000_000;

/** Local code with the names of its files, relative to its path; of a single file none. */
export interface Source extends AdapterSource {
  readonly files: readonly string[];
}

interface Entry {
  /** Relative to the root; empty for a root that is a file. */
  readonly name: string;
  readonly kind: 'directory' | 'file' | 'link';
  /** Permissions; links have none. */
  readonly mode: number;
  /** The hash of a file's content, the text of a link. */
  readonly content: string;
}

/**
 * Hashes a file, or a directory with all that is in it: names, permissions, contents, the texts of links.
 * The path is taken where its links lead.
 *
 * @throws DevflowError ADAPTER_INVALID naming all that cannot be held to a hash
 */
export function readSource(asked: string): Source {
  try {
    const root = realpathSync(asked);
    const entries = readEntries(root);
    const hash = createHash('sha256');
    for (const { name, kind, mode, content } of entries)
      hash.update(`${JSON.stringify([name, kind, mode, content])}\n`);
    const files = entries.filter(({ name, kind }) => name !== '' && kind !== 'directory');
    return { path: root, hash: hash.digest('hex'), files: files.map(({ name }) => name) };
  } catch (error) {
    if (error instanceof DevflowError || !(error instanceof Error)) throw error;
    throw new DevflowError('ADAPTER_INVALID', `${asked} cannot be read: ${error.message}`, {
      cause: error,
    });
  }
}

/** What is in the way of a launch where local code is no longer what it was. */
export function sourceProblems(source: AdapterSource): Problem[] {
  const changed = { code: 'ADAPTER_CHANGED', hint: CHANGED_HINT };
  try {
    if (readSource(source.path).hash === source.hash) return [];
    return [{ ...changed, message: `${source.path} has changed since this command started` }];
  } catch (error) {
    if (!(error instanceof DevflowError)) throw error;
    const words = [error.message, ...error.problems].join('; ');
    return [{ ...changed, message: `${source.path} has changed: ${words}` }];
  }
}

const CHANGED_HINT =
  'Look at the change, confirm it by `devflow adapters --accept <name>`, then go on with `devflow resume --accept-code`.';

function readEntries(root: string): Entry[] {
  const entries: Entry[] = [];
  const problems: string[] = [];
  let files = 0;
  let bytes = 0;

  const add = (name: string): void => {
    const file = path.join(root, name);
    const stats = lstatSync(file);
    const mode = stats.mode & 0o7777;
    if (stats.isSymbolicLink()) {
      entries.push({ name, kind: 'link', mode: 0, content: readlinkSync(file) });
      if (!leadsInside(root, file))
        problems.push(`${name}: a link must lead to a file in the directory`);
    } else if (stats.isDirectory()) {
      entries.push({ name, kind: 'directory', mode, content: '' });
      for (const inner of readdirSync(file).toSorted()) add(path.join(name, inner));
    } else if (stats.isFile()) {
      count(stats);
      entries.push({ name, kind: 'file', mode, content: hashOf(readFileSync(file)) });
    } else {
      problems.push(`${name}: neither a file, a directory nor a link`);
    }
  };
  const count = ({ size }: Stats): void => {
    files += 1;
    bytes += size;
    if (files > MOST_FILES || bytes > MOST_BYTES) throw tooMuch(root);
  };

  add('');
  if (problems.length > 0)
    throw new DevflowError('ADAPTER_INVALID', `${root} cannot be held to what it is now`, {
      problems,
      hint: 'Take these out of it: what a person confirms must be all that is run.',
    });
  return entries;
}

function leadsInside(root: string, link: string): boolean {
  try {
    return realpathSync(link).startsWith(`${root}${path.sep}`);
  } catch {
    return false; // it leads nowhere, or in a circle
  }
}

function hashOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function tooMuch(root: string): DevflowError {
  return new DevflowError(
    'ADAPTER_INVALID',
    `${root} holds more than ${MOST_FILES} files or ${MOST_BYTES / 1e6} MB: too much to be confirmed by a person`,
    { hint: 'Keep only what the adapter itself is made of there; install the rest elsewhere.' },
  );
}
