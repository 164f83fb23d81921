import { resolveAgents } from './agents.js';
import { hashCode, requireSameCode } from './code.js';
import { DevflowError } from './errors.js';
import { findRepository } from './git/repository.js';
import type { CodeOptions, CommonOptions } from './hold.js';
import { missingHooks, requireHooks } from './hooks.js';
import type { RunResult } from './result.js';
import { drive } from './run.js';
import { GO_ON } from './run-fault.js';
import { tellUntold } from './notify/untold.js';
import { requirePlatform } from './start.js';
import { readDefinition } from './state/definition.js';
import { withClearFaults } from './state/fault.js';
import { runPaths } from './state/paths.js';
import { takeUpRun } from './take-up.js';
import { readBudget } from './workflow/read-budget.js';
import type { BudgetDefinition } from './workflow/schema-budget.js';

export interface ResumeOptions extends CommonOptions, CodeOptions {
  /** Go on although hooks or local adapters have changed since the run began. */
  readonly acceptCode?: boolean;
  /**
   * What the run may spend in all from here on, counted from its beginning: in place of what its budget said of
   * these kinds, and of what the budgets of phases said that are used up. What attempts before did not state is
   * not asked for any more, and not counted.
   */
  readonly budget?: BudgetDefinition;
  /** Only if the instant has come that it waits for: no person's new word, so that no retries are renewed. */
  readonly due?: boolean;
}

/**
 * Goes on with a run: follows an agent that still works, judges one that ended unseen, looks again at what
 * stood in the way. Whatever the run was started with still counts.
 *
 * @throws DevflowError OPTION_INVALID, RUN_NOT_FOUND, RUN_HELD, LOCK_FOREIGN, RUN_FINISHED, RUN_NOT_DUE, CODE_CHANGED, JOURNAL_CORRUPT, JOURNAL_NEWER
 */
export function resume(runId: string, options: ResumeOptions): Promise<RunResult> {
  return withClearFaults(() => goOn(runId, options), GO_ON);
}

async function goOn(runId: string, options: ResumeOptions): Promise<RunResult> {
  requirePlatform();
  const { cwd, env, adapters, hooks = {} } = options;
  const limit = options.budget === undefined ? undefined : readBudget(options.budget);
  const repository = await findRepository(cwd, env);
  const paths = runPaths(repository.commonDir, runId);
  const definition = readDefinition(paths.definition, runId);
  const { workflow } = definition;
  const agents = resolveAgents(workflow, adapters, missingHooks(workflow, hooks));
  requireHooks(workflow, hooks);
  if (options.acceptCode !== true) requireSameCode(definition, hashCode(workflow, hooks, agents));
  const planned = { definition, repository, agents, paths, config: undefined };
  const held = await takeUpRun(planned, options, limit).catch(async (error: unknown) => {
    // Nobody takes it up any more; its devflow may have died before it could tell.
    if (error instanceof DevflowError && error.code === 'RUN_FINISHED')
      await tellUntold(runId, options);
    throw error;
  });
  try {
    const result = await drive(held.context);
    held.reportListener();
    return result;
  } finally {
    held.release();
  }
}
