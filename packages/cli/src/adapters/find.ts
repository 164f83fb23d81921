import { type Dirent, readdirSync } from 'node:fs';
import path from 'node:path';
import { DevflowError } from '@devflow/core/errors';
import { resolvePackage } from '../config/code.js';
import type { Place } from '../place.js';
import { BUILT_IN } from './built-in.js';
import { type Candidate, broken, builtIn, candidateAt, packageCandidate } from './candidate.js';
import { MODULE_KINDS } from './module.js';

/** Where a project keeps adapters of its own, beside its configuration. */
const PROJECT_ADAPTERS = '.devflow/adapters';

/**
 * The adapter that a name stands for: a path, or one of the project, or one that devflow brings along, or an
 * installed package. Runs nothing of it.
 *
 * @param base the directory of the configuration: paths and packages are looked up from there
 * @returns undefined where nobody knows it
 */
export async function findAdapter(
  name: string,
  base: string,
  env: Place['env'],
): Promise<Candidate | undefined> {
  if (isPath(name)) return candidateAt(path.resolve(base, name), name, 'path');
  const own = projectAdapters(base).find((candidate) => candidate.name === name);
  return own ?? builtIn(name) ?? (await findPackage(name, base, env));
}

/** What is known by name: the project's own, and what devflow brings along where the project has none of that name. */
export function knownAdapters(base: string): Candidate[] {
  const own = projectAdapters(base);
  const names = new Set(own.map(({ name }) => name));
  const others = Object.keys(BUILT_IN).filter((name) => !names.has(name));
  return [...others.flatMap((name) => builtIn(name) ?? []), ...own];
}

export function isPath(name: string): boolean {
  return /^\.{0,2}\//.test(name);
}

/** Is there one besides those that are known by name: at a path, or in a package? */
export async function isAdapter(name: string, base: string): Promise<boolean> {
  return isPath(name) || (await packageFile(name, base)) !== undefined;
}

async function findPackage(
  name: string,
  base: string,
  env: Place['env'],
): Promise<Candidate | undefined> {
  const file = await packageFile(name, base);
  return file === undefined ? undefined : packageCandidate(file, name, base, env);
}

async function packageFile(name: string, base: string): Promise<string | undefined> {
  if (!/^(@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*(\/[\w./-]+)?$/.test(name)) return undefined;
  return resolvePackage(name, base);
}

function projectAdapters(base: string): Candidate[] {
  const directory = path.join(base, PROJECT_ADAPTERS);
  const entries = entriesOf(directory);
  const names = new Set(entries.flatMap((entry) => adapterName(entry) ?? []));
  return [...names].flatMap((name) => {
    const own = entries.filter((entry) => adapterName(entry) === name);
    const [entry, another] = own;
    if (entry === undefined) return [];
    const file = path.join(directory, entry.name);
    if (another === undefined) return [candidateAt(file, name, 'project')];
    const all = own.map((each) => each.name).join(' and ');
    return [
      broken({ name, origin: 'project', path: directory }, `${all} are both "${name}"; keep one`),
    ];
  });
}

/** Directories and links go by their name, modules without their ending. Anything else is no adapter. */
function adapterName(entry: Dirent): string | undefined {
  if (entry.name.startsWith('.')) return undefined;
  const { name, ext } = path.parse(entry.name);
  if (MODULE_KINDS.includes(ext.slice(1)) && !entry.isDirectory())
    return name.includes('.') ? undefined : name; // a test or types beside it
  return entry.isFile() ? undefined : entry.name;
}

function entriesOf(directory: string): Dirent[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // the file system throws nothing else
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw new DevflowError('STATE_UNREADABLE', `${directory} cannot be read: ${String(error)}`, {
      cause: error,
    });
  }
}
