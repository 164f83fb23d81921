import { DevflowError } from '../errors.js';
import { type Lock, holderState, tryLock } from './lock.js';
import type { RunPaths } from './paths.js';

/** Takes a run's lock. @throws DevflowError RUN_HELD, LOCK_FOREIGN */
export function takeRun(paths: RunPaths, runId: string): Lock {
  const lock = tryLock(paths.lock);
  if ('release' in lock) return lock;
  const { pid, host } = lock.heldBy;
  if (holderState(lock.heldBy) === 'foreign') {
    throw new DevflowError(
      'LOCK_FOREIGN',
      `the run "${runId}" is held by process ${pid} on ${host}, which cannot be looked at from here`,
    );
  }
  throw new DevflowError('RUN_HELD', `the run "${runId}" is held by process ${pid}`);
}
