import { DevflowError } from '../errors.js';
import { effect } from '../process/effect.js';
import { type Environment, git, tryGit } from './git.js';
import { plumbing } from './plumbing.js';
import { type Repository, conflictingRefs, readConfig } from './repository.js';
import { withRepositoryLock } from './repository-lock.js';
import { type Ignoring, type Snapshot, snapshot } from './snapshot.js';

/** Where what was saved is kept: no branch, so that nobody works on it by chance; `git gc` keeps it. */
const SALVAGE_REFS = 'refs/devflow/salvage';

const TRAILER = 'Devflow-Salvage';

/** Something that was saved before it was removed. */
export interface Salvaged {
  readonly run: string;
  /** Counted up for each run. */
  readonly number: number;
  readonly ref: string;
  readonly commit: string;
  /** `files`: what was not committed in a worktree. `commits`: those of a branch. */
  readonly holds: 'files' | 'commits';
  readonly subject: string;
  /** When the commit was made; left out where git's date for it is none. */
  readonly at?: string;
}

/** A worktree that is to go. */
export interface Doomed {
  readonly run: string;
  readonly directory: string;
  readonly ignoring: Ignoring;
}

/**
 * Saves what is in a worktree and in no commit that a branch has: as a commit on its HEAD, under a ref of its own.
 * @returns the ref; undefined where there is nothing to save
 * @throws DevflowError SALVAGE_FAILED
 */
export async function saveWorktree(
  repository: Repository,
  { run, directory, ignoring }: Doomed,
  env: Environment,
): Promise<Salvaged | undefined> {
  const commit = await effect('salvage.write', async () => {
    const taken = await snapshot(repository, directory, ignoring, env);
    return taken === undefined
      ? unnamedHead(directory, env)
      : commitSnapshot(taken, { run, directory, ignoring }, env);
  });
  return commit === undefined ? undefined : saveCommit(repository, run, commit, env);
}

/** HEAD where it is detached, at a commit that no branch has. */
async function unnamedHead(directory: string, env: Environment): Promise<string | undefined> {
  const head = (await plumbing(directory, ['rev-parse', '--verify', 'HEAD^{commit}'], env)).trim();
  const refs = ['for-each-ref', '--count=1', '--contains', head, 'refs/heads', 'refs/remotes'];
  return (await plumbing(directory, refs, env)).trim() === '' ? head : undefined;
}

async function commitSnapshot(
  { head, tree, staged, changes }: Snapshot,
  { run, directory }: Doomed,
  env: Environment,
): Promise<string> {
  const variables = await identity(directory, env);
  const commit = async (of: string, parents: readonly string[], message: string) => {
    const args = ['commit-tree', of, ...parents.flatMap((each) => ['-p', each]), '-F', '-'];
    const stdin = bytesOf(message);
    return (await plumbing(directory, args, env, { stdin, variables })).trim();
  };
  const more =
    staged === undefined
      ? []
      : [await commit(staged, [head], `devflow salvage: what was staged in the run ${run}\n`)];
  const words = [
    `devflow salvage: what was not committed in the run ${run}`,
    '',
    `${changes} ${changes === 1 ? 'path' : 'paths'} of ${directory},`,
    `saved on ${new Date().toISOString()}, before that was removed.`,
    'Files are as they were, byte for byte; what git ignored is not among them.',
    ...(staged === undefined ? [] : ['The second parent has what was staged.']),
    '',
    `${TRAILER}: ${run}`,
    '',
  ];
  return commit(tree, [head, ...more], words.join('\n'));
}

/** The user's own where git knows one. */
async function identity(directory: string, env: Environment): Promise<Record<string, string>> {
  const { userName, userEmail } = await readConfig(directory, env);
  if (userName !== undefined && userEmail !== undefined) return {};
  const [name, email] = ['devflow', 'devflow@localhost'];
  return {
    GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email,
  }; // prettier-ignore
}

/** Keeps a commit under the run's next number. Overwrites nothing. @throws DevflowError SALVAGE_FAILED */
export async function saveCommit(
  repository: Repository,
  run: string,
  commit: string,
  env: Environment,
): Promise<Salvaged> {
  return withRepositoryLock(repository.commonDir, async () => {
    const all = await listSalvaged(repository, env, run);
    const already = all.find((each) => each.commit === commit);
    if (already !== undefined) return already; // by a call that could not remove it then
    const numbers = all.map(({ number }) => number);
    const ref = `${SALVAGE_REFS}/${run}/${Math.max(0, ...numbers) + 1}`;
    // The empty old value: it must not be there.
    const keep = ['update-ref', ref, commit, ''];
    await effect('salvage.keep', () => plumbing(repository.root, keep, env));
    const saved = (await listSalvaged(repository, env, run)).find((each) => each.ref === ref);
    if (saved?.commit !== commit)
      throw new DevflowError('SALVAGE_FAILED', `${ref} does not name what was saved`);
    return saved;
  });
}

const FIELDS = [
  'refname',
  'objectname',
  'objecttype',
  'committerdate:unix', // a zone that no clock has stands in the way of any other form
  'subject',
  `trailers:key=${TRAILER},valueonly`,
];

/** All that was saved, by run and number. */
export async function listSalvaged(
  { root }: Repository,
  env: Environment,
  run?: string,
): Promise<Salvaged[]> {
  const format = FIELDS.map((field) => `%(${field})%00`).join('');
  const under = run === undefined ? SALVAGE_REFS : `${SALVAGE_REFS}/${run}`;
  const output = await git(root, ['for-each-ref', `--format=${format}`, under], env);
  const fields = output.split('\0').map((field) => field.trim());
  const all: Salvaged[] = [];
  for (let at = 0; at + FIELDS.length < fields.length; at += FIELDS.length) {
    const [ref = '', commit = '', type = '', date = '', subject = '', trailer] = fields.slice(at);
    const [, of, number] = /^refs\/devflow\/salvage\/([^/]+)\/(\d+)$/.exec(ref) ?? [];
    if (of === undefined || type !== 'commit') continue; // not of devflow, or no commit
    const holds = trailer === '' ? 'commits' : 'files';
    const saved = { run: of, number: Number(number), ref, commit, holds, subject } as const;
    all.push({ ...saved, ...madeAt(date) });
  }
  return all.toSorted((a, b) => a.run.localeCompare(b.run) || a.number - b.number);
}

function madeAt(seconds: string): Pick<Salvaged, 'at'> {
  const date = new Date(Number(seconds) * 1_000);
  return seconds === '' || Number.isNaN(date.getTime()) ? {} : { at: date.toISOString() };
}

/**
 * Makes branches at commits: all, or none where one of them cannot be made.
 * @param hint what to do where a branch is in the way
 * @throws DevflowError BRANCH_EXISTS, OPTION_INVALID, SALVAGE_FAILED
 */
export async function makeBranches(
  repository: Repository,
  wanted: readonly { readonly branch: string; readonly commit: string }[],
  hint: string,
  env: Environment,
): Promise<void> {
  const { root, commonDir } = repository;
  for (const { branch } of wanted) {
    const valid = await tryGit(root, ['check-ref-format', '--branch', branch], env);
    if (valid.status !== 0 || branch.startsWith('-'))
      throw new DevflowError('OPTION_INVALID', `"${branch}" is no name for a branch`);
  }
  await withRepositoryLock(commonDir, async () => {
    for (const { branch } of wanted) {
      const [taken] = await conflictingRefs(repository, branch, env);
      const name = taken?.slice('refs/heads/'.length);
      if (name !== undefined)
        throw new DevflowError(
          'BRANCH_EXISTS',
          name === branch
            ? `there is a branch "${name}" already`
            : `there is a branch "${name}" in the way of "${branch}"`,
          { hint },
        );
    }
    // One transaction: git makes all of them or none.
    const stdin = wanted.map(({ branch, commit }) => `create refs/heads/${branch} ${commit}\n`);
    await effect('salvage.restore', () =>
      plumbing(root, ['update-ref', '--stdin'], env, { stdin: bytesOf(stdin.join('')) }),
    );
  });
}

/** As `plumbing` takes them: one character each. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}
