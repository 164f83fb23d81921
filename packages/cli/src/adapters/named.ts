import { type AdapterSource, type AgentAdapter } from '@devflow/core';
import { AdapterOptionsError, MEMBER_NAMES } from '@devflow/core/adapter';
import { sourceProblems } from '@devflow/core/directory';

/** What belongs to an adapter where it was found. */
export interface Kept {
  /** The local code that it was made from. */
  readonly source?: AdapterSource;
  /** What whoever uses it should know of where it comes from, said with its login. */
  readonly notes: readonly string[];
}

/**
 * An adapter under the name by which a configuration asks for it, whatever it calls itself; with the local code
 * it was made from, which must not change before a launch. Members keep their object: it may be a class's.
 */
export function named(adapter: AgentAdapter, name: string, kept: Kept): AgentAdapter {
  const { source, notes } = kept;
  const members = MEMBER_NAMES.filter((member) => adapter[member] !== undefined).map((member) => {
    const value: unknown = adapter[member];
    return [member, typeof value === 'function' ? (value.bind(adapter) as unknown) : value];
  });
  return {
    ...(Object.fromEntries(members) as AgentAdapter), // every member of one
    name,
    ...(source !== undefined && { source }),
    ...((source !== undefined || notes.length > 0) && {
      preflight: (probe) => preflight(adapter, kept, probe),
    }),
    ...(adapter.configure !== undefined && {
      configure: (options) => named(configure(adapter, options), name, kept),
    }),
  };
}

const preflight = async (
  adapter: AgentAdapter,
  { source, notes }: Kept,
  probe: Parameters<NonNullable<AgentAdapter['preflight']>>[0],
) => {
  const changed = source === undefined ? [] : sourceProblems(source);
  // What has changed is not asked what it thinks of itself.
  if (changed.length > 0) return { problems: changed, notes: [] };
  const found = (await adapter.preflight?.(probe)) ?? { problems: [], notes: [] };
  return probe.checkLogin ? { ...found, notes: [...notes, ...found.notes] } : found;
};

/** An error of another copy of the contract, as a package brings it along, is no instance of ours. */
function configure(
  adapter: AgentAdapter,
  options: Readonly<Record<string, unknown>>,
): AgentAdapter {
  try {
    return adapter.configure?.(options) ?? adapter;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'AdapterOptionsError') throw error;
    if (!('problems' in error) || !Array.isArray(error.problems)) throw error;
    throw new AdapterOptionsError(error.problems.map(String));
  }
}
