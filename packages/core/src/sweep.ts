import { rmSync } from 'node:fs';
import path from 'node:path';
import type { RunContext } from './context.js';
import { DevflowError } from './errors.js';
import { gitDirOf } from './git/worktree.js';
import { type ProcessTree, endTree } from './process/tree.js';

/** Between TERM and KILL for what an attempt left behind: its work is over. */
const SWEEP_GRACE_MS = 1_000;

/**
 * Ends and confirms whatever remains of an attempt, so that nothing changes the tree while it is measured.
 * @throws DevflowError LEFTOVER_PROCESSES where something cannot be ended
 */
export async function sweep(context: RunContext, tree: ProcessTree, cwd: string): Promise<void> {
  const { found, left } = await endTree(tree, { graceMs: SWEEP_GRACE_MS });
  if (left.length > 0) {
    const pids = left.map(({ pid }) => pid).join(', ');
    throw new DevflowError(
      'LEFTOVER_PROCESSES',
      `processes of the attempt cannot be ended: ${pids}`,
    );
  }
  if (found > 0) {
    const count = `${found} ${found === 1 ? 'process' : 'processes'}`;
    context.emit({ type: 'note', text: `ended what the attempt left behind: ${count}` });
  }
  // Nobody of the attempt is alive: a lock that it held on the index of its own worktree is nobody's.
  const gitDir = gitDirOf(cwd);
  if (gitDir !== undefined) rmSync(path.join(gitDir, 'index.lock'), { force: true });
}
