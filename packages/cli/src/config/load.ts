import path from 'node:path';
import {
  DevflowError,
  type Hooks,
  type KnownNames,
  type WorkflowDefinition,
  WORKFLOWS,
  readWorkflow,
} from '@devflow/core';
import { isAdapter, knownAdapters } from '../adapters/find.js';
import { withGiven, withPhases, withSlots } from './workflow.js';
import { loadFile } from './find.js';

/** What a run is made from, and where that was found. */
export interface Configuration {
  /** Undefined: there is none, and the standard workflow is used. */
  readonly file: string | undefined;
  /** Where the prompt files start from. */
  readonly dir: string;
  readonly definition: WorkflowDefinition;
  readonly hooks: Hooks;
}

/** The agent of phases, and the adapter of profiles, for which none is named. */
const DEFAULT_AGENT = 'claude';

/**
 * @param given what `--var` says: it stands for variables that the file has no value for; `later`: it is only looked at, and needs none
 * @throws DevflowError CONFIG_INVALID naming the file, and every problem in it
 */
export async function loadConfiguration(
  cwd: string,
  given: readonly string[] | 'later' = [],
): Promise<Configuration> {
  const found = await loadFile(cwd);
  if (found === undefined) {
    return { file: undefined, dir: cwd, definition: withAgent(WORKFLOWS.standard, cwd), hooks: {} };
  }
  const { file, hooks } = found;
  const dir = path.dirname(file);
  const written = withPhases(found.data);
  const data = given === 'later' ? withSlots(written, dir) : written;
  // Refused here, where the file can be named.
  await readWorkflow(
    given === 'later' ? data : withGiven(data, given),
    dir,
    knownBeside(dir, hooks),
    file,
  );
  // It was just validated: the schema's input is what it is.
  return { file, dir, definition: withAgent(data as WorkflowDefinition, dir), hooks };
}

function knownBeside(dir: string, hooks: Hooks): KnownNames {
  return {
    hooks: Object.keys(hooks),
    adapters: knownAdapters(dir).map(({ name }) => name),
    isAdapter: (name) => isAdapter(name, dir),
  };
}

/** Only the code of the configuration: a run that was started keeps its data. */
export async function loadHooks(cwd: string): Promise<Hooks> {
  return (await loadFile(cwd))?.hooks ?? {};
}

/** Names the configuration where the library, which does not know of files, could not. */
export function nameFile(error: unknown, { file }: Pick<Configuration, 'file'>): unknown {
  if (!(error instanceof DevflowError) || file === undefined) return error;
  if (error.code !== 'CONFIG_INVALID' || error.message.includes(file)) return error;
  const { message, hint, problems, cause } = error;
  return new DevflowError('CONFIG_INVALID', `${file}: ${message}`, { hint, problems, cause });
}

/** A profile that is named after an adapter is one of that adapter. */
function withAgent(definition: WorkflowDefinition, dir: string): WorkflowDefinition {
  const known = new Set(knownAdapters(dir).map(({ name }) => name));
  const profiles = Object.entries(definition.profiles ?? {}).map(([name, profile]) => {
    const adapter = profile.adapter ?? (known.has(name) ? name : DEFAULT_AGENT);
    return [name, { ...profile, adapter }] as const;
  });
  return {
    ...definition,
    defaults: { agent: DEFAULT_AGENT, ...definition.defaults },
    profiles: Object.fromEntries(profiles),
  };
}
