import { statSync } from 'node:fs';
import path from 'node:path';
import { type AgentAdapter, DevflowError } from '@devflow/core';
import { directoryAdapter } from '@devflow/core/directory';
import { type AdapterKit, type AdapterSubject, directoryKit, readKit } from '@devflow/core/testing';
import { configurationDirectory } from '../config/places.js';
import type { Place } from '../place.js';
import type { Candidate } from './candidate.js';
import { findAdapter, isPath } from './find.js';
import { MODULE_KINDS, loadExports } from './module.js';
import { unknownAdapter } from './unknown.js';

/** What the packages of devflow's own adapters bring along. */
const KITS: Readonly<Record<string, () => Promise<AdapterKit>>> = {
  claude: async () => (await import('@devflow/adapter-claude/conformance')).conformance,
  codex: async () => (await import('@devflow/adapter-codex/conformance')).conformance,
  opencode: async () => (await import('@devflow/adapter-opencode/conformance')).conformance,
  command: async () => ({ stub: { options: (program) => ({ command: [program] }) } }),
};

/**
 * An adapter as the conformance suite is asked for it: a person's word for running it. A path starts from the
 * current directory.
 *
 * @throws DevflowError ADAPTER_UNKNOWN, ADAPTER_INVALID
 */
export async function adapterSubject(name: string, { cwd, env }: Place): Promise<AdapterSubject> {
  const base = isPath(name) ? cwd : configurationDirectory(cwd);
  const candidate = await findAdapter(name, base, env);
  if (candidate === undefined) throw await unknownAdapter([name], base, cwd);
  await candidate.source(); // says what is wrong with what is no adapter
  const { adapter, kit } = await load(candidate);
  return { adapter, ...kit };
}

/** By the name that it gives itself, not by the one by which it was asked for. */
async function load(candidate: Candidate): Promise<{ adapter: AgentAdapter; kit: AdapterKit }> {
  const { name, path: file, isData } = candidate;
  if (file === undefined)
    return { adapter: await candidate.load(undefined), kit: (await KITS[name]?.()) ?? {} };
  if (isData) return { adapter: directoryAdapter(file), kit: directoryKit(file) };
  const module = moduleOf(file);
  const { adapter, exported } = await loadExports(module);
  return { adapter, kit: kitIn(exported, module) };
}

function kitIn(exported: unknown, module: string): AdapterKit {
  try {
    return readKit((exported as { conformance?: unknown }).conformance ?? {}, module); // of a module's namespace
  } catch (error) {
    if (error instanceof DevflowError) throw error;
    const why = `${module} cannot be tested: its conformance cannot be read: ${String(error)}`;
    throw new DevflowError('ADAPTER_INVALID', why, { cause: error });
  }
}

/** The module of a directory, or the file itself. */
function moduleOf(file: string): string {
  if (!statSync(file).isDirectory()) return file;
  const names = MODULE_KINDS.map((kind) => path.join(file, `adapter.${kind}`));
  return names.find((name) => statSync(name, { throwIfNoEntry: false }) !== undefined) ?? file;
}
