import { setTimeout as delay } from 'node:timers/promises';
import { DevflowError, type ErrorCode } from './errors.js';
import { findRepository } from './git/repository.js';
import { endAllHelpers, leftoverProcesses } from './leftover-processes.js';
import { removeCgroup } from './process/cgroup.js';
import { effect } from './process/effect.js';
import { markedProcesses } from './process/marked.js';
import { endTree, processTree } from './process/tree.js';
import { readClaim } from './process/wrapper.js';
import type { CommonOptions } from './hold.js';
import { readDefinition } from './state/definition.js';
import { type RunState, fold } from './state/fold.js';
import { openAttempt } from './state/selectors.js';
import { keepingCorrupt } from './state/corrupt-copy.js';
import { markEnded } from './state/ended-mark.js';
import { clearRequests, requestStop } from './state/inbox.js';
import { openJournal, readJournalIfThere } from './state/journal.js';
import { type Holder, type Lock, holderState, readHolder, tryLock } from './state/lock.js';
import { type RunPaths, runPaths } from './state/paths.js';
import { held } from './state/take.js';
import { withClearFaults } from './state/fault.js';
import { type RunStatus, status } from './status.js';

/** How long a living holder may take: it has to end the agent's processes and to measure what they left. */
const HOLDER_LIMIT_MS = 120_000;
const GRACE_MS = 5_000;

/**
 * Stops a run: the agent's processes are ended and confirmed dead, the checkout stays as it is, and the
 * journal says so. By its holder where that lives, by the caller where not. Stopping twice is no error.
 *
 * @throws DevflowError RUN_NOT_FOUND, LOCK_FOREIGN, STOP_TIMEOUT, LEFTOVER_PROCESSES; JOURNAL_CORRUPT, STATE_UNREADABLE, STATE_GONE
 * where its state is damaged: then its processes are ended all the same, and that is said
 */
export function stop(runId: string, options: CommonOptions): Promise<RunStatus> {
  return withClearFaults(() => stopRun(runId, options));
}

async function stopRun(runId: string, options: CommonOptions): Promise<RunStatus> {
  const { commonDir } = await findRepository(options.cwd, options.env);
  const paths = runPaths(commonDir, runId);
  try {
    readDefinition(paths.definition, runId);
    return await stopReadable(paths, runId, options);
  } catch (error) {
    if (!(error instanceof DevflowError) || !DAMAGE.has(error.code)) throw error;
    throw await stopDamaged(paths, runId, error);
  }
}

const DAMAGE: ReadonlySet<ErrorCode> = new Set([
  'JOURNAL_CORRUPT',
  'STATE_UNREADABLE',
  'STATE_GONE',
]);

/** Its state says nothing of whom to end: the environment of its processes does. @returns what is wrong, and what was done */
async function stopDamaged(
  paths: RunPaths,
  runId: string,
  fault: DevflowError,
): Promise<DevflowError> {
  const { code, message, hint } = fault;
  const say = (done: string) =>
    new DevflowError(code, `${message}; the run "${runId}" is not marked as stopped, ${done}`, {
      hint,
      cause: fault,
    });
  const lock = tryLock(paths.lock);
  if (!('release' in lock)) {
    if (holderState(lock.heldBy) === 'foreign') return held(paths, runId, lock.heldBy);
    requestStop(paths.inbox);
    return say(`and process ${lock.heldBy.pid}, which holds it, was asked to stop it`);
  }
  try {
    await endAllHelpers(paths.directory, runId);
    const ended = await endMarked(paths.directory, runId);
    return say(
      ended === 0
        ? 'and nothing of it lives'
        : `but what lived of it was ended: ${ended} ${ended === 1 ? 'process' : 'processes'}`,
    );
  } finally {
    lock.release();
  }
}

/** @returns how many processes there were */
async function endMarked(directory: string, runId: string): Promise<number> {
  const marked = markedProcesses().filter(({ runDirectory }) => runDirectory === directory);
  const tokens = new Set(marked.flatMap(({ token }) => token ?? []));
  let count = 0;
  for (const token of tokens) {
    const { found, left } = await effect('attempt.end', () =>
      endTree(processTree(undefined, token), { graceMs: GRACE_MS }),
    );
    if (left.length > 0) throw leftoverProcesses(`the run "${runId}"`, left);
    count += found;
  }
  return count;
}

async function stopReadable(
  paths: RunPaths,
  runId: string,
  options: CommonOptions,
): Promise<RunStatus> {
  const start = performance.now();
  let asked: Holder | undefined;
  for (;;) {
    if (
      (await status(runId, options)).endedAt !== undefined &&
      readHolder(paths.lock) === undefined
    )
      break;
    const lock = tryLock(paths.lock);
    if ('release' in lock) {
      await stopWithoutHolder(paths, lock, runId);
      break;
    }
    const { pid, startTime } = lock.heldBy;
    if (holderState(lock.heldBy) === 'foreign') throw held(paths, runId, lock.heldBy);
    // Another that took the run up meanwhile was not asked.
    if (asked?.pid !== pid || asked.startTime !== startTime) requestStop(paths.inbox);
    asked = lock.heldBy;
    if (performance.now() - start > HOLDER_LIMIT_MS) {
      throw new DevflowError(
        'STOP_TIMEOUT',
        `process ${pid} holds the run "${runId}" and has not stopped it`,
      );
    }
    await delay(25);
  }
  return status(runId, options);
}

async function stopWithoutHolder(paths: RunPaths, lock: Lock, runId: string): Promise<void> {
  try {
    const contents = keepingCorrupt(paths.journal, () => readJournalIfThere(paths.journal));
    const state = fold(contents.records);
    if (state.ended !== undefined) return;
    await endAllHelpers(paths.directory, runId);
    await endOpenAttempt(state, runId);
    const journal = openJournal(paths.journal, contents, () => lock.assertHeld());
    try {
      journal.append({
        type: 'run-ended',
        state: 'stopped',
        reason: `stopped while no devflow held it${lock.tookOver === undefined ? '' : `: process ${lock.tookOver.pid} is dead`}`,
      });
      markEnded(paths);
      clearRequests(paths.inbox);
    } finally {
      journal.close();
    }
  } finally {
    lock.release();
  }
}

async function endOpenAttempt(state: RunState, runId: string): Promise<void> {
  const attempt = openAttempt(state);
  if (attempt === undefined) return;
  const claim = readClaim(attempt.directory);
  const leader = claim === 'lost' ? undefined : claim;
  const tree = processTree(leader, attempt.token, attempt.cgroup);
  await effect('attempt.end', async () => {
    const { left } = await endTree(tree, { graceMs: GRACE_MS });
    if (left.length > 0) throw leftoverProcesses(`the run "${runId}"`, left);
    if (attempt.cgroup !== undefined) await removeCgroup(attempt.cgroup);
  });
}
