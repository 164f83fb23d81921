import { randomBytes } from 'node:crypto';
import { chmodSync } from 'node:fs';
import path from 'node:path';
import { resolveAgents } from './agents.js';
import { hashCode } from './code.js';
import { DevflowError } from './errors.js';
import { openRepository, readConfig, realPath } from './git/repository.js';
import {
  type CodeOptions,
  type CommonOptions,
  type HeldRun,
  type PlannedRun,
  announce,
  holdRun,
} from './hold.js';
import { missingHooks, requireHooks } from './hooks.js';
import { phaseNamed } from './phase-named.js';
import { partingFrom, requireSomethingToShow } from './against.js';
import type { PhaseRange } from './policy/step.js';
import { effect } from './process/effect.js';
import { type RunDefinition, definitionHash, definitionText } from './state/definition.js';
import { asStateFault } from './state/fault.js';
import { makeDirectory, syncDirectory, writeDurably } from './state/files.js';
import { ownHolder } from './state/lock.js';
import { RUN_ID_LENGTH, defaultStateDir, isRunId, runPaths } from './state/paths.js';
import { removeRun, takeNewRun, tookOverNote } from './state/take.js';
import { worktreesDirectory } from './state/worktrees-directory.js';
import { cutOffRun, takeUpRun } from './take-up.js';
import { readBudget } from './workflow/read-budget.js';
import type { BudgetDefinition } from './workflow/schema-budget.js';
import type { WorkflowDefinition } from './workflow/schema.js';
import { readWorkflow } from './workflow/read-workflow.js';
import type { Workflow } from './workflow/workflow.js';

export interface RunOptions extends CommonOptions, CodeOptions {
  /** What is to be done. */
  readonly task: string;
  /** Where prompt files of the workflow start from; `cwd` where it is left out. */
  readonly workflowDir?: string;
  /** Names the run and its branch; made from the task where it is left out. */
  readonly name?: string;
  /** The commit to start from: a branch, tag or commit; HEAD where it is left out. */
  readonly base?: string;
  /** What to compare with: `{{run.diff}}` is what has come since base parted from it; base itself where it is left out. */
  readonly against?: string;
  /** First and last phase to do, by id or name. */
  readonly from?: number | string;
  readonly until?: number | string;
  /** In place of what the phases say. */
  readonly agent?: string | readonly string[];
  readonly model?: string;
  readonly effort?: string;
  /** What the run may spend: in place of what the workflow's budget says of these kinds. */
  readonly budget?: BudgetDefinition;
  /** Where worktrees go, and what devflow learned of programs; `XDG_STATE_HOME/devflow` where it is left out. */
  readonly stateDir?: string;
}

/** Checks what was asked for and finds out where it would happen. Changes nothing. */
export async function planRun(
  definition: WorkflowDefinition,
  options: RunOptions,
): Promise<PlannedRun> {
  requirePlatform();
  const { task, cwd, env, adapters, hooks = {}, base = 'HEAD' } = options;
  const resolved = await readWorkflow(definition, options.workflowDir ?? cwd, {
    hooks: Object.keys(hooks),
    // In place of those that it names others may be asked for.
    ...(options.agent === undefined && { adapters: adapters.map(({ name }) => name) }),
  });
  const workflow = override(resolved, options);
  const range = phaseRange(workflow, options);
  const agents = resolveAgents(workflow, adapters, missingHooks(workflow, hooks));
  requireHooks(workflow, hooks);
  if (task.trim() === '') throw new DevflowError('TASK_EMPTY', 'the task is empty');
  if (env['PATH'] === undefined)
    throw new DevflowError('ENVIRONMENT_INCOMPLETE', 'PATH is not set');
  const id = options.name ?? idFromTask(task);
  if (!isRunId(id))
    throw new DevflowError('OPTION_INVALID', `"${id}" cannot name a run`, {
      hint: `Use up to ${RUN_ID_LENGTH} letters, digits, and single dots, dashes or underscores between them.`,
    });
  const stateDir = path.resolve(cwd, options.stateDir ?? defaultStateDir(env));
  const [{ repository, base: found }, config] = await Promise.all([
    openRepository(cwd, base, env),
    readConfig(cwd, env),
  ]);
  const against =
    options.against === undefined
      ? undefined
      : await partingFrom(repository.root, options.against, found.commit, base, env);
  if (against === undefined) requireSomethingToShow(workflow, range);
  // HEAD is shown as the branch it stands on; anything else as it was asked for.
  const from = base === 'HEAD' ? found.branch : base;
  const run: RunDefinition = {
    v: 1,
    id,
    task,
    workflow,
    range,
    base: {
      commit: found.commit,
      asked: base,
      ...(from !== undefined && { branch: from }),
    },
    ...(against !== undefined && { against }),
    branch: `${workflow.branchPrefix}/${id}/work`,
    // Agents look up by the real path whether they trust a directory.
    worktrees: realPath(workflow.worktree.dir ?? worktreesDirectory(stateDir, repository)),
    stateDir,
    codeHashes: hashCode(workflow, hooks, agents),
  };
  return { definition: run, repository, agents, config, paths: runPaths(repository.commonDir, id) };
}

/**
 * Begins a run: its directory, its frozen definition, its lock, the first line of its journal. Where there is
 * one of this very name and definition whose devflow died, it is taken up.
 */
export async function startRun(
  workflow: WorkflowDefinition,
  options: RunOptions,
): Promise<HeldRun> {
  const planned = await planRun(workflow, options);
  const cutOff = cutOffRun(planned);
  return cutOff === undefined ? beginRun(planned, options) : takeUpRun(cutOff, options);
}

function beginRun(planned: PlannedRun, options: RunOptions): HeldRun {
  const { definition, paths } = planned;
  const lock = takeNewRun(paths, definition.id);
  let held: HeldRun | undefined;
  try {
    effect('run.define', () => {
      makeDirectory(paths.inbox);
      chmodSync(paths.directory, 0o700); // it holds what profiles set in `env`, and what agents printed
      writeDurably(paths.definition, definitionText(definition));
      syncDirectory(path.dirname(paths.directory));
    });
    held = holdRun(planned, options, lock, { records: [], tornBytes: 0 });
    held.context.log.append({
      type: 'run-started',
      holder: ownHolder(),
      definition: definitionHash(definition),
    });
    announce(held.context, 'run-started');
    const note = tookOverNote(lock); // of one that died before its run began
    if (note !== undefined) held.context.emit({ type: 'note', text: note });
    return held;
  } catch (error) {
    removeRun(paths, lock); // nothing has been done in it yet, and its name is to be free
    (held ?? lock).release();
    throw asStateFault(error);
  }
}

export function requirePlatform(): void {
  if (process.platform !== 'linux')
    throw new DevflowError(
      'PLATFORM_UNSUPPORTED',
      `devflow does not run on ${process.platform} yet`,
    );
}

function override(workflow: Workflow, { agent, model, effort, budget }: RunOptions): Workflow {
  const over = {
    ...(agent !== undefined && { agents: typeof agent === 'string' ? [agent] : agent }),
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
  };
  return {
    ...workflow,
    ...(budget !== undefined && { budget: { ...workflow.budget, ...readBudget(budget) } }),
    phases: workflow.phases.map((phase) => ({ ...phase, ...over })),
  };
}

function phaseRange(workflow: Workflow, { from, until }: RunOptions): PhaseRange {
  const find = (option: string, asked: number | string) =>
    phaseNamed(workflow.phases, option, asked).id;
  const first = from === undefined ? (workflow.phases[0]?.id ?? 1) : find('from', from);
  const last = until === undefined ? (workflow.phases.at(-1)?.id ?? 1) : find('until', until);
  if (first > last)
    throw new DevflowError('OPTION_INVALID', `from ${first} comes after until ${last}`);
  return { first, last };
}

/** `add-a-login-page-k3f9`: readable, and different for the same task. */
function idFromTask(task: string): string {
  const words = task
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{Mark}+/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 32)
    .replace(/^-+|-+$/g, '');
  return `${words === '' ? 'run' : words}-${randomBytes(3).toString('hex').slice(0, 5)}`;
}
