import { readdirSync } from 'node:fs';
import path from 'node:path';
import { type SimpleGit, simpleGit } from 'simple-git';
import { effect } from '../process/effect.js';
import { readIfThere } from '../state/files.js';
import { type Environment, git as runGit, gitEnvironment, tryGit } from './git.js';
import { withRepositoryLock } from './repository-lock.js';
import type { Repository } from './repository.js';

/** What has to be known of a branch before it is deleted. */
export interface BranchFacts {
  readonly commit: string;
  /** All other branches, local and remote-tracking, that have its commit; full names of refs. */
  readonly containedIn: readonly string[];
  /** The worktree where it is checked out. */
  readonly checkedOutAt: string | undefined;
  /** What git is in the middle of with it, in words: it moves the branch at the end. */
  readonly inUse: string | undefined;
}

/** @returns undefined where there is no such branch */
export async function readBranch(
  { root, commonDir }: Repository,
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
    inUse: whyInUse(commonDir, ref),
  };
}

/** Where git keeps the branches that an operation under way moves at its end. */
const OPERATIONS = [
  ['rebase-merge/head-name', 'a rebase'],
  ['rebase-merge/update-refs', 'a rebase'],
  ['rebase-apply/head-name', 'a rebase'],
  ['BISECT_START', 'a bisect'],
] as const;

function whyInUse(commonDir: string, ref: string): string | undefined {
  const names = [ref, ref.slice('refs/heads/'.length)]; // a bisect has the short one
  for (const gitDir of [commonDir, ...worktreeGitDirs(commonDir)]) {
    const found = OPERATIONS.find(([file]) =>
      readIfThere(path.join(gitDir, file))
        ?.split('\n')
        .some((line) => names.includes(line)),
    );
    if (found === undefined) continue;
    const pointer = readIfThere(path.join(gitDir, 'gitdir'))?.trimEnd();
    const at = path.dirname(pointer === undefined ? commonDir : path.resolve(gitDir, pointer));
    return `git is in the middle of ${found[1]} of it in ${at}: end or abort that there`;
  }
  return undefined;
}

function worktreeGitDirs(commonDir: string): string[] {
  const entries = path.join(commonDir, 'worktrees');
  try {
    return readdirSync(entries).map((name) => path.join(entries, name));
  } catch {
    return []; // none was ever made
  }
}

/** A branch that was judged, and how. */
export interface JudgedBranch {
  readonly branch: string;
  readonly commit: string;
  /** Judges it once more. @returns why it stays */
  readonly judge: (facts: BranchFacts) => string | undefined;
}

/**
 * Deletes a branch at the commit that was judged to be safe, and its settings. The wait for the lock may be
 * long, so that it is judged again; and git itself compares the commit, so that a branch that moves even
 * after that is kept.
 * @returns why it is still there; undefined where it is gone
 */
export async function deleteBranch(
  repository: Repository,
  { branch, commit, judge }: JudgedBranch,
  env: Environment,
): Promise<string | undefined> {
  const { root, commonDir } = repository;
  return withRepositoryLock(commonDir, async () => {
    const facts = await readBranch(repository, branch, env);
    if (facts === undefined) return undefined;
    if (facts.commit !== commit) return 'it has moved meanwhile';
    const why = judge(facts);
    if (why !== undefined) return why;
    const drop = ['update-ref', '-d', `refs/heads/${branch}`, commit];
    const { status, stderr } = await effect('branch.delete', () => tryGit(root, drop, env));
    if (status !== 0) return stderr;
    await removeSettings(root, branch, env);
    return undefined;
  });
}

/** As `git branch -D` does: a branch that is made later by that name does not get them. */
async function removeSettings(root: string, branch: string, env: Environment): Promise<void> {
  const section = `branch.${branch}`;
  const { stdout } = await tryGit(root, ['config', '--local', '--name-only', '-z', '--list'], env);
  if (!stdout.split('\0').some((name) => name.startsWith(`${section}.`))) return;
  await effect('branch.delete', () => runGit(root, ['config', '--local', '--remove-section', section], env)); // prettier-ignore
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
