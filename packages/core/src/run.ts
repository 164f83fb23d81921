import type { RunContext } from './context.js';
import { type Step, decide } from './policy.js';
import { adoptAttempt, attemptPhase, mayBegin } from './phase.js';
import { type RunResult, runResult } from './result.js';
import { type RunOptions, startRun } from './start.js';
import type { WorkflowDefinition } from './workflow/schema.js';
import { discardReviews, releaseWorktree } from './workspace.js';

/**
 * Takes a task through the phases of a workflow, on a repository.
 *
 * Never prints, never exits, reads nothing of the process it runs in. What an agent did or failed to do is
 * in the result; what stands in the way of a run as a whole is thrown.
 *
 * @throws DevflowError CONFIG_INVALID, TASK_EMPTY, OPTION_INVALID, NOT_A_REPOSITORY, BARE_REPOSITORY, NO_COMMITS,
 *   BASE_NOT_FOUND, RUN_EXISTS, HOOK_MISSING, ENVIRONMENT_INCOMPLETE, PLATFORM_UNSUPPORTED and others of {@link ERRORS}
 */
export async function run(workflow: WorkflowDefinition, options: RunOptions): Promise<RunResult> {
  const started = await startRun(workflow, options);
  try {
    return await drive(started.context);
  } finally {
    started.release();
  }
}

/** From the journal's state to the next step, until the run ends or waits. */
export async function drive(context: RunContext): Promise<RunResult> {
  const { definition, log, emit, stop } = context;
  let checked = false; // a run that was resumed is checked again before its first attempt
  for (;;) {
    const step = decide(definition.workflow, definition.range, log.state);
    // An attempt under way is taken up and ended as stopped; nothing new is begun.
    if (stop.aborted && step.do !== 'adopt' && step.do !== 'end')
      return end(context, 'stopped', 'stopped between attempts');
    switch (step.do) {
      case 'enter': {
        const head = await mayBegin(context, step.phase);
        if (head === undefined) return blocked(context, step.phase.name);
        enter(context, step, head);
        checked = true;
        break;
      }
      case 'attempt':
        if (!checked && (await mayBegin(context, step.phase)) === undefined)
          return blocked(context, step.phase.name);
        checked = true;
        if (!(await attemptPhase(context, step.phase, step.visit, step.number)))
          return blocked(context, step.phase.name);
        break;
      case 'adopt':
        await adoptAttempt(context, step.phase, step.visit, step.attempt);
        break;
      case 'wait': {
        const { for: what, reason, until } = step;
        const waiting = {
          type: 'run-waiting',
          for: what,
          reason,
          ...(until !== undefined && { until }),
        } as const;
        log.append(waiting);
        emit(waiting);
        return runResult(context);
      }
      case 'end':
        return end(context, step.state, step.reason);
      default:
        return step satisfies never;
    }
  }
}

function enter(
  { log, emit }: RunContext,
  step: Extract<Step, { do: 'enter' }>,
  head: string,
): void {
  const { phase, because, sentBackBy } = step;
  log.append({
    type: 'phase-entered',
    phase: phase.id,
    head,
    because,
    ...(sentBackBy !== undefined && { sentBackBy }),
  });
  emit({ type: 'phase-entered', phase: phase.id, name: phase.name, because });
}

/** A failed preflight is a gate: `resume` looks again. */
function blocked(context: RunContext, phase: string): RunResult {
  if (context.stop.aborted) return stopped(context);
  const waiting = {
    type: 'run-waiting',
    for: 'preflight',
    reason: `the preflight of phase ${phase} found problems`,
  } as const;
  context.log.append(waiting);
  context.emit(waiting);
  return runResult(context);
}

function stopped(context: RunContext): RunResult {
  const ended = {
    type: 'run-ended',
    state: 'stopped',
    reason: 'stopped before the phase began',
  } as const;
  context.log.append(ended);
  context.emit(ended);
  return runResult(context);
}

async function end(
  context: RunContext,
  state: 'completed' | 'failed' | 'stopped',
  reason: string,
): Promise<RunResult> {
  await discardReviews(context);
  if (state === 'completed') await releaseWorktree(context);
  const ended = { type: 'run-ended', state, reason } as const;
  context.log.append(ended);
  context.emit(ended);
  return runResult(context);
}
