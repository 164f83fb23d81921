import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { codeOf } from '../process/system-error.js';
import { commitsOnlyWithin } from './commits-within.js';
import { diffBetween } from './diff.js';
import { askedFromHead } from './from-head.js';
import { type Environment, git, gitFailed, tryGit } from './git.js';
import { type Commit, LOG, commitsOnBranch, compare, counted, parseLog } from './history.js';
import { operationUnderWay } from './repository.js';
import { gitDirOf } from './worktree.js';

/** What git says of a worktree, measured by devflow itself. What could not be measured is undefined, never zero. */
export interface GitFacts {
  readonly head: string | undefined;
  /** The branch that is checked out; undefined where HEAD is detached or could not be read. */
  readonly branch: string | undefined;
  /** Paths with uncommitted changes, untracked ones too; undefined where it could not be measured. */
  readonly uncommitted: readonly string[] | undefined;
  /** What git is in the middle of there, as `a merge`: its outcome is not committed, also where no file has changed. */
  readonly underWay: string | undefined;
  /** Repositories within of whose new commit nobody else has anything; not where git could not be asked, or confined. */
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

/** What is not committed, whatever the configuration says of what to show. */
export const STATUS = [
  'status',
  '--porcelain=v2',
  '-z',
  '--untracked-files=normal',
  '--ignore-submodules=none',
];
/** What is in the index, and what it says of each file. */
const LIST = ['ls-files', '-v', '--stage', '-z'];
/** A repository within has settings of its own, and git would run what they name. */
export const NOT_WITHIN = ['--ignore-submodules=dirty'];

export interface MeasureOptions {
  /** The branch that the run came from: what others commit there is not the run's, also where it was merged. */
  readonly base?: string;
  /** The agent was confined: nothing that it left may make git run a program. What is in repositories within is not looked at then, and counts as not committed. */
  readonly confined?: boolean;
}

/**
 * Five git calls, at the same time but for one.
 * @param since the commit to count from
 */
export async function measureWorktree(
  directory: string,
  since: string,
  env: Environment,
  { base, confined = false }: MeasureOptions = {},
): Promise<GitFacts> {
  const within = confined ? NOT_WITHIN : [];
  const [status, log, index, fromHead] = await Promise.all([
    tryGit(directory, [...STATUS, ...within, '--branch'], env),
    tryGit(
      directory,
      [...LOG, `${since}..HEAD`, '--not', '--remotes', ...onlyBranch(base), '--'],
      env,
    ),
    tryGit(directory, LIST, env),
    askedFromHead(directory, [...STATUS, ...within, '--untracked-files=no'], env),
  ]);
  const state = status.status === 0 ? parseStatus(status.stdout) : undefined;
  const history = log.status === 0 ? parseLog(log.stdout) : undefined;
  const unseen =
    index.status === 0 && 'output' in fromHead
      ? await unseenPaths(directory, index.stdout, fromHead.output, confined, env)
      : undefined;
  const head = state?.head;
  const hasLinks = !confined && parseIndex(index.stdout).some(({ isRepository }) => isRepository);
  const onlyHere = hasLinks ? await commitsOnlyWithin(directory, since, env) : undefined;
  const uncommitted =
    state && unseen
      ? [...new Set([...state.uncommitted, ...unseen, ...unreadableIn(status.stderr)])]
      : undefined;
  return {
    head,
    branch: state?.branch,
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

interface IndexEntry {
  /** By `ls-files -v`: in small letters where it is assumed to be unchanged, `S` outside a sparse checkout. */
  readonly tag: string;
  /** Does git know only the commit of a repository there? */
  readonly isRepository: boolean;
  readonly file: string;
}

/** `git ls-files -v --stage -z` */
function parseIndex(output: string): IndexEntry[] {
  return output.split('\0').flatMap((entry) => {
    const [, tag, mode, file] = /^(.) (\d+) [^\t]*\t(.*)$/s.exec(entry) ?? [];
    if (tag === undefined || file === undefined) return [];
    return [{ tag, isRepository: mode === '160000', file }];
  });
}

/**
 * Paths of which `git status` does not say that they are not committed.
 * @param list the worktree's index
 * @param fromHead the status by an index that nobody else has written
 */
async function unseenPaths(
  directory: string,
  list: string,
  fromHead: string,
  confined: boolean,
  env: Environment,
): Promise<string[]> {
  const entries = parseIndex(list);
  const leftOut = new Set(await outsideSparseCheckout(directory, entries, env));
  const changed = parseStatus(fromHead).uncommitted.filter((file) => !leftOut.has(file));
  const unseen = entries.flatMap(({ isRepository, file }) => {
    if (!isRepository) return [];
    const place = path.join(directory, file);
    if (existsSync(path.join(place, '.git'))) return confined ? [file] : [];
    return contentOf(place).map((name) => path.join(file, name));
  });
  return [...new Set([...changed, ...unseen])];
}

/** Files that are not there because a sparse checkout leaves them out. */
async function outsideSparseCheckout(
  directory: string,
  entries: readonly IndexEntry[],
  env: Environment,
): Promise<string[]> {
  const marked = entries.filter(({ tag }) => tag === 'S').map(({ file }) => file);
  if (marked.length === 0) return [];
  const asked = ['config', '--type=bool', '--get', 'core.sparseCheckout'];
  const { stdout } = await tryGit(directory, asked, env);
  if (stdout.trim() !== 'true') return [];
  return marked.filter((file) => !existsSync(path.join(directory, file)));
}

/** What is in the place of a repository that is not there, as of a submodule without `git submodule init`: git looks at nothing of it. */
function contentOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return []; // git says that it is gone, or another thing
    return ['.'];
  }
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

/** `git status --porcelain=v2 --branch -z` */
export function parseStatus(output: string): {
  head?: string;
  branch?: string;
  uncommitted: string[];
  /** Of these those that git does not know. */
  untracked: string[];
  /** Is nothing changed but that committed files are not there? */
  onlyMissing: boolean;
} {
  const state: ReturnType<typeof parseStatus> = {
    uncommitted: [],
    untracked: [],
    onlyMissing: true,
  };
  const entries = output.split('\0');
  for (let index = 0; index < entries.length; index += 1) {
    const entry = entries[index] ?? '';
    const [, key, value] = /^# branch\.(oid|head) (.*)$/s.exec(entry) ?? [];
    if (key === 'oid' && value !== undefined && value !== '(initial)') state.head = value;
    if (key === 'head' && value !== undefined && value !== '(detached)') state.branch = value;
    const words = { '1': 8, '2': 9, u: 10, '?': 1 }[entry[0] ?? ''];
    if (words === undefined) continue;
    if (!entry.startsWith('1 .D ')) state.onlyMissing = false;
    const name = entry.split(' ').slice(words).join(' ');
    state.uncommitted.push(name);
    if (entry.startsWith('?')) state.untracked.push(name);
    if (entry.startsWith('2')) index += 1; // the name before the renaming follows
  }
  return state;
}
