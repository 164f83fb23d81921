import { closeSync, fstatSync, openSync, readSync, readdirSync, statSync } from 'node:fs';
import { DevflowError } from './errors.js';
import { findRepository } from './git/repository.js';
import { type AttemptResult, attemptResults } from './result.js';
import type { CommonOptions } from './start.js';
import { readDefinition } from './state/definition.js';
import { EMPTY, type RunState, fold } from './state/fold.js';
import { readJournal } from './state/journal.js';
import { holderState, readHolder } from './state/lock.js';
import { type RunPaths, runPaths, runsDirectory } from './state/paths.js';
import { type RunView, view } from './state/view.js';

/** A run with all that is known of it. */
export interface RunStatus extends RunView {
  readonly attempts: readonly AttemptResult[];
  readonly directory: string;
  readonly worktree: string | undefined;
  readonly problems: readonly {
    readonly code: string;
    readonly message: string;
    readonly hint: string;
  }[];
}

/** One run. @throws DevflowError RUN_NOT_FOUND, JOURNAL_CORRUPT, JOURNAL_NEWER */
export async function status(runId: string, { cwd, env }: CommonOptions): Promise<RunStatus> {
  const { commonDir } = await findRepository(cwd, env);
  return readStatus(runPaths(commonDir, runId), runId);
}

/** The runs of a repository, the latest first. */
export async function listRuns({ cwd, env }: CommonOptions): Promise<RunView[]> {
  const { commonDir } = await findRepository(cwd, env);
  const views = runIds(commonDir).map((id) => readView(runPaths(commonDir, id), id).view);
  return views.toSorted((a, b) => (b.startedAt ?? '').localeCompare(a.startedAt ?? ''));
}

/** The ids of runs that have not ended, or of the one that ended last; without reading the journals of all. */
export async function currentRuns({ cwd, env }: CommonOptions): Promise<string[]> {
  const { commonDir } = await findRepository(cwd, env);
  const ids = runIds(commonDir);
  const open = ids.filter((id) => !hasEnded(runPaths(commonDir, id).journal));
  if (open.length > 0) return open;
  const modified = (id: string) => statSync(runPaths(commonDir, id).journal).mtimeMs;
  const latest = ids.map((id) => ({ id, at: modified(id) })).toSorted((a, b) => b.at - a.at)[0];
  return latest === undefined ? [] : [latest.id];
}

function readStatus(paths: RunPaths, runId: string): RunStatus {
  const { view: seen, state } = readView(paths, runId);
  return {
    ...seen,
    attempts: attemptResults(state),
    directory: paths.directory,
    worktree: state.worktree?.directory,
    problems: state.lastPreflight?.problems ?? [],
  };
}

function readView(paths: RunPaths, runId: string): { view: RunView; state: RunState } {
  const definition = readDefinition(paths.definition, runId);
  const holder = readHolder(paths.lock);
  const state = readState(paths);
  return {
    view: view(
      definition,
      state,
      holder === undefined ? undefined : holderState(holder),
      new Date(),
    ),
    state,
  };
}

/** A devflow that dies between its first two steps leaves no journal. */
function readState(paths: RunPaths): RunState {
  try {
    return fold(readJournal(paths.journal).records);
  } catch (error) {
    if (error instanceof DevflowError && error.code === 'RUN_NOT_FOUND') return EMPTY;
    throw error;
  }
}

/** Only directories with a definition: it is the first thing that a run writes. */
export function runIds(commonDir: string): string[] {
  let names: string[];
  try {
    names = readdirSync(runsDirectory(commonDir));
  } catch {
    return []; // no run yet
  }
  return names.filter(
    (name) =>
      statSync(runPaths(commonDir, name).definition, { throwIfNoEntry: false }) !== undefined,
  );
}

/** By the last record alone. */
function hasEnded(journal: string): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(journal, 'r');
  } catch {
    return false;
  }
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, 4_000));
    readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    const last = bytes.toString('utf8').trimEnd().split('\n').at(-1) ?? '';
    return (JSON.parse(last) as { type?: unknown }).type === 'run-ended';
  } catch {
    return false; // torn, or longer than what was read: then it is looked at whole
  } finally {
    closeSync(descriptor);
  }
}
