import type { RunContext } from '../context.js';
import { helperEnvironment } from '../environment.js';
import path from 'node:path';
import { runSecrets } from '../notify/secrets.js';
import { redactor } from '../observe/redact.js';
import { type CommandResult, runCommand } from '../process/command.js';
import { effect } from '../process/effect.js';
import { makeDirectory, writeDurably } from '../state/files.js';
import type { CheckResult } from '../state/records.js';
import { formatDuration } from '../workflow/units.js';
import type { Check, Phase, PhaseCheck } from '../workflow/workflow.js';

/** What of a command's output is kept in the journal, in bytes. */
const KEPT_OUTPUT = 8_000;
/** What of a check's output is kept in a file, in bytes. */
const LOGGED_OUTPUT = 4_000_000;

export interface CheckRun {
  readonly checks: readonly PhaseCheck[];
  /** Of the attempt that is checked, or comes next. */
  readonly attempt: number;
  /** The checkout. */
  readonly cwd: string;
  /** Gets their output: `checks/1.log`. */
  readonly directory: string;
  /** Is it the run before the first attempt of a visit? */
  readonly before?: true;
}

/** Runs the operator's checks, one after another, each to its end or its time limit. */
export async function runChecks(
  context: RunContext,
  phase: Phase,
  { checks, attempt, cwd, directory, before }: CheckRun,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  const about = { phase: phase.id, attempt, ...(before && { before }) };
  for (const [index, check] of checks.entries()) {
    if (context.stop.aborted) {
      results.push(notRun(check)); // what was not run has not passed
      continue;
    }
    context.emit({ type: 'check-started', ...about, name: check.name });
    const ended = await runOperatorCommand(context, check, cwd, LOGGED_OUTPUT);
    const log = path.join(directory, 'checks', `${index + 1}.log`);
    keepOutput(log, ended);
    const result = checkResult(check, ended, log);
    context.emit({ type: 'check-ended', ...about, check: result });
    results.push(result);
  }
  return results;
}

/** What an operator's command needs of a run. */
export type CommandContext = Pick<RunContext, 'definition' | 'agents' | 'env' | 'stop'>;

interface OperatorResult extends CommandResult {
  /** Was its output longer than what was to be kept? */
  readonly isCut: boolean;
}

/**
 * A command of the operator's: from the frozen workflow, never from what an agent can change. What it printed comes
 * without the secrets of the run: it goes into the journal and into later prompts, and so to agents.
 */
export async function runOperatorCommand(
  context: CommandContext,
  check: Check,
  cwd: string,
  keepBytes = KEPT_OUTPUT,
): Promise<OperatorResult> {
  const { command, timeoutMs } = check;
  const env = helperEnvironment(context.env);
  const limits = { timeoutMs, signal: context.stop, keepBytes };
  const result = await effect('command.run', () => runCommand(command, { cwd, env, ...limits }));
  const redact = redactor(runSecrets(context.definition, context.agents, context.env));
  return { ...redact(result), isCut: Buffer.byteLength(result.output) >= keepBytes };
}

function keepOutput(log: string, { output, isCut }: OperatorResult): void {
  const left = isCut ? `[only the last ${LOGGED_OUTPUT} bytes are kept]\n` : '';
  effect('checks.log', () => {
    makeDirectory(path.dirname(log));
    writeDurably(log, `${left}${output}`);
  });
}

function checkResult(check: Check, result: CommandResult, log: string): CheckResult {
  return {
    name: check.name,
    command: check.command,
    passed: result.status === 0,
    ended: howItEnded(result, check.timeoutMs),
    output: Buffer.from(result.output).subarray(-KEPT_OUTPUT).toString('utf8'),
    log,
    durationMs: Math.round(result.durationMs),
  };
}

function notRun({ name, command }: Check): CheckResult {
  return { name, command, passed: false, ended: 'stopped', output: '', durationMs: 0 };
}

/** `exit 1`, `timed out after 10m 0s`, `SIGKILL`, or why it could not be started. */
export function howItEnded(result: CommandResult, timeoutMs: number): string {
  if (result.spawnError !== undefined)
    return `could not be started: ${withoutCommand(result.spawnError)}`;
  if (result.timedOut) return `timed out after ${formatDuration(timeoutMs)}`;
  if (result.aborted) return 'stopped';
  return result.status === undefined
    ? (result.signal ?? 'ended without a status')
    : `exit ${result.status}`;
}

/** The first line is the whole command line, which may hold a whole message. */
function withoutCommand(error: string): string {
  const [first = '', ...reasons] = error.split('\n');
  const [, missing] = /^spawn (\S+) ENOENT$/.exec(reasons.at(-1) ?? first) ?? [];
  if (missing !== undefined)
    return `${missing} is not in the PATH, or the directory to run it in is gone`;
  return reasons.length === 0 ? first : reasons.join('; ');
}
