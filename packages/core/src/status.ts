import { readdirSync, statSync } from 'node:fs';
import { cut } from './adapter/words.js';
import { type BudgetFigures, budgetFigures } from './budget/budget.js';
import { DevflowError } from './errors.js';
import { type Explanation, explain } from './explain.js';
import { isAlive } from './process/identity.js';
import { isGone } from './process/system-error.js';
import { readClaim } from './process/wrapper.js';
import { findRepository } from './git/repository.js';
import { readTail } from './process/read-tail.js';
import { type AttemptResult, type RunResult, attemptResults, runResult } from './result.js';
import type { CommonOptions } from './hold.js';
import { type RunDefinition, readDefinition } from './state/definition.js';
import { asStateFault } from './state/fault.js';
import { endedAt } from './state/ended-mark.js';
import { type RunState, fold } from './state/fold.js';
import { openAttempt } from './state/selectors.js';
import { readJournalIfThere } from './state/journal.js';
import { HOLDER_LOG } from './state/holder-log.js';
import { holderState, readHolder } from './state/lock.js';
import type { Undelivered } from './state/news.js';
import type { AttemptName, JournalRecord } from './state/records.js';
import { type RunPaths, runPaths, runsDirectory } from './state/paths.js';
import { type RunView, unreadable, view } from './state/view.js';
import type { Phase } from './workflow/workflow.js';

export { addUsage } from './adapter/usage.js';
export { budgetText } from './budget/budget.js';
export { undeliveredText } from './notify/undelivered.js';

/** A run with all that is known of it. */
export interface RunStatus extends RunView {
  readonly attempts: readonly AttemptResult[];
  readonly directory: string;
  readonly worktree: string | undefined;
  /** The attempt under way, or cut off. */
  readonly openAttempt: (AttemptName & { readonly agent: string }) | undefined;
  /** When the last thing was recorded of it. */
  readonly lastRecordAt: string | undefined;
  /** Of the run's budget, where it has one, and those of its phases by their ids; by the attempts that have ended. */
  readonly budget?: BudgetFigures;
  readonly phaseBudgets?: Readonly<Record<number, BudgetFigures>>;
  readonly problems: readonly {
    readonly code: string;
    readonly message: string;
    readonly hint: string;
  }[];
  /** What persons were to be told, and were not; where there is any. */
  readonly undelivered?: readonly Undelivered[];
  /** What its devflow wrote last where it had no terminal; only of a run that is interrupted. */
  readonly lastWords?: string;
}

/** One run. @throws DevflowError RUN_NOT_FOUND, JOURNAL_CORRUPT, JOURNAL_NEWER, STATE_UNREADABLE */
export async function status(runId: string, { cwd, env }: CommonOptions): Promise<RunStatus> {
  const { commonDir } = await findRepository(cwd, env);
  const paths = runPaths(commonDir, runId);
  try {
    return readStatus(paths, runId);
  } catch (error) {
    throw asDamage(error, paths);
  }
}

/** A run, and for each phase why it is complete or is not, and what would change it. */
export interface RunExplanation extends Pick<RunView, 'id' | 'state' | 'reason'> {
  readonly phases: readonly Explanation[];
}

export interface ExplainOptions extends CommonOptions {
  /** Only this phase, by id or name. */
  readonly phase?: number | string;
}

/** Why the phases of a run are complete or are not. @throws DevflowError RUN_NOT_FOUND, OPTION_INVALID, JOURNAL_CORRUPT, JOURNAL_NEWER, STATE_UNREADABLE */
export async function explainRun(
  runId: string,
  { cwd, env, phase }: ExplainOptions,
): Promise<RunExplanation> {
  const { commonDir } = await findRepository(cwd, env);
  const paths = runPaths(commonDir, runId);
  try {
    const { view: seen, state, definition } = readView(paths, runId);
    const { id, state: name, reason } = seen;
    const all = explain(definition, state, seen);
    const only = phase === undefined ? undefined : await named(definition, phase);
    const phases = only === undefined ? all : all.filter((each) => each.phase.id === only.id);
    return { id, state: name, reason, phases };
  } catch (error) {
    throw asDamage(error, paths);
  }
}

/** Loaded where it is needed: who only looks asks for no phase. */
async function named({ workflow }: RunDefinition, phase: number | string): Promise<Phase> {
  const { phaseNamed } = await import('./phase-named.js');
  return phaseNamed(workflow.phases, 'phase', phase);
}

/** What a run that has ended or waits came to, by its journal; undefined of one that goes on or was cut off. @throws DevflowError RUN_NOT_FOUND, JOURNAL_CORRUPT, JOURNAL_NEWER */
export async function resultOf(
  runId: string,
  { cwd, env }: CommonOptions,
): Promise<RunResult | undefined> {
  const { commonDir } = await findRepository(cwd, env);
  const paths = runPaths(commonDir, runId);
  const definition = readDefinition(paths.definition, runId);
  const state = fold(readJournalIfThere(paths.journal).records);
  if (state.ended === undefined && state.waiting === undefined) return undefined;
  return runResult({ definition, paths, log: { state } });
}

/** The runs of a repository, the latest first; one whose state cannot be read is among them as `unreadable`. */
export async function listRuns({ cwd, env }: CommonOptions): Promise<RunView[]> {
  const { commonDir } = await findRepository(cwd, env);
  const views = runIds(commonDir).map((id) => tryView(runPaths(commonDir, id), id));
  return views.toSorted((a, b) => (b.startedAt ?? '').localeCompare(a.startedAt ?? ''));
}

function tryView(paths: RunPaths, id: string): RunView {
  try {
    return readView(paths, id).view;
  } catch (error) {
    return unreadable(id, whyUnreadable(error, paths));
  }
}

/** The runs that have not ended, or the one that ended last. */
export async function currentRuns(options: CommonOptions): Promise<readonly RunStatus[]> {
  const { unfinished, lastEnded } = await recentRuns(options);
  if (unfinished.length > 0 || lastEnded === undefined) return unfinished;
  return [lastEnded];
}

export interface RecentRuns {
  readonly unfinished: readonly RunStatus[];
  readonly lastEnded: RunStatus | undefined;
}

/** The runs that have not ended, and the one that ended last; without reading the journals of all. */
export async function recentRuns({ cwd, env }: CommonOptions): Promise<RecentRuns> {
  const { commonDir } = await findRepository(cwd, env);
  const runs = runsDirectory(commonDir);
  const open: string[] = [];
  let latest: { readonly id: string; readonly at: number } | undefined;
  for (const id of names(runs)) {
    const at = endedAt(`${runs}/${id}/ended`);
    if (at === undefined) open.push(id);
    else if (latest === undefined || at > latest.at) latest = { id, at };
  }
  const statuses = open
    .filter((id) => isRun(commonDir, id))
    .map((id) => tryStatus(runPaths(commonDir, id), id));
  const unfinished = statuses.filter(({ endedAt: at }) => at === undefined);
  const last = latest === undefined ? [] : [tryStatus(runPaths(commonDir, latest.id), latest.id)];
  const ended = [...statuses.filter(({ endedAt: at }) => at !== undefined), ...last];
  const [lastEnded] = ended.toSorted((a, b) => (b.endedAt ?? '').localeCompare(a.endedAt ?? ''));
  return { unfinished, lastEnded };
}

/** What is wrong with one run. Throws what is wrong with more than that. */
function whyUnreadable(error: unknown, paths: RunPaths): string {
  const fault = asDamage(error, paths);
  if (fault.code === 'SYSTEM_LIMIT') throw fault;
  return fault.message;
}

/** Whatever stands in the way of reading one run is that run's fault, in words for people. */
function asDamage(error: unknown, { directory }: RunPaths): DevflowError {
  const fault = asStateFault(error);
  if (fault instanceof DevflowError) return fault;
  const message = `what is kept in ${directory} does not fit together: ${String(fault)}`;
  return new DevflowError('STATE_UNREADABLE', message, { cause: error });
}

/** One run whose state cannot be read hides no other. */
function tryStatus(paths: RunPaths, id: string): RunStatus {
  try {
    return readStatus(paths, id);
  } catch (error) {
    return {
      ...unreadable(id, whyUnreadable(error, paths)),
      attempts: [],
      directory: paths.directory,
      worktree: undefined,
      openAttempt: undefined,
      lastRecordAt: undefined,
      problems: [],
    };
  }
}

function readStatus(paths: RunPaths, runId: string): RunStatus {
  const { view: seen, state, budgets, records } = readView(paths, runId);
  const open = openAttempt(state);
  return {
    ...seen,
    attempts: attemptResults(state),
    directory: paths.directory,
    worktree: state.worktree?.directory,
    openAttempt: open && { phase: open.phase, attempt: open.attempt, agent: open.agent },
    lastRecordAt: records.at(-1)?.at,
    ...budgets,
    problems: state.lastPreflight?.problems ?? [],
    ...(state.undelivered.length > 0 && { undelivered: state.undelivered }),
    ...(seen.state === 'interrupted' && lastWords(paths, records)),
  };
}

/** Not those of a devflow before the one that was cut off, which had a terminal then. */
function lastWords(
  { directory }: RunPaths,
  records: readonly JournalRecord[],
): Pick<RunStatus, 'lastWords'> {
  const file = `${directory}/${HOLDER_LOG}`;
  const began = records.findLast(({ type }) => type === 'run-started' || type === 'run-resumed');
  const writtenAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (writtenAt === undefined || began === undefined || writtenAt < Date.parse(began.at)) return {};
  const words = readTail(file, 2_000)
    .split('\n')
    .findLast((line) => line.trim() !== '');
  return words === undefined ? {} : { lastWords: cut(words.trim(), 300) };
}

function readView(paths: RunPaths, runId: string) {
  const definition = readDefinition(paths.definition, runId);
  const holder = readHolder(paths.lock);
  const { records } = readJournalIfThere(paths.journal);
  const state = fold(records);
  return {
    view: view(
      definition,
      state,
      holder && { pid: holder.pid, host: holder.host, state: holderState(holder) },
      new Date(),
      agentLives(state),
    ),
    definition,
    state,
    records,
    budgets: budgetFigures(definition.workflow, state),
  };
}

function agentLives(state: RunState): boolean {
  const attempt = openAttempt(state);
  const claim = attempt === undefined ? undefined : readClaim(attempt.directory);
  return claim !== undefined && claim !== 'lost' && isAlive(claim);
}

/** Only directories with a definition: it is the first thing that a run writes. */
export function runIds(commonDir: string): string[] {
  return names(runsDirectory(commonDir)).filter((id) => isRun(commonDir, id));
}

function isRun(commonDir: string, id: string): boolean {
  try {
    return statSync(runPaths(commonDir, id).definition, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return !isGone(error); // another user's: it is said to be unreadable, not left out
  }
}

function names(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (isGone(error)) return []; // no run yet
    throw asStateFault(error);
  }
}
