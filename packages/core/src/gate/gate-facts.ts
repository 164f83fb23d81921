import { DevflowError } from '../errors.js';
import { waysBack } from './gates.js';
import { diffBetween } from '../git/diff.js';
import type { Commit } from '../git/history.js';
import { findRepository } from '../git/repository.js';
import { withoutAnswer } from '../prompt/without-answer.js';
import type { CommonOptions } from '../hold.js';
import type { AttemptResult } from '../result.js';
import { runResult } from '../result.js';
import { type RunDefinition, readDefinition } from '../state/definition.js';
import { withClearFaults } from '../state/fault.js';
import { type RunState, fold } from '../state/fold.js';
import { lastEnded } from '../state/selectors.js';
import { type Gate, openGate } from '../state/gates.js';
import { readJournalIfThere } from '../state/journal.js';
import { holderState, readHolder } from '../state/lock.js';
import { runPaths } from '../state/paths.js';
import { runIds } from '../status.js';

/** What is enough to decide at a gate. */
export interface GateFacts {
  readonly run: string;
  readonly task: string;
  readonly gate: Gate;
  readonly phase: { readonly id: number; readonly name: string };
  /** The phases that a rejection can go back to, by name; the last where none is named. */
  readonly waysBack: readonly string[];
  readonly branch: string;
  readonly base: string;
  readonly head: string;
  readonly commits: readonly Commit[];
  /** What changed from base to head, as `git diff --stat` prints it; undefined where git could not say. */
  readonly diffstat: string | undefined;
  /** The worktree, where there is one. */
  readonly worktree?: string;
  /** The last attempt that has ended: what it did, its checks, what it cost. */
  readonly attempt?: AttemptResult;
  /** The end of that agent's last words. */
  readonly lastWords?: string;
  /** What all attempts used, as `RunResult` has it. */
  readonly attempts: readonly AttemptResult[];
  readonly costUsd?: number;
  /** What a failed preflight found. */
  readonly problems: readonly {
    readonly code: string;
    readonly message: string;
    readonly hint: string;
  }[];
  /** The process that stays for the answer. */
  readonly heldBy?: number;
}

/** How much of an agent's last words is shown, in characters. */
const SHOWN_WORDS = 900;

/**
 * All that is known at the open gate of a run.
 * @returns undefined where none is open
 * @throws DevflowError RUN_NOT_FOUND, JOURNAL_CORRUPT, JOURNAL_NEWER
 */
export function gateFacts(runId: string, options: CommonOptions): Promise<GateFacts | undefined> {
  return withClearFaults(async () => {
    const { commonDir } = await findRepository(options.cwd, options.env);
    return readFacts(commonDir, runId, options);
  });
}

/** The open gates of all runs of a repository, the oldest first. A run whose state cannot be read has none: `listRuns` names it. */
export async function gatesOf(options: CommonOptions): Promise<GateFacts[]> {
  const { commonDir } = await findRepository(options.cwd, options.env);
  const all = await Promise.all(
    runIds(commonDir).map((id) =>
      withClearFaults(() => readFacts(commonDir, id, options)).catch((error: unknown) => {
        if (error instanceof DevflowError && error.code !== 'SYSTEM_LIMIT') return undefined;
        throw error;
      }),
    ),
  );
  return all
    .filter((facts) => facts !== undefined)
    .toSorted((a, b) => a.gate.openedAt.localeCompare(b.gate.openedAt));
}

async function readFacts(
  commonDir: string,
  runId: string,
  { env }: CommonOptions,
): Promise<GateFacts | undefined> {
  const paths = runPaths(commonDir, runId);
  const definition = readDefinition(paths.definition, runId);
  const state = fold(readJournalIfThere(paths.journal).records);
  const gate = state.ended === undefined ? openGate(state.gates) : undefined;
  if (gate === undefined) return undefined;
  const { branch, base, head, commits, worktree, attempts, costUsd } = runResult({
    definition,
    paths,
    log: { state },
  });
  const holder = readHolder(paths.lock);
  const problems = gate.kind === 'preflight' ? (state.lastPreflight?.problems ?? []) : [];
  return {
    run: runId,
    task: definition.task,
    gate,
    ...phaseOf(definition, state, gate),
    branch,
    base,
    head,
    commits,
    diffstat: await diffstat(commonDir, base, head, env),
    ...(worktree !== undefined && { worktree }),
    ...lastAttempt(state, attempts),
    attempts,
    ...(costUsd !== undefined && { costUsd }),
    problems,
    ...(holder !== undefined && holderState(holder) !== 'dead' && { heldBy: holder.pid }),
  };
}

function phaseOf({ workflow, range }: RunDefinition, state: RunState, gate: Gate) {
  const name = workflow.phases.find(({ id }) => id === gate.phase)?.name ?? '';
  return {
    phase: { id: gate.phase, name },
    waysBack: waysBack(workflow, range, state, gate).map((phase) => phase.name),
  };
}

function lastAttempt(
  state: RunState,
  attempts: readonly AttemptResult[],
): Pick<GateFacts, 'attempt' | 'lastWords'> {
  const attempt = attempts.at(-1);
  if (attempt === undefined) return {};
  const said = Array.from(withoutAnswer(lastEnded(state, attempt.phase)?.text ?? ''));
  const isCut = said.length > SHOWN_WORDS;
  const words = `${isCut ? '…' : ''}${said.slice(-SHOWN_WORDS).join('')}`;
  return { attempt, ...(words !== '' && { lastWords: words }) };
}

async function diffstat(
  gitDir: string,
  base: string,
  head: string,
  env: CommonOptions['env'],
): Promise<string | undefined> {
  const how = ['--stat=76']; // with the indentation of `devflow gates` no wider than 80 columns
  const { status, stdout } = await diffBetween(gitDir, how, [base, head], env);
  return status === 0 ? stdout.trimEnd() : undefined;
}
