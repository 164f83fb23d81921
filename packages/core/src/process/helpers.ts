import { setTimeout as delay } from 'node:timers/promises';
import { effect } from './effect.js';
import type { ProcessEntry } from './identity.js';
import { endTree, findTree } from './tree.js';

/**
 * Environment variable of what devflow starts for itself in a run: git, checks, setup, conditions. Where devflow is
 * killed they go on; whoever takes the run up ends them first, since they would work where it works.
 */
export const HELPER_VARIABLE = 'DEVFLOW_HELPER_OF';

/** How long they may take to end by themselves: git mostly does, and leaves nothing half done then. */
const PATIENCE_MS = 3_000;
/** Between TERM and KILL: git takes its lock files away. */
const GRACE_MS = 2_000;

/** Ends what a devflow that is dead has left at work for a run. @param runDirectory names the run @returns what cannot be ended */
export async function endHelpers(runDirectory: string): Promise<readonly ProcessEntry[]> {
  const marker = `${HELPER_VARIABLE}=${runDirectory}`;
  const tree = { leader: undefined, marker, seen: new Set<string>() };
  const start = performance.now();
  while (findTree(tree).length > 0 && performance.now() - start < PATIENCE_MS) await delay(20);
  const { left } = await effect('run.end-helpers', () => endTree(tree, { graceMs: GRACE_MS }));
  return left;
}
