import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DevflowError } from '../errors.js';
import { effect } from '../process/effect.js';
import { makeDirectory } from '../state/files.js';
import { tryLock } from '../state/lock.js';

/** git's own locks do not hold when worktrees are added and removed at once: some fail. */
const WAIT_LIMIT_MS = 120_000;

/** The file that is locked. */
export function repositoryLock(commonDir: string): string {
  return path.join(commonDir, 'devflow', 'worktrees.lock');
}

/** Those of this process stand in line here, so that at most one a process waits for the file. */
const lines = new Map<string, Promise<unknown>>();

/**
 * Runs one change of the repository's worktrees, branches or configuration at a time, across processes.
 * @throws DevflowError LOCK_TIMEOUT
 */
export function withRepositoryLock<T>(commonDir: string, change: () => Promise<T>): Promise<T> {
  const previous = lines.get(commonDir) ?? Promise.resolve();
  const current = previous.then(() => holdFile(commonDir, change));
  const settled = current.catch(() => undefined);
  lines.set(commonDir, settled);
  void settled.finally(() => {
    if (lines.get(commonDir) === settled) lines.delete(commonDir);
  });
  return current;
}

async function holdFile<T>(commonDir: string, change: () => Promise<T>): Promise<T> {
  const directory = path.join(commonDir, 'devflow');
  effect('repository.lock', () => makeDirectory(directory));
  const file = repositoryLock(commonDir);
  const start = performance.now();
  for (;;) {
    const lock = tryLock(file, 'repository');
    if ('release' in lock) {
      try {
        return await change();
      } finally {
        lock.release();
      }
    }
    if (performance.now() - start > WAIT_LIMIT_MS) {
      const { pid, host } = lock.heldBy;
      throw new DevflowError('LOCK_TIMEOUT', `${file} is held by process ${pid} on ${host}`);
    }
    await delay(2 + Math.random() * 10);
  }
}
