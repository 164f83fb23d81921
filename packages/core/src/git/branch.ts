import { type SimpleGit, simpleGit } from 'simple-git';
import { effect } from '../process/effect.js';
import { type Environment, gitEnvironment } from './git.js';
import { withRepositoryLock } from './repository-lock.js';
import type { Repository } from './repository.js';

/** What has to be known of a branch before it is deleted. */
export interface BranchFacts {
  readonly commit: string;
  /** All other branches, local and remote-tracking, that have its commit; full names of refs. */
  readonly containedIn: readonly string[];
  /** The worktree where it is checked out. */
  readonly checkedOutAt: string | undefined;
}

/** @returns undefined where there is no such branch */
export async function readBranch(
  root: string,
  branch: string,
  env: Environment,
): Promise<BranchFacts | undefined> {
  const git = open(root, env);
  const ref = `refs/heads/${branch}`;
  const own = await git.raw(['for-each-ref', '--format=%(objectname)%00%(worktreepath)%00', ref]);
  const [commit = '', checkedOutAt = ''] = own.split('\0');
  if (commit === '') return undefined;
  const others = await git.raw([
    'for-each-ref',
    '--format=%(refname)',
    '--contains',
    commit,
    'refs/heads',
    'refs/remotes',
  ]);
  return {
    commit,
    containedIn: others.split('\n').filter((name) => name !== '' && name !== ref),
    checkedOutAt: checkedOutAt === '' ? undefined : checkedOutAt,
  };
}

/** Deletes a branch whose commits are known to be safe. git refuses where it is checked out. */
export async function deleteBranch(
  { root, commonDir }: Repository,
  branch: string,
  env: Environment,
): Promise<void> {
  await withRepositoryLock(commonDir, () =>
    effect('branch.delete', async () => open(root, env).deleteLocalBranch(branch, true)),
  );
}

/** Of the caller's environment only what git needs: simple-git refuses variables that could change what git does, and nothing here asks for them. */
function open(root: string, env: Environment): SimpleGit {
  const { PATH, HOME, XDG_CONFIG_HOME, LC_ALL } = gitEnvironment(env);
  const needed = Object.entries({ PATH, HOME, XDG_CONFIG_HOME, LC_ALL });
  return simpleGit(root, {
    config: ['core.hooksPath=/dev/null', 'gc.auto=0', 'maintenance.auto=false'],
    unsafe: { allowUnsafeHooksPath: true },
  }).env(Object.fromEntries(needed.filter(([, value]) => value !== undefined)));
}
