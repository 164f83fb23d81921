import {
  DevflowError,
  adapterNames,
  resolveWorkflow,
  run as runWorkflow,
  type RunOptions,
  type WorkflowDefinition,
} from '@devflow/core';
import { agentsIn } from '../agents.js';
import { canAsk } from '../adapters/confirmation.js';
import { adaptersNamed } from '../adapters/index.js';
import { loadConfiguration, nameFile } from '../config/load.js';
import { nameOptions } from '../config/options.js';
import type { ExitCode } from '../exit-codes.js';
import { placeOf } from '../place.js';
import { supervise } from '../supervise.js';
import { readTask } from '../task.js';
import type { Terminal } from '../terminal.js';

export interface RunFlags {
  readonly taskFile?: string;
  readonly from?: string;
  readonly until?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly base?: string;
  readonly name?: string;
  readonly sandbox?: string;
  readonly dryRun?: true;
  readonly json?: true;
  readonly quiet?: true;
  readonly cwd?: string;
}

export async function run(
  argument: string | undefined,
  flags: RunFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const place = placeOf(flags);
  const task = await readTask(argument, flags.taskFile, place.cwd);
  const configuration = await loadConfiguration(place.cwd);
  const definition = confined(configuration.definition, flags.sandbox);
  const { from, until, model, effort, base, name } = flags;
  const agents = agentsIn(flags.agent);
  const workflow = resolveWorkflow(definition, configuration.dir);
  const names = adapterNames(workflow, agents);
  const mayAsk = flags.dryRun !== true && canAsk(terminal, flags);
  const options: RunOptions = {
    ...place,
    task,
    workflowDir: configuration.dir,
    adapters: await adaptersNamed(names, place, mayAsk ? terminal : undefined),
    hooks: configuration.hooks,
    ...(from !== undefined && { from }),
    ...(until !== undefined && { until }),
    ...(agents !== undefined && { agent: agents }),
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
    ...(base !== undefined && { base }),
    ...(name !== undefined && { name }),
  };
  try {
    if (flags.dryRun === true) {
      const { showDryRun } = await import('./dry-run.js');
      return await showDryRun(definition, options, flags, terminal);
    }
    return await supervise(flags, terminal, (watched) =>
      runWorkflow(definition, { ...options, ...watched }),
    );
  } catch (error) {
    throw nameFile(nameOptions(error, flags), configuration);
  }
}

/** A sandbox that was asked for and cannot be had is an error, never left out. */
function confined(definition: WorkflowDefinition, sandbox: string | undefined): WorkflowDefinition {
  if (sandbox === undefined) return definition;
  if (sandbox === 'none' || sandbox === 'own') return { ...definition, sandbox };
  throw new DevflowError('SANDBOX_UNSUPPORTED', `there is no sandbox "${sandbox}"`);
}
