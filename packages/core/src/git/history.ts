import { type Environment, tryGit } from './git.js';

export interface Commit {
  readonly hash: string;
  readonly subject: string;
}

export const LOG = [
  'log',
  '-z',
  '--no-show-signature',
  '--boundary',
  '--format=%m%x00%H%x00%P%x00%T%x00%s',
];

export interface LoggedCommit extends Commit {
  readonly parents: readonly string[];
  readonly tree: string;
  /** Not counted: a commit that the counted ones stand on. */
  readonly boundary: boolean;
}

/** `git log -z --boundary --format=%m%x00%H%x00%P%x00%T%x00%s`, oldest first. No part of it can hold a NUL. */
export function parseLog(output: string): LoggedCommit[] {
  const fields = output.split('\0');
  const commits: LoggedCommit[] = [];
  for (let index = 0; index + 4 < fields.length; index += 5) {
    const [mark, hash = '', parents = '', tree = '', subject = ''] = fields.slice(index, index + 5);
    const above = parents.split(' ').filter((parent) => parent !== '');
    commits.push({ hash, subject, parents: above, tree, boundary: mark === '-' });
  }
  return commits.toReversed();
}

export function counted(history: readonly LoggedCommit[]): Commit[] {
  return history
    .filter(({ boundary }) => !boundary)
    .map(({ hash, subject }) => ({ hash, subject }));
}

/** Git is asked again only where the branch did not come to HEAD by commits that are counted. */
export async function commitsOnBranch(
  directory: string,
  since: string,
  head: string,
  history: readonly LoggedCommit[],
  env: Environment,
): Promise<Commit[] | undefined> {
  const own = new Map(
    history.flatMap((commit) => (commit.boundary ? [] : [[commit.hash, commit]])),
  );
  let at: string | undefined = head;
  while (at !== undefined && at !== since) at = own.get(at)?.parents[0];
  if (at === since) return counted(history);
  const through = [...LOG, '--first-parent', `${since}..${head}`, '--'];
  const log = await tryGit(directory, through, env);
  if (log.status !== 0) return undefined;
  const passed = counted(parseLog(log.stdout));
  const others = counted(history).filter(({ hash }) => !passed.some((one) => one.hash === hash));
  return [...others, ...passed];
}

/** Git is asked again only where the history does not tell: it was rewritten, or others' commits were taken in. */
export async function compare(
  directory: string,
  since: string,
  head: string,
  history: readonly LoggedCommit[],
  env: Environment,
): Promise<{ differs: boolean; descends: boolean }> {
  if (head === since) return { differs: false, descends: true };
  const tree = (hash: string) => history.find((commit) => commit.hash === hash)?.tree;
  const linear = history.some(({ boundary, parents }) => !boundary && parents.includes(since));
  const [before, after] = [tree(since), tree(head)];
  if (linear && before !== undefined && after !== undefined)
    return { differs: before !== after, descends: true };
  const ancestor = await tryGit(directory, ['merge-base', '--is-ancestor', since, head], env);
  const diff = await tryGit(
    directory,
    ['diff', '--quiet', '--no-ext-diff', since, head, '--'],
    env,
  );
  return { differs: diff.status === 1, descends: ancestor.status === 0 };
}
