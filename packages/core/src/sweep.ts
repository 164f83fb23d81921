import { rmSync } from 'node:fs';
import path from 'node:path';
import type { RunContext } from './context.js';
import { gitDirOf, isWorktreeOf } from './git/worktree.js';
import { leftoverProcesses } from './leftover-processes.js';
import { WITHOUT_CGROUP, removeCgroup } from './process/cgroup.js';
import { effect } from './process/effect.js';
import { type ProcessTree, endTree } from './process/tree.js';
import { isUngrouped } from './process/wrapper.js';
import type { Attempt } from './state/fold.js';

/** Between TERM and KILL for what an attempt left behind: its work is over. */
const SWEEP_GRACE_MS = 1_000;

/**
 * Ends and confirms whatever remains of an attempt, so that nothing changes the tree while it is measured.
 * @throws DevflowError LEFTOVER_PROCESSES where something cannot be ended
 */
export async function sweep(
  context: RunContext,
  tree: ProcessTree,
  { cwd, directory, cgroup }: Attempt,
): Promise<void> {
  const { found, left } = await effect('attempt.end', () =>
    endTree(tree, { graceMs: SWEEP_GRACE_MS }),
  );
  if (left.length > 0) throw leftoverProcesses('the attempt', left);
  if (found > 0) {
    const count = `${found} ${found === 1 ? 'process' : 'processes'}`;
    context.emit({ type: 'note', text: `ended what the attempt left behind: ${count}` });
  }
  if (cgroup !== undefined) await forgetCgroup(context, cgroup, directory);
  // Nobody of the attempt is alive: a lock that it held in its own worktree or on its branch is nobody's.
  const { repository, definition } = context;
  if (!isWorktreeOf(repository, cwd)) return; // an agent may have led it to the user's own
  const gitDir = gitDirOf(cwd) ?? '';
  const locks = [
    ...['index.lock', 'HEAD.lock'].map((name) => path.join(gitDir, name)),
    path.join(repository.commonDir, 'refs', 'heads', `${definition.branch}.lock`),
  ];
  effect('attempt.unlock', () => {
    for (const lock of locks) rmSync(lock, { force: true });
  });
}

async function forgetCgroup(
  { emit }: RunContext,
  cgroup: string,
  directory: string,
): Promise<void> {
  if (isUngrouped(directory))
    emit({ type: 'note', text: `the attempt could not enter ${cgroup}: ${WITHOUT_CGROUP}` });
  if (!(await effect('attempt.end', () => removeCgroup(cgroup))))
    emit({ type: 'note', text: `the empty control group ${cgroup} could not be removed` });
}
