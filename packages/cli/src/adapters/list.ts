import {
  type AgentCapabilities,
  DevflowError,
  type Problem,
  adapterNames,
  resolveWorkflow,
} from '@devflow/core';
import { confirmationOf } from '@devflow/core/directory';
import { inspectAdapter } from '@devflow/core/doctor';
import { loadConfiguration } from '../config/load.js';
import { configurationDirectory } from '../config/places.js';
import type { Place } from '../place.js';
import { type Candidate, type Origin, replacementNotes, replacesBuiltIn } from './candidate.js';
import { unconfirmedProblem } from './confirmation.js';
import { findAdapter, knownAdapters } from './find.js';

/** An adapter as it is shown. Undefined: not known, or not applicable. */
export interface ListedAdapter {
  readonly name: string;
  readonly origin: Origin;
  /** Where its code lies. */
  readonly path?: string;
  /** The agent's program. */
  readonly program?: string;
  readonly version?: string;
  /** In words; empty where nothing is known before it is run. */
  readonly capabilities: readonly string[];
  /** Of local code: has a person confirmed it as it is now? */
  readonly confirmed?: boolean;
  /** What stands in the way of using it. */
  readonly problems: readonly Problem[];
  readonly notes: readonly string[];
}

/** All that is known by name, and what the configuration names besides. Runs no code that is not confirmed. */
export async function listAdapters(place: Place): Promise<ListedAdapter[]> {
  const base = configurationDirectory(place.cwd);
  const known = knownAdapters(base);
  const others = (await namedInConfiguration(place)).filter((name) =>
    known.every((candidate) => candidate.name !== name),
  );
  const found = await Promise.all(others.map((name) => findAdapter(name, base, place.env)));
  const candidates = [...known, ...found.flatMap((candidate) => candidate ?? [])];
  return Promise.all(candidates.map((candidate) => describe(candidate, place)));
}

/** Of phases and of profiles that no phase uses. */
async function namedInConfiguration({ cwd }: Place): Promise<string[]> {
  const { definition, dir } = await loadConfiguration(cwd, 'later');
  const workflow = resolveWorkflow(definition, dir);
  return [
    ...new Set([
      ...adapterNames(workflow),
      ...adapterNames(workflow, Object.keys(workflow.profiles)),
    ]),
  ];
}

async function describe(candidate: Candidate, place: Place): Promise<ListedAdapter> {
  const { name, origin, path } = candidate;
  const own = replacementNotes(candidate);
  const at = { name, origin, ...(path !== undefined && { path }), notes: own };
  try {
    const source = await candidate.source();
    const confirmation = source === undefined ? undefined : confirmationOf(source, place.env);
    const confirmed = confirmation === 'confirmed';
    const state = { ...at, ...(confirmation !== undefined && { confirmed }) };
    const replaces = replacesBuiltIn(candidate);
    const unconfirmed =
      source === undefined || confirmation === undefined || confirmation === 'confirmed'
        ? []
        : [unconfirmedProblem({ name, source, confirmation, replaces })];
    if (unconfirmed.length > 0 && !candidate.isData)
      return { ...state, capabilities: [], problems: unconfirmed };
    const adapter = await candidate.load(source);
    const { program, version, problems, notes } = await inspectAdapter(adapter, place);
    return {
      ...state,
      ...(program !== undefined && { program }),
      ...(version !== undefined && { version }),
      capabilities: inWords(adapter.capabilities),
      problems: [...unconfirmed, ...problems],
      notes: [...new Set([...own, ...notes])],
    };
  } catch (error) {
    return { ...at, capabilities: [], problems: [problemOf(error)] };
  }
}

/** One that cannot be looked at hides no other. */
function problemOf(error: unknown): Problem {
  if (!(error instanceof DevflowError)) {
    const words = error instanceof Error ? error.message : String(error);
    return {
      code: 'ADAPTER_INVALID',
      message: `it fails when it is asked what it is: ${words}`,
      hint: 'Correct its code.',
    };
  }
  const { code, message, problems, hint } = error;
  return {
    code,
    message: [message, ...problems.map((problem) => `- ${problem}`)].join('\n'),
    hint,
  };
}

function inWords({ modes, usage, ...can }: AgentCapabilities): string[] {
  const flags: readonly (readonly [can: boolean | undefined, words: string])[] = [
    [can.continue, 'continue'],
    [can.fork, 'fork'],
    [can.models, 'models'],
    [can.effort !== undefined && can.effort !== false, 'effort'],
    [can.instructions, 'instructions'],
    [can.mcp, 'mcp'],
    [can.structuredOutput, 'structured output'],
    [can.ownSandbox, 'own sandbox'],
  ];
  const stated = Object.entries(usage ?? {}).filter(([, when]) => when !== 'none');
  return [
    ...modes,
    ...flags.filter(([is]) => is === true).map(([, words]) => words),
    ...stated.map(([what, when]) => `${what} ${when}`),
  ];
}
