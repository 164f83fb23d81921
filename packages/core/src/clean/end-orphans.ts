import type { Cleaning } from './cleaning.js';
import { type OrphanProcess, type Orphans, orphanProcesses } from './orphans.js';
import { effect } from '../process/effect.js';
import { markedProcesses, withAncestors } from '../process/marked.js';
import { endTree, readTable } from '../process/tree.js';

/** Between TERM and KILL: nobody waits for what they do. */
const GRACE_MS = 2_000;

/** Ends the processes of a run that belong to none of its attempts, and confirms it. The caller holds the run. */
export async function endOrphans(
  { repository, definition, options, removed, kept }: Cleaning,
  known: Orphans,
): Promise<void> {
  const { id } = definition;
  if (known.processes.every(({ run }) => run !== id)) return;
  const { commonDir } = repository;
  // Looked at anew: now nobody else can begin an attempt.
  const found = orphanProcesses(commonDir, markedProcesses(), id).filter(({ run }) => run === id);
  for (const marker of new Set(found.map((each) => each.marker))) {
    const its = found.filter((each) => each.marker === marker);
    const above = startedFrom(its);
    const refusal = above ?? (options.dryRun === true ? undefined : await end(marker));
    for (const each of its) {
      const what = nameProcess(each);
      if (refusal === undefined) removed.push(what);
      else kept.push({ what, why: refusal });
    }
  }
}

export function nameProcess({ entry, command }: OrphanProcess): string {
  return `process ${entry.pid} (${command})`;
}

async function end(marker: string): Promise<string | undefined> {
  const tree = { leader: undefined, marker, seen: new Set<string>() };
  const { left } = await effect('attempt.end', () => endTree(tree, { graceMs: GRACE_MS }));
  if (left.length === 0) return undefined;
  return `it cannot be ended: ${left.map(({ pid }) => pid).join(', ')} live on`;
}

/** Whoever ends what it was started from ends itself, or the shell of the user above it. */
function startedFrom(its: readonly OrphanProcess[]): string | undefined {
  const pids = new Set(its.map(({ entry }) => entry.pid));
  const above = withAncestors(process.pid, readTable()).find((pid) => pids.has(pid));
  return above === undefined ? undefined : `this devflow was started from process ${above}`;
}
