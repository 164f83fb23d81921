import { existsSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
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
  throw held(paths, runId, lock.heldBy);
}

/** Who has it. One of another host is never taken over by guess: a person says so. */
export function held({ lock }: RunPaths, runId: string, holder: Holder): DevflowError {
  const { pid, host } = holder;
  if (holderState(holder) !== 'foreign')
    return new DevflowError('RUN_HELD', `the run "${runId}" is held by process ${pid}`);
  const where = host === os.hostname() ? `${host}, in another PID namespace` : host;
  return new DevflowError(
    'LOCK_FOREIGN',
    `the run "${runId}" is held by process ${pid} on ${where}, which cannot be looked at from here`,
    { hint: `Go on with it there. If you know that it is dead there: rm '${lock}'` },
  );
}

/** Says whose lock it was. */
export function tookOverNote({ tookOver }: Pick<Lock, 'tookOver'>): string | undefined {
  return tookOver && `took the run over from process ${tookOver.pid}, which is dead`;
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

function requireNew(paths: RunPaths, runId: string): void {
  const { definition, journal, lock } = paths;
  if (!existsSync(definition) && !existsSync(journal)) return;
  const holder = readHolder(lock);
  if (holder !== undefined && holderState(holder) !== 'dead') throw held(paths, runId, holder);
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
