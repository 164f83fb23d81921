import { setTimeout as delay } from 'node:timers/promises';
import { DevflowError } from '../errors.js';
import { type GateWord, answerOf } from './gate-answer.js';
import { atLastGate } from './gates.js';
import { findRepository } from '../git/repository.js';
import type { CommonOptions } from '../hold.js';
import { endAllHelpers } from '../leftover-processes.js';
import { HELPER_VARIABLE } from '../process/helpers.js';
import { MARKER_VARIABLE } from '../process/tree.js';
import { type GateAnswer, clearAnswers, requestDecision, withdraw } from '../state/answers.js';
import { keepingCorrupt } from '../state/corrupt-copy.js';
import { readDefinition } from '../state/definition.js';
import { markEnded } from '../state/ended-mark.js';
import { withClearFaults } from '../state/fault.js';
import { type RunState, fold } from '../state/fold.js';
import { allAttempts } from '../state/selectors.js';
import { type Gate, openGate } from '../state/gates.js';
import { openJournal, readJournalIfThere } from '../state/journal.js';
import { type Holder, type Lock, holderState, tryLock } from '../state/lock.js';
import { type RunPaths, runPaths } from '../state/paths.js';
import { held } from '../state/take.js';

/** How long a living holder may take. */
const HOLDER_LIMIT_MS = 30_000;

export interface AnswerOptions extends CommonOptions {
  /** Only if that gate is the open one. */
  readonly gate?: string;
  /** When the person answered: a gate that was opened later is another question, unless it is named. Now, if not given. */
  readonly at?: Date;
}

/**
 * Answers the open gate of a run, by its holder where one stays for that, else in its place. The first answer
 * in the journal counts. The run does not go on by this: a holder that stays goes on, else `resume`.
 *
 * @returns the gate as the journal has it
 * @throws DevflowError RUN_NOT_FOUND, GATE_NOT_OPEN, GATE_ANSWER_INVALID, GATE_UNANSWERED, OWN_RUN, LOCK_FOREIGN, JOURNAL_CORRUPT
 */
export function answerGate(runId: string, word: GateWord, options: AnswerOptions): Promise<Gate> {
  return withClearFaults(() => answer(runId, word, options));
}

async function answer(runId: string, word: GateWord, options: AnswerOptions): Promise<Gate> {
  const { commonDir } = await findRepository(options.cwd, options.env);
  const paths = runPaths(commonDir, runId);
  const definition = readDefinition(paths.definition, runId);
  const first = readState(paths);
  requireOutside(first, paths, options.env);
  const gate = requireOpen(first, runId, options.gate);
  if (options.gate === undefined) requireSeen(gate, runId, options.at ?? new Date());
  const given = answerOf(definition, first, gate, word);
  const start = performance.now();
  let asked: { readonly holder: Holder; readonly file: string } | undefined;
  try {
    for (;;) {
      const decided = decidedGate(readState(paths), runId, given);
      if (decided !== undefined) return decided;
      const lock = tryLock(paths.lock);
      if ('release' in lock) {
        await answerWithoutHolder(paths, runId, lock, given);
        continue;
      }
      if (holderState(lock.heldBy) === 'foreign') throw held(paths, runId, lock.heldBy);
      if (!isSame(asked?.holder, lock.heldBy)) {
        if (asked !== undefined) withdraw(asked.file);
        asked = { holder: lock.heldBy, file: requestDecision(paths.inbox, given) };
      }
      if (performance.now() - start > HOLDER_LIMIT_MS)
        throw new DevflowError(
          'GATE_UNANSWERED',
          `process ${lock.heldBy.pid} holds the run "${runId}" and has not taken the answer`,
        );
      await delay(25);
    }
  } finally {
    if (asked !== undefined) withdraw(asked.file); // one answer is used once
  }
}

function readState(paths: RunPaths): RunState {
  return fold(readJournalIfThere(paths.journal).records);
}

function isSame(one: Holder | undefined, other: Holder): boolean {
  return one?.pid === other.pid && one.startTime === other.startTime;
}

/** What an attempt, a check or a notify command of the run has started may not answer for a person. */
function requireOutside(state: RunState, paths: RunPaths, env: CommonOptions['env']): void {
  const token = env[MARKER_VARIABLE];
  const isOwn =
    env[HELPER_VARIABLE] === paths.directory ||
    (token !== undefined && allAttempts(state).some((attempt) => attempt.token === token));
  if (isOwn)
    throw new DevflowError(
      'OWN_RUN',
      'this devflow is part of the run at whose gate it would answer: an attempt, a check or a notify command has started it',
    );
}

/** A run that was stopped, or has ended, waits for nobody: `resume` asks again. */
function requireOpen(state: RunState, runId: string, named: string | undefined): Gate {
  const gate = state.ended === undefined ? openGate(state.gates) : undefined;
  const last = state.gates.at(-1);
  if (state.waiting?.answered === true && last?.decided !== undefined) {
    const { decision, at } = last.decided;
    throw new DevflowError(
      'GATE_NOT_OPEN',
      `the gate ${last.gate} of the run "${runId}" was decided: ${decision}, at ${at}`,
      { hint: '`devflow resume <run>` goes on, or `devflow resume --due`.' },
    );
  }
  if (gate !== undefined && (named === undefined || named === gate.gate)) return gate;
  const which = named === undefined ? 'no open gate' : `no open gate "${named}"`;
  const ended = state.ended === undefined ? '' : `: it is ${state.ended.state}`;
  throw new DevflowError('GATE_NOT_OPEN', `the run "${runId}" has ${which}${ended}`, {
    ...(state.ended?.state === 'stopped' && { hint: `\`devflow resume ${runId}\` asks again.` }),
  });
}

/** Nobody can have meant a gate that was not there: an answer to the one before it would decide it. */
function requireSeen({ gate, openedAt, phase, kind }: Gate, runId: string, at: Date): void {
  if (Date.parse(openedAt) <= at.getTime()) return;
  throw new DevflowError(
    'GATE_NOT_OPEN',
    `the gate that is open in the run "${runId}" (${kind} phase ${phase}) was opened after this answer was given`,
    { hint: `\`devflow gates ${runId}\` shows it; --gate ${gate} answers it.` },
  );
}

/** @returns undefined while nobody has decided it @throws DevflowError GATE_NOT_OPEN where another was first, or the run has ended */
function decidedGate(state: RunState, runId: string, given: GateAnswer): Gate | undefined {
  const gate = state.gates.find(({ gate: id }) => id === given.gate);
  const decided = gate?.decided;
  if (gate === undefined || decided === undefined) {
    requireOpen(state, runId, given.gate);
    return undefined;
  }
  const { decision, note, goto } = decided;
  if (decision === given.decision && note === given.note && goto === given.goto) return gate;
  throw new DevflowError(
    'GATE_NOT_OPEN',
    `the gate ${given.gate} of the run "${runId}" was decided meanwhile: ${decision}`,
  );
}

async function answerWithoutHolder(
  paths: RunPaths,
  runId: string,
  lock: Lock,
  given: GateAnswer,
): Promise<void> {
  try {
    if (lock.tookOver !== undefined) await endAllHelpers(paths.directory, runId);
    const contents = keepingCorrupt(paths.journal, () => readJournalIfThere(paths.journal));
    const state = fold(contents.records);
    if (state.ended !== undefined || openGate(state.gates)?.gate !== given.gate) return; // somebody was first
    const journal = openJournal(paths.journal, contents, () => lock.assertHeld());
    try {
      const decided = journal.append({
        type: 'gate-decided',
        ...given,
        by: 'person',
        unattended: true,
      });
      clearAnswers(paths.inbox); // to a holder that is gone
      const next = atLastGate(fold([...contents.records, decided]));
      if (next?.do !== 'end') return;
      journal.append({ type: 'run-ended', state: next.state, reason: next.reason });
      markEnded(paths);
    } finally {
      journal.close();
    }
  } finally {
    lock.release();
  }
}
