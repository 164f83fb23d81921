import { setTimeout as delay } from 'node:timers/promises';
import { DevflowError } from './errors.js';
import { atLastGate } from './gates.js';
import { findRepository } from './git/repository.js';
import type { CommonOptions } from './hold.js';
import { HELPER_VARIABLE } from './process/helpers.js';
import { MARKER_VARIABLE } from './process/tree.js';
import { type GateAnswer, requestDecision, takeAnswers, withdraw } from './state/answers.js';
import { keepingCorrupt } from './state/corrupt-copy.js';
import { type RunDefinition, readDefinition } from './state/definition.js';
import { markEnded } from './state/ended-mark.js';
import { withClearFaults } from './state/fault.js';
import { type RunState, allAttempts, fold } from './state/fold.js';
import { type Gate, openGate } from './state/gates.js';
import { openJournal, readJournalIfThere } from './state/journal.js';
import { type Holder, type Lock, holderState, tryLock } from './state/lock.js';
import { type RunPaths, runPaths } from './state/paths.js';
import type { Decision } from './state/records.js';
import { held } from './state/take.js';

/** How long a living holder may take. */
const HOLDER_LIMIT_MS = 30_000;

/** A person's word at the open gate of a run. */
export interface GateWord {
  readonly decision: Decision;
  /** Only if that gate is the open one. */
  readonly gate?: string;
  /** Reaches the prompt of the attempt that follows. */
  readonly note?: string;
  /** Where a rejected run goes back to: the name of a phase. */
  readonly goto?: string;
}

/**
 * Answers the open gate of a run, by its holder where one stays for that, else in its place. The first answer
 * in the journal counts. The run does not go on by this: a holder that stays goes on, else `resume`.
 *
 * @throws DevflowError RUN_NOT_FOUND, GATE_NOT_OPEN, GATE_ANSWER_INVALID, GATE_UNANSWERED, OWN_RUN, LOCK_FOREIGN, JOURNAL_CORRUPT
 */
export function answerGate(runId: string, word: GateWord, options: CommonOptions): Promise<Gate> {
  return withClearFaults(() => answer(runId, word, options));
}

async function answer(runId: string, word: GateWord, { cwd, env }: CommonOptions): Promise<Gate> {
  const { commonDir } = await findRepository(cwd, env);
  const paths = runPaths(commonDir, runId);
  const definition = readDefinition(paths.definition, runId);
  const first = readState(paths);
  requireOutside(first, paths, env);
  const given = answerOf(definition, first, word);
  const start = performance.now();
  let asked: { readonly holder: Holder; readonly file: string } | undefined;
  try {
    for (;;) {
      const gate = readState(paths).gates.find(({ gate: id }) => id === given.gate);
      if (gate?.decided !== undefined) return confirmed(gate, given, definition);
      const lock = tryLock(paths.lock);
      if ('release' in lock) {
        answerWithoutHolder(paths, lock, given);
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

/** What an attempt or a check of the run has started may not answer for a person. */
function requireOutside(state: RunState, paths: RunPaths, env: CommonOptions['env']): void {
  const token = env[MARKER_VARIABLE];
  const isOwn =
    env[HELPER_VARIABLE] === paths.directory ||
    (token !== undefined && allAttempts(state).some((attempt) => attempt.token === token));
  if (isOwn)
    throw new DevflowError(
      'OWN_RUN',
      'this devflow is part of the run at whose gate it would answer',
    );
}

function answerOf(
  { id, workflow, range }: RunDefinition,
  state: RunState,
  { decision, gate: named, note, goto }: GateWord,
): GateAnswer {
  const gate = openGate(state.gates);
  if (gate === undefined || (named !== undefined && named !== gate.gate)) {
    const which = named === undefined ? 'no open gate' : `no open gate "${named}"`;
    throw new DevflowError('GATE_NOT_OPEN', `the run "${id}" has ${which}`);
  }
  const invalid = (message: string, hint: string) =>
    new DevflowError('GATE_ANSWER_INVALID', message, { hint });
  if (decision === 'reject' && gate.kind === 'preflight')
    throw invalid(
      'a failed preflight cannot be rejected',
      'Approve to go on all the same, abort, or mend it and resume.',
    );
  if (decision === 'recheck' && gate.kind !== 'preflight')
    throw invalid('only a failed preflight is looked at again', 'Approve, reject or abort.');
  if (goto === undefined) return { gate: gate.gate, decision, ...(note !== undefined && { note }) };
  const reachable = workflow.phases.filter(
    (phase) =>
      phase.id >= range.first &&
      (gate.kind === 'before' ? phase.id < gate.phase : phase.id <= gate.phase),
  );
  const target = reachable.find(({ name }) => name === goto);
  if (target === undefined || decision !== 'reject')
    throw invalid(
      decision === 'reject' ? `there is no way back to "${goto}"` : 'only a rejected run goes back',
      `Back from here it can go to: ${reachable.map(({ name }) => name).join(', ') || 'nowhere'}.`,
    );
  return { gate: gate.gate, decision, goto: target.id, ...(note !== undefined && { note }) };
}

/** @throws DevflowError GATE_NOT_OPEN where another was first */
function confirmed(gate: Gate, given: GateAnswer, { id }: RunDefinition): Gate {
  const { decided } = gate;
  if (decided?.decision === given.decision && decided.note === given.note) return gate;
  throw new DevflowError(
    'GATE_NOT_OPEN',
    `the gate ${gate.gate} of the run "${id}" was decided meanwhile: ${decided?.decision}`,
  );
}

function answerWithoutHolder(paths: RunPaths, lock: Lock, given: GateAnswer): void {
  try {
    const contents = keepingCorrupt(paths.journal, () => readJournalIfThere(paths.journal));
    if (openGate(fold(contents.records).gates)?.gate !== given.gate) return; // somebody was first
    const journal = openJournal(paths.journal, contents, () => lock.assertHeld());
    try {
      takeAnswers(paths.inbox); // to a holder that is gone
      const decided = journal.append({
        type: 'gate-decided',
        ...given,
        by: 'person',
        unattended: true,
      });
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
