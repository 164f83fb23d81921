import { type Environment, git, tryGit } from './git.js';

export interface Commit {
  readonly hash: string;
  readonly subject: string;
}

/** What git says of a worktree, measured by devflow itself. What could not be measured is undefined, never zero. */
export interface GitFacts {
  readonly head: string | undefined;
  /** The branch that is checked out; undefined where HEAD is detached or could not be read. */
  readonly branch: string | undefined;
  /** Paths with uncommitted changes, untracked ones too; undefined where it could not be measured. */
  readonly uncommitted: readonly string[] | undefined;
  /** Commits since a commit, oldest first; undefined where they could not be counted. */
  readonly commits: readonly Commit[] | undefined;
  /** False where the commit that was started from is no longer below HEAD. */
  readonly descends: boolean | undefined;
  /** git's words where something failed. */
  readonly errors: readonly string[];
}

/** The facts of a worktree that could not be asked. */
export function unmeasured(why: string): GitFacts {
  return {
    head: undefined,
    branch: undefined,
    uncommitted: undefined,
    commits: undefined,
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
const LOG = ['log', '-z', '--no-show-signature', '--format=%H%x00%P%x00%s'];

/** Two git calls, at the same time. @param since the commit to count from */
export async function measureWorktree(
  directory: string,
  since: string,
  env: Environment,
): Promise<GitFacts> {
  const [status, log] = await Promise.all([
    tryGit(directory, [...STATUS, '--branch'], env),
    tryGit(directory, [...LOG, `${since}..HEAD`, '--'], env),
  ]);
  const state = status.status === 0 ? parseStatus(status.stdout) : undefined;
  const history = log.status === 0 ? parseLog(log.stdout) : undefined;
  return {
    head: state?.head,
    branch: state?.branch,
    uncommitted: state?.uncommitted,
    commits: history?.map(({ hash, subject }) => ({ hash, subject })),
    descends:
      state?.head === undefined || history === undefined
        ? undefined
        : descends(state.head, since, history),
    errors: [status, log].filter((result) => result.status !== 0).map(({ stderr }) => stderr),
  };
}

/** How much of a change a prompt is given, in characters. */
const SHOWN_DIFF = 200_000;

/** The change from a commit to HEAD, for a prompt: a review may have no tool to ask git itself. */
export async function changeSince(
  directory: string,
  since: string,
  env: Environment,
): Promise<{ diff: string }> {
  const diff = await git(
    directory,
    ['diff', '--no-ext-diff', '--no-textconv', since, 'HEAD', '--'],
    env,
  );
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
} {
  const state: { head?: string; branch?: string; uncommitted: string[] } = { uncommitted: [] };
  const entries = output.split('\0');
  for (let index = 0; index < entries.length; index += 1) {
    const entry = entries[index] ?? '';
    const [, key, value] = /^# branch\.(oid|head) (.*)$/s.exec(entry) ?? [];
    if (key === 'oid' && value !== undefined && value !== '(initial)') state.head = value;
    if (key === 'head' && value !== undefined && value !== '(detached)') state.branch = value;
    const words = { '1': 8, '2': 9, u: 10, '?': 1 }[entry[0] ?? ''];
    if (words === undefined) continue;
    state.uncommitted.push(entry.split(' ').slice(words).join(' '));
    if (entry.startsWith('2')) index += 1; // the name before the renaming follows
  }
  return state;
}

interface LoggedCommit extends Commit {
  readonly parents: readonly string[];
}

/** `git log -z --format=%H%x00%P%x00%s`, oldest first. No part of it can hold a NUL. */
export function parseLog(output: string): LoggedCommit[] {
  const fields = output.split('\0');
  const commits: LoggedCommit[] = [];
  for (let index = 0; index + 2 < fields.length; index += 3) {
    const [hash = '', parents = '', subject = ''] = fields.slice(index, index + 3);
    commits.push({ hash, subject, parents: parents.split(' ').filter((parent) => parent !== '') });
  }
  return commits.toReversed();
}

function descends(head: string, since: string, history: readonly LoggedCommit[]): boolean {
  return head === since || history.some(({ parents }) => parents.includes(since));
}
