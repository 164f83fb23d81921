import type { PlannedRun } from '../hold.js';
import { sandboxProvider } from '../sandbox/index.js';
import type { RunOptions } from '../start.js';
import { EMPTY } from '../state/fold.js';
import type { PreflightContext } from './index.js';

/** For the preflight of a run that is only planned: nothing is journalled. */
export function plannedContext(
  planned: PlannedRun,
  options: Omit<RunOptions, 'task'>,
): PreflightContext {
  const { definition, repository, agents } = planned;
  return {
    definition,
    repository,
    agents,
    config: planned.config,
    measured: { facts: undefined },
    env: options.env,
    sandbox: sandboxProvider(definition.workflow.sandbox),
    hooks: options.hooks ?? {},
    stop: options.signal ?? new AbortController().signal,
    log: { state: EMPTY, append: () => undefined, assertInPlace: () => undefined },
    loginChecked: new Set(),
  };
}
