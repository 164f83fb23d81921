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
  return withDirectory(scratch, () => work({ directory, gitDir, env, scratch }));
}

/** A directory that is there while something is done. */
export async function withDirectory<T>(directory: string, work: () => Promise<T>): Promise<T> {
  rmSync(directory, { recursive: true, force: true }); // of one that was cut off
  mkdirSync(directory, { recursive: true });
  try {
    return await work();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
