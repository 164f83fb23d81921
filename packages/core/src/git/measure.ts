import { createHash } from 'node:crypto';
import path from 'node:path';
import { commitsOnlyWithin } from './commits-within.js';
import { diffBetween } from './diff.js';
import { askedFromHead } from './from-head.js';
import { type Environment, git, gitFailed, tryGit } from './git.js';
import { type Commit, LOG, commitsOnBranch, compare, counted, parseLog } from './history.js';
import { NOT_WITHIN, STATUS, parseStatus } from './status.js';
import { LIST, unseenPaths } from './unseen.js';
import { operationUnderWay } from './repository.js';
import { gitDirOf } from './worktree.js';

/** What git says of a worktree, measured by devflow itself. What could not be measured is undefined, never zero. */
export interface GitFacts {
  readonly head: string | undefined;
  /** The branch that is checked out, or the full name of another ref; undefined where HEAD is detached or could not be read. */
  readonly branch: string | undefined;
  /** Paths with uncommitted changes, untracked ones too; undefined where it could not be measured. */
  readonly uncommitted: readonly string[] | undefined;
  /** What git is in the middle of there, as `a merge`: its outcome is not committed, also where no file has changed. */
  readonly underWay: string | undefined;
  /** Repositories within of whose new commit nobody else has anything; not where git could not be asked. */
  readonly onlyHere?: readonly string[];
  /** Commits since a commit, oldest first, without those that the base branch or a remote has; undefined where they could not be counted. */
  readonly commits: readonly Commit[] | undefined;
  /** Those, and every other one that the branch itself went through since, whoever else has it: an attempt can give its commits to the base branch. */
  readonly onBranch: readonly Commit[] | undefined;
  /** Is HEAD another commit than that one? */
  readonly moved: boolean | undefined;
  /** Is the content at HEAD another than at that commit? */
  readonly differs: boolean | undefined;
  /** False where the commit that was started from is no longer below HEAD. */
  readonly descends: boolean | undefined;
  /** Stands for all that is committed there; not where something is not committed, or could not be measured: then nobody can say whether it is the same as before. */
  readonly tree?: string;
  /** Stands for the index, also where something is not committed. */
  readonly index?: string;
  /** git's words where something failed. */
  readonly errors: readonly string[];
}

/** Paths that changed; in words where that could not be found out. */
export type ChangedPaths = readonly string[] | { readonly unknown: string };

/** The facts of a worktree that could not be asked. */
export function unmeasured(why: string): GitFacts {
  return {
    head: undefined,
    branch: undefined,
    uncommitted: undefined,
    underWay: undefined,
    commits: undefined,
    onBranch: undefined,
    moved: undefined,
    differs: undefined,
    descends: undefined,
    errors: [why],
  };
}

export interface MeasureOptions {
  /** The branch that the run came from: what others commit there is not the run's, also where it was merged. */
  readonly base?: string;
  /** The agent was confined: nothing that it left may make git run a program. What is in repositories within is not looked at then, and counts as not committed. */
  readonly confined?: boolean;
}

/**
 * Six git calls, at the same time but for one.
 * @param since the commit to count from
 */
export async function measureWorktree(
  directory: string,
  since: string,
  env: Environment,
  options: MeasureOptions = {},
): Promise<GitFacts> {
  const { base, confined = false } = options;
  const within = confined ? NOT_WITHIN : [];
  const [status, log, index, fromHead, onlyHere] = await Promise.all([
    tryGit(directory, [...STATUS, ...within, '--branch'], env),
    tryGit(
      directory,
      [...LOG, `${since}..HEAD`, '--not', '--remotes', ...onlyBranch(base), '--'],
      env,
    ),
    tryGit(directory, LIST, env),
    askedFromHead(directory, [...STATUS, ...within, '--untracked-files=no'], env),
    commitsOnlyWithin(directory, since, env, options),
  ]);
  const state = status.status === 0 ? parseStatus(status.stdout) : undefined;
  const history = log.status === 0 ? parseLog(log.stdout) : undefined;
  const unseen =
    index.status === 0 && 'output' in fromHead
      ? await unseenPaths(directory, index.stdout, fromHead.output, confined, env)
      : undefined;
  const head = state?.head;
  const uncommitted =
    state && unseen
      ? [...new Set([...state.uncommitted, ...unseen, ...unreadableIn(status.stderr)])]
      : undefined;
  return {
    head,
    branch: state?.branch === NO_BRANCH ? await refOfHead(directory, env) : state?.branch,
    uncommitted,
    ...(index.status === 0 && { index: fingerprint(index.stdout) }),
    // With nothing uncommitted the index is the tree at HEAD.
    ...(uncommitted?.length === 0 && { tree: fingerprint(index.stdout) }),
    ...(onlyHere !== undefined && { onlyHere }),
    underWay: operationUnderWay(gitDirOf(directory) ?? path.join(directory, '.git')),
    commits: history && counted(history),
    onBranch:
      head === undefined || history === undefined
        ? undefined
        : await commitsOnBranch(directory, since, head, history, env),
    moved: head === undefined ? undefined : head !== since,
    ...(head === undefined || history === undefined
      ? { differs: undefined, descends: undefined }
      : await compare(directory, since, head, history, env)),
    errors: [status, log, index]
      .filter((result) => result.status !== 0)
      .map(({ stderr }) => stderr)
      .concat('unknown' in fromHead ? [fromHead.unknown] : []),
  };
}

/** What `git status` calls a HEAD that leads to a ref which is no branch: by a branch that is only another name for it. */
const NO_BRANCH = '(null)';

async function refOfHead(directory: string, env: Environment): Promise<string | undefined> {
  const { stdout } = await tryGit(directory, ['symbolic-ref', '--quiet', 'HEAD'], env);
  return branchOf(stdout.trim());
}

/** The short name of a branch, and the full one of another ref. @param ref what HEAD leads to; `HEAD` or nothing where it is detached */
export function branchOf(ref: string): string | undefined {
  return ref === 'HEAD' || ref === '' ? undefined : ref.replace(/^refs\/heads\//, '');
}

/** Paths that git knows and that are not as at HEAD. */
export async function changedTracked(
  directory: string,
  env: Environment,
  { confined = false }: Pick<MeasureOptions, 'confined'> = {},
): Promise<ChangedPaths> {
  const known = [...STATUS, '--untracked-files=no', ...(confined ? NOT_WITHIN : [])];
  const [status, index, fromHead] = await Promise.all([
    tryGit(directory, known, env),
    tryGit(directory, LIST, env),
    askedFromHead(directory, known, env),
  ]);
  const failed = [status, index].find((result) => result.status !== 0);
  if (failed !== undefined) return { unknown: failed.stderr || 'git ended without a word' };
  if ('unknown' in fromHead) return fromHead;
  const unseen = await unseenPaths(directory, index.stdout, fromHead.output, confined, env);
  return [...new Set([...parseStatus(status.stdout).uncommitted, ...unseen])];
}

function fingerprint(words: string): string {
  return createHash('sha256').update(words).digest('hex').slice(0, 40);
}

/** A pattern that matches one branch, and may match none: the name alone would be an error where it is gone. */
function onlyBranch(name: string | undefined): string[] {
  if (name === undefined || !/^[\w./-]*\w$/.test(name)) return [];
  return [`--glob=refs/heads/${name.slice(0, -1)}[${name.slice(-1)}]`];
}

/** Directories that git could not look into, in its own words: it does not say what is in them, and is content. */
function unreadableIn(words: string): string[] {
  return [...words.matchAll(/^warning: could not open directory '(.*)': /gm)].flatMap(
    ([, name]) => name ?? [],
  );
}

/** What is neither committed nor ignored by a `.gitignore`; of a directory of such files its name. Other places that hide are not believed. */
export async function untrackedFiles(directory: string, env: Environment): Promise<string[]> {
  const others = ['ls-files', '--others', '--directory', '--no-empty-directory'];
  const output = await git(directory, [...others, '--exclude-per-directory=.gitignore', '-z'], env);
  return output.split('\0').filter((file) => file !== '');
}

/** Paths that git neither knows nor ignores, as `git status` names them. @returns undefined where it could not be asked */
export async function untrackedPaths(
  directory: string,
  env: Environment,
  { confined = false }: Pick<MeasureOptions, 'confined'> = {},
): Promise<string[] | undefined> {
  const status = await tryGit(directory, [...STATUS, ...(confined ? NOT_WITHIN : [])], env);
  return status.status === 0 ? parseStatus(status.stdout).untracked : undefined;
}

/** How much of a change a prompt is given, in characters. */
const SHOWN_DIFF = 200_000;

/** The change from a commit to HEAD, for a prompt: a review may have no tool to ask git itself. */
export async function changeSince(
  directory: string,
  since: string,
  env: Environment,
): Promise<{ diff: string }> {
  const gitDir = gitDirOf(directory) ?? path.join(directory, '.git');
  const result = await diffBetween(gitDir, ['--patch'], [since, 'HEAD'], env);
  if (result.status !== 0) throw gitFailed(['diff-tree'], result);
  const diff = result.stdout.replaceAll(/[^\P{Cc}\t\n\r]/gu, '\uFFFD');
  if (diff.length <= SHOWN_DIFF) return { diff };
  const left = diff.length - SHOWN_DIFF;
  return {
    diff: `${diff.slice(0, SHOWN_DIFF)}\n[${left} more characters are left out: read the files]`,
  };
}
