import { existsSync } from 'node:fs';
import path from 'node:path';
import { DevflowError } from '../errors.js';
import { isShortage } from '../process/system-error.js';
import { type Environment, tryGit } from './git.js';
import { withDirectory } from './scratch.js';
import { gitDirOf } from './worktree.js';

/**
 * What git says of a worktree by an index of devflow's own, made from HEAD: in the worktree's index whoever works
 * there can write that a file is as committed, or is not to be looked at. Reads every committed file.
 *
 * @param args of the git command that is asked
 * @returns its output; `unknown` in words where it could not be asked
 */
export async function askedFromHead(
  directory: string,
  args: readonly string[],
  env: Environment,
): Promise<{ output: string } | { unknown: string }> {
  const gitDir = gitDirOf(directory) ?? path.join(directory, '.git');
  if (!existsSync(gitDir)) return { unknown: `${directory} is no worktree any more` };
  const scratch = path.join(gitDir, 'devflow-index');
  try {
    return await withDirectory(scratch, async () => {
      const options = {
        variables: {
          GIT_INDEX_FILE: path.join(scratch, 'index'),
          GIT_DIR: gitDir, // with it the files are those that are here, whatever `core.worktree` says
          GIT_WORK_TREE: directory,
        },
      };
      const read = await tryGit(directory, ['read-tree', 'HEAD'], env, options);
      const asked = read.status === 0 ? await tryGit(directory, args, env, options) : read;
      if (asked.status === 0) return { output: asked.stdout };
      return { unknown: asked.stderr || 'git ended without a word' };
    });
  } catch (error) {
    if (error instanceof DevflowError || isShortage(error)) throw error;
    return { unknown: (error as Error).message }; // of the system: whoever works there may have closed the place
  }
}
