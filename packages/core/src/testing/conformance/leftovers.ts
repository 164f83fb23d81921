import { readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { readTable } from '../../process/tree.js';

/** Living processes that belong to a directory: by their environment, their command line or where they work. */
export function processesIn(directory: string): number[] {
  return [...readTable().keys()].filter((pid) => pid !== process.pid && isIn(pid, directory));
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
    const left = processesIn(directory);
    if (left.length === 0) return ended.size;
    if (performance.now() - start > limitMs)
      throw new Error(`processes that cannot be ended: ${left.join(', ')}`);
    for (const pid of left) {
      ended.add(pid);
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // gone in between: what was wanted
      }
    }
    await delay(10);
  }
}
