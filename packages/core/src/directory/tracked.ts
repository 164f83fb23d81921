import path from 'node:path';
import { type Environment, gitFailed, tryGit } from '../git/git.js';

/**
 * Does git track this file, or anything in this directory? A link counts as itself, not as what it leads to; a
 * submodule as something that is tracked. What lies in no repository is tracked by none.
 *
 * @throws DevflowError GIT_FAILED where git cannot say, GIT_NOT_FOUND
 */
export async function isTracked(file: string, env: Environment): Promise<boolean> {
  const args = ['ls-files', '-z', '--', `:(literal)${path.basename(file)}`];
  const result = await tryGit(path.dirname(file), args, env);
  if (result.status === 0) return result.stdout !== '';
  if (/not a git repository/.test(result.stderr)) return false;
  throw gitFailed(args, result);
}
