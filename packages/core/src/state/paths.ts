import path from 'node:path';
import { DevflowError } from '../errors.js';
import type { Environment } from '../git/git.js';

/** Where the runs of a repository are kept: survives `git clean`, is one for all worktrees, cannot be committed. */
export function runsDirectory(commonDir: string): string {
  return path.join(commonDir, 'devflow', 'runs');
}

/** The files of one run. */
export interface RunPaths {
  readonly directory: string;
  readonly definition: string;
  readonly journal: string;
  readonly lock: string;
  readonly inbox: string;
  /** See `openRunEvents`. */
  readonly events: string;
  /** See `markEnded`. */
  readonly ended: string;
}

export function runPaths(commonDir: string, runId: string): RunPaths {
  const directory = path.join(runsDirectory(commonDir), runId);
  return {
    directory,
    definition: path.join(directory, 'run.json'),
    journal: path.join(directory, 'journal.jsonl'),
    lock: path.join(directory, 'lock'),
    inbox: path.join(directory, 'inbox'),
    events: path.join(directory, 'events.jsonl'),
    ended: path.join(directory, 'ended'),
  };
}

/** `01-plan/2`: the second attempt at phase 1 over the whole run. */
export function attemptDirectory(
  paths: RunPaths,
  phase: { id: number; name: string },
  attempt: number,
): string {
  return path.join(
    paths.directory,
    `${String(phase.id).padStart(2, '0')}-${phase.name}`,
    String(attempt),
  );
}

/** `XDG_STATE_HOME/devflow`, or `~/.local/state/devflow`. @throws DevflowError ENVIRONMENT_INCOMPLETE */
export function defaultStateDir(env: Environment): string {
  const { XDG_STATE_HOME, HOME } = env;
  if (XDG_STATE_HOME !== undefined && path.isAbsolute(XDG_STATE_HOME))
    return path.join(XDG_STATE_HOME, 'devflow');
  if (HOME === undefined || !path.isAbsolute(HOME)) {
    throw new DevflowError(
      'ENVIRONMENT_INCOMPLETE',
      'HOME is not set to an absolute path, so there is no place for worktrees',
    );
  }
  return path.join(HOME, '.local', 'state', 'devflow');
}

/** `.review-` names the checkouts of reviews, which are thrown away. */
const RESERVED = /\.lock$|\.review-/;

/** A run's id becomes a directory and a part of a branch name: letters, digits, and single dots, dashes and underscores within. */
const RUN_ID = /^[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*$/;
export const RUN_ID_LENGTH = 60;

export function isRunId(text: string): boolean {
  return text.length <= RUN_ID_LENGTH && RUN_ID.test(text) && !RESERVED.test(text);
}
