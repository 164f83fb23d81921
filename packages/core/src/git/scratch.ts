import { mkdirSync, rmSync } from 'node:fs';
import type { Environment } from './git.js';
import { type Place, failed } from './look.js';
import { gitDirOf } from './worktree.js';

/** Works on a worktree with a directory that is there for this alone. @throws DevflowError SALVAGE_FAILED where it is no worktree */
export async function inScratch<T>(
  directory: string,
  scratch: string,
  env: Environment,
  work: (place: Place) => Promise<T>,
): Promise<T> {
  const gitDir = gitDirOf(directory);
  if (gitDir === undefined) throw failed(`${directory} is no worktree any more`);
  rmSync(scratch, { recursive: true, force: true }); // of one that was cut off
  mkdirSync(scratch, { recursive: true });
  try {
    return await work({ directory, gitDir, env, scratch });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
