import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DevflowError } from '../errors.js';
import { effect } from '../process/effect.js';
import { asStateFault } from './fault.js';
import { makeDirectory, removeIfEmpty } from './files.js';
import { type Holder, type Lock, holderState, readHolder, tryLock } from './lock.js';
import type { RunPaths } from './paths.js';

/** Takes a run's lock. @throws DevflowError RUN_HELD, LOCK_FOREIGN */
export function takeRun(paths: RunPaths, runId: string): Lock {
  const lock = tryLock(paths.lock);
  if ('release' in lock) return lock;
  throw held(runId, lock.heldBy);
}

function held(runId: string, holder: Holder): DevflowError {
  const { pid, host } = holder;
  if (holderState(holder) !== 'foreign')
    return new DevflowError('RUN_HELD', `the run "${runId}" is held by process ${pid}`);
  return new DevflowError(
    'LOCK_FOREIGN',
    `the run "${runId}" is held by process ${pid} on ${host}, which cannot be looked at from here`,
  );
}

/**
 * Makes a new run's directory and takes its lock. A directory without a definition is what a start that was
 * cut off has left, and is free for whoever can take its lock.
 * @throws DevflowError RUN_EXISTS, RUN_HELD, LOCK_FOREIGN, STATE_UNWRITABLE
 */
export function takeNewRun(paths: RunPaths, runId: string): Lock {
  effect('run.make', () => makeDirectory(paths.directory));
  requireNew(paths, runId);
  let lock: Lock;
  try {
    lock = takeRun(paths, runId);
  } catch (error) {
    effect('run.remove', () => removeIfEmpty(paths.directory));
    throw asStateFault(error);
  }
  try {
    requireNew(paths, runId); // another may have begun it, and let go of it, in between
  } catch (error) {
    lock.release();
    throw error;
  }
  return lock;
}

function requireNew({ definition, journal, lock }: RunPaths, runId: string): void {
  if (!existsSync(definition) && !existsSync(journal)) return;
  const holder = readHolder(lock);
  if (holder !== undefined && holderState(holder) !== 'dead') throw held(runId, holder);
  throw new DevflowError('RUN_EXISTS', `there is a run "${runId}" already`);
}

/** Removes a run that could not begin. It goes whole, by a renaming: whoever wants its name meanwhile sees all of it or nothing. */
export function removeRun({ directory }: RunPaths, lock: Lock): void {
  const aside = path.resolve(directory, '..', '..', `failed-${path.basename(directory)}`);
  try {
    lock.assertHeld(); // else it is another's by now
    effect('run.remove', () => {
      rmSync(aside, { recursive: true, force: true }); // of a start that failed in just this
      renameSync(directory, aside);
      rmSync(aside, { recursive: true });
    });
  } catch {
    // what kept it from beginning is told; what is left here is in nobody's way
  }
}
