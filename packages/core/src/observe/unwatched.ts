import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import { DevflowError } from '../errors.js';
import type { Launched } from '../launch.js';
import { leftoverProcesses } from '../leftover-processes.js';
import { removeCgroup } from '../process/cgroup.js';
import { effect } from '../process/effect.js';
import { type ProcessTree, endGroup, endTree } from '../process/tree.js';
import { giveUpClaim, wasClaimed, wasNotStarted } from '../process/wrapper.js';
import { readIfThere, writeDurably } from '../state/files.js';

/** Between TERM and KILL. */
const END_GRACE_MS = 5_000;

/** An agent that cannot be watched is not left to run. */
export async function endUnwatched(
  tree: ProcessTree,
  { attempt, isOurs }: Launched,
  cause: unknown,
): Promise<void> {
  const { left } = await effect('attempt.end', async () => {
    if (!existsSync(path.join(attempt.directory, 'exit'))) markUnwatched(attempt.directory, cause);
    try {
      return await endTree(tree, { graceMs: END_GRACE_MS });
    } catch (error) {
      // Nothing can be looked at; but a child that was not waited for yet has its number still.
      if (tree.leader !== undefined && isOurs?.() === true) endGroup(tree.leader.pid);
      throw error;
    }
  });
  // Whoever goes on may not know of it: its record may be what is gone.
  if (left.length === 0 && attempt.cgroup !== undefined) {
    const { cgroup } = attempt;
    await effect('attempt.end', () => removeCgroup(cgroup));
  }
  if (left.length > 0) throw leftoverProcesses('an agent that cannot be watched', left, { cause });
}

/** Says why, to whoever takes the attempt up. Where not even that can be written, it passes for one that crashed. */
function markUnwatched(directory: string, cause: unknown): void {
  for (const file of marksOf(directory)) {
    try {
      writeDurably(file, (cause as Error).message);
      return;
    } catch {
      // it is told all the same: `cause` is thrown
    }
  }
}

/** The second, beside the attempt's directory, where nothing can be written in that. */
function marksOf(directory: string): string[] {
  return [path.join(directory, 'unwatched'), `${directory}.unwatched`];
}

/** Why an earlier devflow ended the attempt, where it did so because it could not watch it. */
export function whyUnwatched(directory: string, status: number | undefined): string | undefined {
  // An agent that ended by itself just then is judged by how it did.
  if (status !== undefined && status <= 128) return undefined;
  return marksOf(directory)
    .map(readIfThere)
    .find((why) => why !== undefined);
}

/**
 * The wrapper is gone and left no status. One that could not even begin says nothing of the agent: the attempt
 * stays as it was before, and the next devflow launches it. Neither does one that could not write in the attempt's
 * directory: what the system says of that is thrown, and the attempt is not judged.
 */
export async function requireBegun(
  { attempt, exited }: Launched,
  tree: ProcessTree,
): Promise<void> {
  const { directory } = attempt;
  if (wasNotStarted(directory)) {
    await effect('attempt.end', () => endTree(tree, { graceMs: END_GRACE_MS }));
    effect('attempt.end', () => giveUpClaim(directory));
    const noProcess = new Error('the wrapper of the agent could start nothing');
    throw Object.assign(noProcess, { code: 'EAGAIN' });
  }
  accessSync(directory, constants.W_OK); // without that no status can be written, however the agent ended
  if (exited !== undefined && !wasClaimed(directory))
    throw new DevflowError('ATTEMPT_UNCLAIMED', `nothing could be written in ${directory}`);
}
