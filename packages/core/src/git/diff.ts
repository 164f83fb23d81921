import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Environment, type GitResult, tryGit } from './git.js';

/** Above, a file counts as binary: its lines are not shown. */
const LARGE_FILE = '10m';

/**
 * What is another in one commit than in another, for persons and agents. Whether a file is text is told by its content:
 * no attribute, driver or setting has a say in it, since with one (`* -diff`) an agent would hide what it changed. No
 * program is run.
 * @param gitDir the repository's, or that of a worktree: the commits are named as there
 */
export async function diffBetween(
  gitDir: string,
  how: readonly string[],
  commits: readonly [before: string, after: string],
  env: Environment,
): Promise<GitResult> {
  // Attributes are read from a checkout and its index: here both are empty.
  const nothing = mkdtempSync(path.join(tmpdir(), 'devflow-diff-'));
  try {
    const settings = ['diff.default.binary=auto', `core.bigFileThreshold=${LARGE_FILE}`];
    const always = ['--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=none'];
    const args = ['diff-tree', '-r', '--find-renames', ...always, ...how, ...commits, '--'];
    const variables = {
      GIT_DIR: gitDir,
      GIT_WORK_TREE: nothing,
      GIT_INDEX_FILE: path.join(nothing, 'index'),
    };
    const options = [...settings.flatMap((setting) => ['-c', setting]), ...args];
    return await tryGit(nothing, options, env, { variables });
  } finally {
    rmSync(nothing, { recursive: true, force: true });
  }
}
