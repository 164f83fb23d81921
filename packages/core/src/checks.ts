import type { RunContext } from './context.js';
import { helperEnvironment } from './environment.js';
import { type CommandResult, runCommand } from './process/command.js';
import { effect } from './process/effect.js';
import type { CheckResult } from './state/records.js';
import { formatDuration } from './workflow/units.js';
import type { Check, Phase } from './workflow/workflow.js';

/** What of a check's output is kept in the journal, in bytes. */
const KEPT_OUTPUT = 8_000;

/** Runs the operator's checks in the worktree, one after another, each to its end or its time limit. */
export async function runChecks(
  context: RunContext,
  phase: Phase,
  attempt: number,
  cwd: string,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of phase.checks) {
    if (context.stop.aborted) {
      results.push(notRun(check)); // what was not run has not passed
      continue;
    }
    context.emit({ type: 'check-started', phase: phase.id, attempt, name: check.name });
    const result = checkResult(check, await runOperatorCommand(context, check, cwd));
    context.emit({ type: 'check-ended', phase: phase.id, attempt, check: result });
    results.push(result);
  }
  return results;
}

/** A command of the operator's: from the frozen workflow, never from what an agent can change. */
export function runOperatorCommand(
  context: Pick<RunContext, 'env' | 'stop'>,
  check: Check,
  cwd: string,
): Promise<CommandResult> {
  const { command, timeoutMs } = check;
  const env = helperEnvironment(context.env);
  const limits = { timeoutMs, signal: context.stop, keepBytes: KEPT_OUTPUT };
  return effect('command.run', () => runCommand(command, { cwd, env, ...limits }));
}

function checkResult(check: Check, result: CommandResult): CheckResult {
  return {
    name: check.name,
    command: check.command,
    passed: result.status === 0,
    ended: howItEnded(result, check.timeoutMs),
    output: result.output,
    durationMs: Math.round(result.durationMs),
  };
}

function notRun({ name, command }: Check): CheckResult {
  return { name, command, passed: false, ended: 'stopped', output: '', durationMs: 0 };
}

/** `exit 1`, `timed out after 10m 0s`, `SIGKILL`, or why it could not be started. */
export function howItEnded(result: CommandResult, timeoutMs: number): string {
  if (result.spawnError !== undefined) return `could not be started: ${result.spawnError}`;
  if (result.timedOut) return `timed out after ${formatDuration(timeoutMs)}`;
  if (result.aborted) return 'stopped';
  return result.status === undefined
    ? (result.signal ?? 'ended without a status')
    : `exit ${result.status}`;
}
