import { type AgentAdapter, DevflowError } from '@devflow/core';
import { confirm, confirmationOf, isConfirmed } from '@devflow/core/directory';
import { configurationDirectory } from '../config/places.js';
import type { Place } from '../place.js';
import type { Terminal } from '../terminal.js';
import { type Candidate, replacesBuiltIn } from './candidate.js';
import {
  type Unconfirmed,
  askToConfirm,
  unconfirmedError,
  unconfirmedText,
} from './confirmation.js';
import { findAdapter, knownAdapters } from './find.js';
import { pathsMeant, unknownAdapter } from './unknown.js';

/**
 * The adapters of these names, loaded, and the names of all others that are known here, so that the core can say
 * what was meant by one that is not.
 *
 * @param askOn where a person may be asked to confirm local code; without it an error says what to do
 * @param goOn the command by which a run goes on with other code than it began with, where that is needed too
 * @throws DevflowError ADAPTER_INVALID, ADAPTER_UNCONFIRMED, naming all that are in the way; ADAPTER_UNKNOWN for a
 * path that does not begin as one
 */
export async function adaptersNamed(
  names: readonly string[],
  { cwd, env }: Place,
  askOn?: Terminal,
  goOn?: string,
): Promise<AgentAdapter[]> {
  const base = configurationDirectory(cwd);
  const candidates = await Promise.all(names.map((name) => findAdapter(name, base, env)));
  const slips = pathsMeant(
    names.filter((_, index) => candidates[index] === undefined),
    base,
  );
  if (slips.length > 0) throw await unknownAdapter(slips, base, base);
  const found = candidates.flatMap((candidate) => candidate ?? []);
  const confirmed = await requireConfirmed(found, env, askOn, goOn);
  const loaded = await loadAll(confirmed);
  const others = knownAdapters(base).filter(({ name }) => !names.includes(name));
  return [...loaded, ...others.map(({ name }) => onlyKnown(name))];
}

interface Confirmed {
  readonly candidate: Candidate;
  readonly source: Awaited<ReturnType<Candidate['source']>>;
}

async function requireConfirmed(
  candidates: readonly Candidate[],
  env: Place['env'],
  askOn: Terminal | undefined,
  goOn: string | undefined,
): Promise<Confirmed[]> {
  const { results, faults } = await collect(candidates, async (candidate) => ({
    candidate,
    source: await candidate.source(),
  }));
  const unconfirmed = results.flatMap(({ candidate, source }): Unconfirmed[] => {
    if (source === undefined) return [];
    const confirmation = confirmationOf(source, env);
    if (confirmation === 'confirmed') return [];
    return [{ name: candidate.name, source, confirmation, replaces: replacesBuiltIn(candidate) }];
  });
  if (faults.length > 0) throw allFaults(faults, unconfirmed.map(unconfirmedText));
  for (const each of unconfirmed) {
    if (isConfirmed(each.source, env)) continue; // by another name, or by somebody else meanwhile
    if (askOn === undefined || !(await askToConfirm(each, askOn, goOn)))
      throw unconfirmedError(
        unconfirmed.filter(({ source }) => !isConfirmed(source, env)),
        goOn,
      );
    confirm(each.source, env);
  }
  return results;
}

async function loadAll(confirmed: readonly Confirmed[]): Promise<AgentAdapter[]> {
  const { results, faults } = await collect(confirmed, ({ candidate, source }) =>
    candidate.load(source),
  );
  if (faults.length > 0) throw allFaults(faults, []);
  return results;
}

/** Does it for all, one after another, and keeps what is wrong with some. */
async function collect<T, R>(
  items: readonly T[],
  action: (item: T) => Promise<R>,
): Promise<{ results: R[]; faults: DevflowError[] }> {
  const results: R[] = [];
  const faults: DevflowError[] = [];
  for (const item of items) {
    try {
      results.push(await action(item));
    } catch (error) {
      if (!(error instanceof DevflowError)) throw error;
      faults.push(error);
    }
  }
  return { results, faults };
}

function allFaults(faults: readonly DevflowError[], more: readonly string[]): DevflowError {
  const [first] = faults;
  if (first !== undefined && faults.length === 1 && more.length === 0) return first;
  const problems = faults.flatMap(({ message, problems: inner }) =>
    inner.length === 0 ? [message] : inner.map((problem) => `${message}: ${problem}`),
  );
  return new DevflowError('ADAPTER_INVALID', 'adapters cannot be used', {
    problems: [...problems, ...more],
  });
}

/** Known by its name only: nobody asked for it, and so it was not loaded. */
function onlyKnown(name: string): AgentAdapter {
  const refuse = (): never => {
    throw new Error(`the adapter "${name}" was not loaded`);
  };
  return {
    name,
    capabilities: { modes: [] },
    execCommand: refuse,
    completionSignalDetected: refuse,
  };
}
