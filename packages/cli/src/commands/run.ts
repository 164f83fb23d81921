import {
  DevflowError,
  adapterNames,
  planRun,
  resolveWorkflow,
  run as runWorkflow,
  type RunOptions,
  type WorkflowDefinition,
} from '@devflow/core';
import { agentsIn } from '../agents.js';
import { budgetIn } from '../budget.js';
import { canAsk } from '../adapters/confirmation.js';
import { adaptersNamed } from '../adapters/index.js';
import { loadConfiguration, nameFile } from '../config/load.js';
import { nameOptions } from '../config/options.js';
import { namedWorkflow, withVariables } from '../config/workflow.js';
import type { ExitCode } from '../exit-codes.js';
import { askerOn } from '../gate/question.js';
import { placeOf } from '../place.js';
import { type Work, supervise } from '../supervise.js';
import { readTask } from '../task.js';
import type { Terminal } from '../terminal.js';

export interface RunFlags {
  readonly taskFile?: string;
  readonly from?: string;
  readonly until?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly budget?: string;
  readonly workflow?: string;
  readonly var?: readonly string[];
  readonly base?: string;
  readonly against?: string;
  readonly name?: string;
  readonly sandbox?: string;
  readonly wait?: true;
  readonly dryRun?: true;
  readonly detach?: true;
  readonly json?: true;
  readonly quiet?: true;
  readonly cwd?: string;
}

export async function run(
  argument: string | undefined,
  flags: RunFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const task = await readTask(argument, flags.taskFile, placeOf(flags).cwd);
  const mayAsk = flags.dryRun !== true && canAsk(terminal, flags);
  const { definition, options, work, named } = await prepareRun(
    task,
    flags,
    mayAsk ? terminal : undefined,
  );
  if (flags.dryRun !== true && flags.detach !== true) {
    const asker = mayAsk ? askerOn(terminal, placeOf(flags)) : undefined;
    return supervise(flags, terminal, work, asker);
  }
  try {
    if (flags.dryRun === true) {
      const { showDryRun } = await import('./dry-run.js');
      return await showDryRun(definition, options, flags, terminal);
    }
    const planned = await planRun(definition, options);
    const { detach } = await import('../detach/start.js');
    const { id: runId } = planned.definition;
    const { directory } = planned.paths;
    const job = { command: 'run', task, flags: { ...flags, name: runId } } as const;
    return await detach({ ...job, runId, directory }, flags, terminal);
  } catch (error) {
    throw named(error);
  }
}

/** A run that only has to be begun. */
export interface PreparedRun {
  readonly definition: WorkflowDefinition;
  readonly options: RunOptions;
  readonly work: Work;
  /** Gives an error the names of the configuration and of the command line. */
  readonly named: (error: unknown) => unknown;
}

/**
 * Reads the configuration and loads the adapters.
 *
 * @param askOn where a person may be asked to confirm local code
 */
export async function prepareRun(
  task: string,
  flags: RunFlags,
  askOn?: Terminal,
): Promise<PreparedRun> {
  const place = placeOf(flags);
  const configuration = await loadConfiguration(place.cwd, flags.var);
  const chosen = namedWorkflow(configuration.definition, flags.workflow);
  const asked = withVariables(chosen, configuration.dir, flags.var);
  const definition = confined(asked, flags.sandbox);
  const { from, until, model, effort, base, against, name } = flags;
  const agents = agentsIn(flags.agent);
  const workflow = resolveWorkflow(definition, configuration.dir);
  const names = adapterNames(workflow, agents);
  const options: RunOptions = {
    ...place,
    task,
    workflowDir: configuration.dir,
    adapters: await adaptersNamed(names, place, askOn),
    hooks: configuration.hooks,
    wait: flags.wait === true,
    ...(from !== undefined && { from }),
    ...(until !== undefined && { until }),
    ...(agents !== undefined && { agent: agents }),
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
    ...(base !== undefined && { base }),
    ...(against !== undefined && { against }),
    ...(name !== undefined && { name }),
    ...budgetIn(flags.budget),
  };
  const named = (error: unknown) => nameFile(nameOptions(error, flags), configuration);
  const work: Work = (watched) =>
    runWorkflow(definition, { ...options, ...watched }).catch((error: unknown) => {
      throw named(error);
    });
  return { definition, options, work, named };
}

/** A sandbox that was asked for and cannot be had is an error, never left out. */
function confined(definition: WorkflowDefinition, sandbox: string | undefined): WorkflowDefinition {
  if (sandbox === undefined) return definition;
  if (sandbox === 'none' || sandbox === 'own') return { ...definition, sandbox };
  throw new DevflowError('SANDBOX_UNSUPPORTED', `there is no sandbox "${sandbox}"`);
}
