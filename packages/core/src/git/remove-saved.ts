import { existsSync, rmSync } from 'node:fs';
import { effect } from '../process/effect.js';
import { type Environment, tryGit } from './git.js';
import type { Repository } from './repository.js';
import { withRepositoryLock } from './repository-lock.js';
import { type Doomed, type Salvaged, saveWorktree } from './salvage.js';
import { glance } from './snapshot.js';

/** How often it is saved anew where something still writes there. */
const MOST_TIMES = 3;

export interface RemovedSaved {
  /** What was saved, in this order; also where the worktree stays. */
  readonly saved: readonly Salvaged[];
  /** Why it is still there; undefined where it is gone. */
  readonly refusal: string | undefined;
}

/**
 * Removes a worktree by force once all of it is saved. Saving and the wait for the lock take their time: under the lock
 * it is looked at once more, and what has changed by then is saved again.
 * @throws DevflowError SALVAGE_FAILED
 */
export async function removeSavedWorktree(
  repository: Repository,
  doomed: Doomed,
  env: Environment,
): Promise<RemovedSaved> {
  const saved: Salvaged[] = [];
  for (let times = 0; times < MOST_TIMES; times++) {
    const { kept, seen } = await saveWorktree(repository, doomed, env);
    if (kept !== undefined && saved.every(({ ref }) => ref !== kept.ref)) saved.push(kept);
    const removed = await withRepositoryLock(repository.commonDir, async () =>
      (await glance(repository, doomed, env)) === seen
        ? { refusal: await remove(repository, doomed.directory, env) }
        : undefined,
    );
    if (removed !== undefined) return { saved, ...removed };
  }
  return { saved, refusal: 'it changes again and again: end what works there' };
}

async function remove(
  { root }: Repository,
  directory: string,
  env: Environment,
): Promise<string | undefined> {
  const args = ['worktree', 'remove', '--force', '--force', directory];
  const ask = () => effect('worktree.discard', () => tryGit(root, args, env));
  if ((await ask()).status === 0) return undefined;
  try {
    effect('worktree.discard', () => rmSync(directory, { recursive: true, force: true }));
  } catch (error) {
    return (error as Error).message;
  }
  const { status, stderr } = await ask();
  return status === 0 || !existsSync(directory) ? undefined : stderr;
}
