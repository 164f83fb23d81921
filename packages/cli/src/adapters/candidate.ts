import { type Stats, existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { type AgentAdapter, DevflowError } from '@devflow/core';
import { type Source, directoryAdapter, readSource } from '@devflow/core/directory';
import type { Place } from '../place.js';
import { BUILT_IN } from './built-in.js';
import { requireUnchanged } from './confirmation.js';
import { localCode } from './installed.js';
import { MODULE_KINDS, loadModule } from './module.js';
import { type Kept, named } from './named.js';

export type Origin = 'built-in' | 'project' | 'path' | 'package';

/** An adapter that is there; nothing of it was run. */
export interface Candidate {
  /** How a phase or a profile asks for it. */
  readonly name: string;
  readonly origin: Origin;
  /** Where its code lies; devflow's own has no place of its own. */
  readonly path?: string;
  /** Is all that it can do known without running it? */
  readonly isData: boolean;
  /** The local code that a person must confirm before `load`. @throws DevflowError ADAPTER_INVALID, GIT_FAILED */
  source(): Promise<Source | undefined>;
  /**
   * Runs it, if it is a module.
   *
   * @param source what was confirmed; refused where it has changed since then
   * @throws DevflowError ADAPTER_INVALID, ADAPTER_UNCONFIRMED
   */
  load(source: Source | undefined): Promise<AgentAdapter>;
}

/** Does it stand where devflow's own adapter of that name would? */
export function replacesBuiltIn({ name, origin }: Pick<Candidate, 'name' | 'origin'>): boolean {
  return origin === 'project' && Object.hasOwn(BUILT_IN, name);
}

/** What whoever uses it should know of that; nothing where it replaces none. */
export function replacementNotes(at: Pick<Candidate, 'name' | 'origin' | 'path'>): string[] {
  if (!replacesBuiltIn(at)) return [];
  return [`The adapter "${at.name}" is the project's own, in place of devflow's: ${at.path}.`];
}

export function builtIn(name: string): Candidate | undefined {
  const load = Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined;
  if (load === undefined) return undefined;
  return { name, origin: 'built-in', isData: true, source: () => Promise.resolve(undefined), load };
}

/** What lies at a path: a directory or a module. A path at which there is neither is a candidate that cannot be loaded. */
export function candidateAt(file: string, name: string, origin: Origin): Candidate {
  const at = { name, origin, path: file };
  const stats = statsOf(file);
  if (stats?.isDirectory() === true) return directoryCandidate(at, file);
  if (stats?.isFile() === true && MODULE_KINDS.includes(path.extname(file).slice(1)))
    return moduleCandidate(at, file, () => file);
  return broken(
    at,
    stats === undefined
      ? 'there is nothing that can be reached'
      : `it is neither a directory nor a module (${MODULE_KINDS.join(', ')})`,
  );
}

/** Undefined where nothing can be reached: not there, a link in a circle, a directory that is closed. */
function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}

/** @param file the module of the package, as it was found from `base`, the directory of the configuration */
export function packageCandidate(
  file: string,
  name: string,
  base: string,
  env: Place['env'],
): Candidate {
  const at = { name, origin: 'package', path: file } as const;
  if (!existsSync(file)) return broken(at, 'the package names this file, and it is not there');
  return moduleCandidate(at, file, () => localCode(file, name, base, env));
}

type At = Pick<Candidate, 'name' | 'origin' | 'path'>;

export function broken(at: At, fault: string): Candidate {
  const refuse = (): never => {
    throw new DevflowError('ADAPTER_INVALID', `${at.path}: ${fault}`);
  };
  return { ...at, isData: true, source: async () => refuse(), load: async () => refuse() };
}

/** A directory is an adapter by its program `run`, or by its module `adapter.mjs`, which may use all that lies beside it. */
function directoryCandidate(at: At, directory: string): Candidate {
  const isThere = (name: string) => statsOf(path.join(directory, name)) !== undefined;
  const modules = MODULE_KINDS.map((kind) => `adapter.${kind}`).filter(isThere);
  const found = [...(isThere('run') ? ['run'] : []), ...modules];
  const [main, another] = found;
  if (main === undefined)
    return broken(at, 'it has no executable `run`, and no module `adapter.mjs`');
  if (another !== undefined) return broken(at, `it has ${found.join(' and ')}; keep one of them`);
  if (main !== 'run') return moduleCandidate(at, path.join(directory, main), () => directory);
  return {
    ...at,
    isData: true,
    async source() {
      const source = readSource(directory);
      directoryAdapter(directory, source); // what cannot be used is not confirmed either
      return source;
    },
    async load(source) {
      requireUnchanged(at.name, source);
      return named(directoryAdapter(directory, source), at.name, keptOf(at));
    },
  };
}

/** @param local the code that has to be confirmed: the module, or a directory it lies in; undefined for none */
function moduleCandidate(
  at: At,
  module: string,
  local: () => string | undefined | Promise<string | undefined>,
): Candidate {
  return {
    ...at,
    isData: false,
    async source() {
      const code = await local();
      return code === undefined ? undefined : readSource(code);
    },
    async load(source) {
      requireUnchanged(at.name, source);
      return named(await loadModule(module), at.name, keptOf(at, source));
    },
  };
}

function keptOf(at: At, source?: Source): Kept {
  return { notes: replacementNotes(at), ...(source !== undefined && { source }) };
}
