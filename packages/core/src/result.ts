import type { Problem, Usage } from './adapter/index.js';
import { type BudgetFigures, budgetFigures } from './budget/budget.js';
import type { RunContext } from './context.js';
import { waysBack } from './gate/gates.js';
import type { Commit } from './git/history.js';
import { type Gate, openGate } from './state/gates.js';
import type { RunState, Waiting } from './state/fold.js';
import { allAttempts, allCommits, currentHead } from './state/selectors.js';
import type { Undelivered } from './state/news.js';
import type { CheckResult, Outcome, Reason } from './state/records.js';
import { type SkippedPhase, skippedPhases } from './state/view.js';

/** What a run came to. */
export interface RunResult {
  readonly runId: string;
  readonly state: 'completed' | 'failed' | 'stopped' | 'waiting';
  readonly reason: string;
  readonly waitingFor?: Waiting['for'];
  /** The gate that waits for an answer. */
  readonly gate?: Gate;
  /** Where there is one: the names of the phases to which a rejection can send the run back; none where it cannot. */
  readonly waysBack?: readonly string[];
  /** The instant a wait ends, where it is known. */
  readonly until?: string;
  /** What the last preflight found. */
  readonly problems: readonly Problem[];
  readonly branch: string;
  /** The commit the run started from. */
  readonly base: string;
  /** The commit the branch is at. */
  readonly head: string;
  /** The commits of this run, oldest first. */
  readonly commits: readonly Commit[];
  /** The worktree, where it was kept. */
  readonly worktree?: string;
  /** Journal and output. */
  readonly directory: string;
  readonly attempts: readonly AttemptResult[];
  /** What was skipped, in the order in which the run came to it. */
  readonly skipped: readonly SkippedPhase[];
  /** Cost as the agents state it; undefined unless every attempt stated one. */
  readonly costUsd?: number;
  /** Of the run's budget, where it has one. */
  readonly budget?: BudgetFigures;
  /** By the id of the phase, of those that have one. */
  readonly phaseBudgets?: Readonly<Record<number, BudgetFigures>>;
  /** What persons were to be told, and were not; where there is any. */
  readonly undelivered?: readonly Undelivered[];
}

export interface AttemptResult {
  readonly phase: number;
  readonly attempt: number;
  readonly agent: string;
  readonly outcome: Outcome;
  readonly reasons: readonly Reason[];
  readonly checks: readonly CheckResult[];
  /** Holds `stdout.log` and `stderr.log`. */
  readonly directory: string;
  readonly summary?: string;
  /** What its phase asks for by `answer`, as the agent gave it; it holds by the schema where the attempt is completed. */
  readonly output?: unknown;
  /** The agent's conversation, in its own words: it can be continued by hand. */
  readonly sessionId?: string;
  readonly durationMs: number;
  readonly usage?: Usage;
  readonly costUsd?: number;
}

export function runResult({
  definition,
  log,
  paths,
}: Pick<RunContext, 'definition' | 'paths'> & {
  readonly log: Pick<RunContext['log'], 'state'>;
}): RunResult {
  const { state } = log;
  const { waiting, ended, worktree } = state;
  const attempts = attemptResults(state);
  const gate = openGate(state.gates);
  const costUsd = totalCost(attempts);
  return {
    runId: definition.id,
    state: ended?.state ?? 'waiting',
    reason: ended?.reason ?? waiting?.reason ?? '',
    ...(ended === undefined && waiting !== undefined && { waitingFor: waiting.for }),
    ...(waiting?.until !== undefined && { until: waiting.until }),
    ...(gate !== undefined &&
      ended === undefined && {
        gate,
        waysBack: waysBack(definition.workflow, definition.range, state, gate).map(
          ({ name }) => name,
        ),
      }),
    problems: state.lastPreflight?.problems ?? [],
    branch: definition.branch,
    base: definition.base.commit,
    head: currentHead(state, definition.base.commit),
    commits: allCommits(state),
    ...(worktree !== undefined && { worktree: worktree.directory }),
    directory: paths.directory,
    attempts,
    skipped: skippedPhases(definition, state),
    ...(costUsd !== undefined && { costUsd }),
    ...budgetFigures(definition.workflow, state),
    ...(state.undelivered.length > 0 && { undelivered: state.undelivered }),
  };
}

export function attemptResults(state: RunState): AttemptResult[] {
  return allAttempts(state).flatMap(({ phase, attempt, agent, directory, ended }) => {
    if (ended === undefined) return [];
    const { outcome, reasons, checks, durationMs, answer, sessionId, usage, costUsd } = ended;
    return [
      {
        phase,
        attempt,
        agent,
        outcome,
        reasons,
        checks,
        directory,
        durationMs,
        ...(answer?.summary !== undefined && { summary: answer.summary }),
        ...(answer?.output !== undefined && { output: answer.output }),
        ...(sessionId !== undefined && { sessionId }),
        ...(usage !== undefined && { usage }),
        ...(costUsd !== undefined && { costUsd }),
      },
    ];
  });
}

/** What is unknown for one attempt is unknown for the sum. */
function totalCost(attempts: readonly AttemptResult[]): number | undefined {
  const costs = attempts.map(({ costUsd }) => costUsd);
  if (costs.length === 0 || costs.some((cost) => cost === undefined)) return undefined;
  return costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
}
