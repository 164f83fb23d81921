import { type AgentAdapter, AdapterOptionsError, type Problem } from '../adapter/index.js';
import { agentEnvironment } from '../environment.js';
import { ownPreflight } from '../preflight/agent.js';
import { createProbe } from '../preflight/probe.js';
import { findProgram } from '../process/program.js';
import type { CommonOptions } from '../hold.js';
import { defaultStateDir } from '../state/paths.js';

/** What can be said of an adapter without a run. Undefined: not known. */
export interface AdapterFacts {
  /** Absolute path of the agent's program. */
  readonly program?: string;
  readonly version?: string;
  readonly problems: readonly Problem[];
  readonly notes: readonly string[];
}

/** Asks an adapter for its program, version and login, by its own preflight. Spends nothing. */
export async function inspectAdapter(
  adapter: AgentAdapter,
  { cwd, env }: CommonOptions,
): Promise<AdapterFacts> {
  const mode = adapter.capabilities.modes[0] ?? 'work';
  const agentEnv = agentEnvironment(env, adapter, undefined);
  const facts = {
    cwd,
    mode,
    confinedBy: 'nobody',
    env: agentEnv,
    checkLogin: true,
    asks: [],
  } as const;
  const stop = new AbortController().signal;
  const program = programOf(adapter, facts);
  const found = program === undefined ? undefined : findProgram(program, cwd, agentEnv);
  const { problems, notes, version } = await ownPreflight(
    adapter,
    createProbe(facts, defaultStateDir(env)),
    stop,
  );
  return {
    ...(found !== undefined && { program: found }),
    ...(version !== undefined && { version }),
    problems,
    notes,
  };
}

/** Undefined where only a profile names it. */
function programOf(
  adapter: AgentAdapter,
  { cwd, mode, confinedBy }: Pick<Parameters<typeof createProbe>[0], 'cwd' | 'mode' | 'confinedBy'>,
): string | undefined {
  const place = { cwd, extraWritableRoots: [], scratchDir: cwd };
  try {
    return adapter.execCommand({ phase: 1, mode, prompt: '', confinedBy, ...place }).program;
  } catch (error) {
    if (error instanceof AdapterOptionsError) return undefined;
    throw error;
  }
}
