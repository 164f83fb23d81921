import { closeSync, constants, rmSync, statSync } from 'node:fs';
import { effect } from '../process/effect.js';
import { openRegular } from '../process/own-file.js';
import { syncDirectory } from './files.js';
import type { RunPaths } from './paths.js';

const { O_CREAT, O_WRONLY } = constants;

/**
 * An empty file beside the journal of a run that has ended, so that showing the current runs does not read
 * the journals of all. It is a hint: where it is missing, the journal is read.
 */
export function markEnded({ ended }: RunPaths): void {
  try {
    effect('run.mark-ended', () => closeSync(openRegular(ended, O_WRONLY | O_CREAT)));
  } catch {
    // a full disk: the journal says it
  }
}

/** Before anything is written that makes the run go on. */
export function unmarkEnded({ ended, directory }: RunPaths): void {
  if (endedAt(ended) === undefined) return;
  effect('run.unmark-ended', () => {
    rmSync(ended, { force: true });
    syncDirectory(directory);
  });
}

/** Milliseconds since the epoch, or undefined where the run is not known to have ended. */
export function endedAt(ended: string): number | undefined {
  return statSync(ended, { throwIfNoEntry: false })?.mtimeMs;
}
