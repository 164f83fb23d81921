import { readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessEntry } from '../../process/identity.js';
import { readTable, signal } from '../../process/tree.js';

/** Living processes that belong to a directory: by their environment, their command line or where they work. */
export function processesIn(directory: string): number[] {
  return entriesIn(directory).map(({ pid }) => pid);
}

function entriesIn(directory: string): ProcessEntry[] {
  return [...readTable().values()].filter(({ pid }) => pid !== process.pid && isIn(pid, directory));
}

function isIn(pid: number, directory: string): boolean {
  try {
    return (
      readFileSync(`/proc/${pid}/environ`, 'latin1').includes(directory) ||
      readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(directory) ||
      readlinkSync(`/proc/${pid}/cwd`).startsWith(directory)
    );
  } catch {
    return false; // gone, or another user's
  }
}

/** Ends them, until none is left. @returns how many there were @throws where some cannot be ended */
export async function endProcessesIn(directory: string, limitMs = 5_000): Promise<number> {
  const ended = new Set<number>();
  for (const start = performance.now(); ;) {
    const left = entriesIn(directory);
    if (left.length === 0) return ended.size;
    if (performance.now() - start > limitMs)
      throw new Error(`processes that cannot be ended: ${left.map(({ pid }) => pid).join(', ')}`);
    for (const entry of left) {
      ended.add(entry.pid);
      signal(entry, 'SIGKILL');
    }
    await delay(10);
  }
}
