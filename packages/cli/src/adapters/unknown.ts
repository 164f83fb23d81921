import { existsSync } from 'node:fs';
import path from 'node:path';
import { DevflowError } from '@devflow/core/errors';
import { nearest } from '@devflow/core/adapter';
import { loadConfiguration } from '../config/load.js';
import { isPath, knownAdapters } from './find.js';
import { MODULE_KINDS } from './module.js';

/**
 * Names that stand for no adapter, each with what was meant by it, as far as that can be told.
 *
 * @param base where names are looked up
 * @param from where the paths start that a person writes
 */
export async function unknownAdapter(
  names: readonly string[],
  base: string,
  from: string,
): Promise<DevflowError> {
  const quoted = names.map((name) => `"${name}"`).join(', ');
  const known = knownAdapters(base).map(({ name }) => name);
  const profiles = await adaptersOfProfiles(base);
  const meant = names.map(
    (name) =>
      pathMeant(name, from) ?? profileMeant(name, profiles, base, from) ?? near(name, known),
  );
  const others = `Known here: ${known.join(', ')}; others by a path such as ./tools/mine, or as an installed package.`;
  return new DevflowError('ADAPTER_UNKNOWN', `there is no adapter ${quoted}`, {
    hint: [...meant.filter((words) => words !== undefined), others].join(' '),
  });
}

/** Those of them that are paths, but do not begin as one. */
export function pathsMeant(names: readonly string[], from: string): string[] {
  return names.filter((name) => pathMeant(name, from) !== undefined);
}

function pathMeant(name: string, from: string): string | undefined {
  const looksLikeOne = name.includes('/') || MODULE_KINDS.includes(path.extname(name).slice(1));
  if (isPath(name) || !looksLikeOne || !existsSync(path.resolve(from, name))) return undefined;
  return `Did you mean the path "./${name}"?`;
}

function profileMeant(
  name: string,
  profiles: Readonly<Record<string, string>>,
  base: string,
  from: string,
): string | undefined {
  const adapter = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (adapter === undefined) return undefined;
  const shown = isPath(adapter) ? pathFrom(path.resolve(base, adapter), from) : adapter;
  return `"${name}" is a profile; its adapter is "${shown}".`;
}

function pathFrom(file: string, from: string): string {
  const relative = path.relative(from, file);
  return relative.startsWith('.') ? relative : `./${relative}`;
}

function near(name: string, known: readonly string[]): string | undefined {
  const word = nearest(name, known);
  return word === undefined ? undefined : `Did you mean "${word}"?`;
}

/** None where the configuration cannot be read: whoever needs it is told. */
async function adaptersOfProfiles(base: string): Promise<Record<string, string>> {
  try {
    const { definition } = await loadConfiguration(base, 'later');
    const profiles = Object.entries(definition.profiles ?? {});
    return Object.fromEntries(profiles.map(([name, { adapter = '' }]) => [name, adapter]));
  } catch (error) {
    if (error instanceof DevflowError) return {};
    throw error;
  }
}
