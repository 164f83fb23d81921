import type { RunEvent, RunResult } from '@devflow/core';
import { DevflowError, type ErrorCode } from '@devflow/core/errors';
import type { ResumeFlags } from '../commands/resume.js';
import type { RunFlags } from '../commands/run.js';

/** What a devflow without a terminal is to do. */
export type Job = (
  | { readonly command: 'run'; readonly task: string; readonly flags: RunFlags }
  | { readonly command: 'resume'; readonly flags: ResumeFlags }
) & {
  readonly runId: string;
  /** The run's directory, which may not be there yet. */
  readonly directory: string;
  /** What it prints goes there. */
  readonly log: string;
};

/** What it tells the devflow that started it, until the run is under way. */
export type Told =
  | { readonly type: 'event'; readonly event: RunEvent }
  | { readonly type: 'result'; readonly result: RunResult }
  | { readonly type: 'failed'; readonly error: ToldError };

/** An error, as it goes from one process to another. */
interface ToldError {
  /** None of a fault of devflow itself. */
  readonly code?: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  readonly problems: readonly string[];
}

/** From here on nobody needs to see the run: what could be wrong with it at once is not, or it waits by itself. */
export function isUnderWay(event: RunEvent): boolean {
  if (event.type === 'run-waiting') return event.stays === true;
  return event.type === 'worktree-adding' || event.type === 'attempt-started';
}

export function toldError(error: unknown): ToldError {
  if (error instanceof DevflowError) {
    const { code, message, hint, problems } = error;
    return { code, message, hint, problems };
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { message, problems: [] };
}

export function asError({ code, message, hint, problems }: ToldError): Error {
  if (code !== undefined)
    return new DevflowError(code, message, { problems, ...(hint !== undefined && { hint }) });
  const error = new Error(message);
  error.stack = message; // that of the other process
  return error;
}
