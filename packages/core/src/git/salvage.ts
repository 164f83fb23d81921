import { DevflowError } from '../errors.js';
import { effect } from '../process/effect.js';
import { type Environment, git, tryGit } from './git.js';
import { plumbing } from './plumbing.js';
import { type Repository, conflictingRefs, readConfig } from './repository.js';
import { withRepositoryLock } from './repository-lock.js';
import type { Whole } from './look.js';
import { type Snapshot, snapshot } from './snapshot.js';

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
export interface Doomed extends Whole {
  readonly run: string;
}

/**
 * Saves what is in a worktree and in no commit that a branch has: as a commit on its HEAD, under a ref of its own.
 * @returns `kept`: undefined where there is nothing to save; `seen`: what `glance` says of what was saved
 * @throws DevflowError SALVAGE_FAILED
 */
export async function saveWorktree(
  repository: Repository,
  doomed: Doomed,
  env: Environment,
): Promise<{ readonly kept: Salvaged | undefined; readonly seen: string }> {
  const { run, directory } = doomed;
  const { commit, seen } = await effect('salvage.write', async () => {
    const { taken, ...rest } = await snapshot(repository, doomed, env);
    if (taken === undefined) return { commit: await unnamedHead(directory, env), ...rest };
    const before = await savedBefore(repository, run, taken, env);
    return { commit: before ?? (await commitSnapshot(taken, doomed, env)), ...rest };
  });
  const kept = commit === undefined ? undefined : await saveCommit(repository, run, commit, env);
  return { kept, seen };
}

/** The commit of just this, by a call that could not remove it then. */
async function savedBefore(
  repository: Repository,
  run: string,
  { head, tree, staged }: Snapshot,
  env: Environment,
): Promise<string | undefined> {
  for (const { commit, holds } of await listSalvaged(repository, env, run)) {
    if (holds !== 'files') continue;
    const ask = ['log', '--no-walk', '--format=%T %P'];
    const of = async (each: string) =>
      (await plumbing(repository.root, [...ask, each, '--'], env)).trim().split(' ');
    const [itsTree, itsHead, second] = await of(commit);
    const itsStaged = second === undefined ? undefined : (await of(second))[0];
    if (itsTree === tree && itsHead === head && itsStaged === staged) return commit;
  }
  return undefined;
}

/** HEAD where it is detached, at a commit that no branch has. */
async function unnamedHead(directory: string, env: Environment): Promise<string | undefined> {
  const head = (await plumbing(directory, ['rev-parse', '--verify', 'HEAD^{commit}'], env)).trim();
  return (await isUnnamed(directory, head, env)) ? head : undefined;
}

/** Is a commit in no branch? */
export async function isUnnamed(
  directory: string,
  commit: string,
  env: Environment,
): Promise<boolean> {
  const refs = ['for-each-ref', '--count=1', '--contains', commit, 'refs/heads', 'refs/remotes'];
  return (await plumbing(directory, refs, env)).trim() === '';
}

async function commitSnapshot(
  { head, tree, staged, changes }: Snapshot,
  { run, directory }: Doomed,
  env: Environment,
): Promise<string> {
  const more =
    staged === undefined ? [] : [await commitStaged(directory, { run, tree: staged, head }, env)];
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
  return commitTree(directory, { tree, parents: [head, ...more], message: words.join('\n') }, env);
}

/** What was staged, as a commit on HEAD. */
export async function commitStaged(
  directory: string,
  { run, tree, head }: { readonly run: string; readonly tree: string; readonly head: string },
  env: Environment,
): Promise<string> {
  const message = `devflow salvage: what was staged in the run ${run}\n`;
  return commitTree(directory, { tree, parents: [head], message }, env);
}

/** A commit that no ref names. */
export async function commitTree(
  directory: string,
  of: { readonly tree: string; readonly parents: readonly string[]; readonly message: string },
  env: Environment,
): Promise<string> {
  const args = ['commit-tree', of.tree, ...of.parents.flatMap((each) => ['-p', each]), '-F', '-'];
  const input = { stdin: bytesOf(of.message), variables: await identity(directory, env) };
  return (await plumbing(directory, args, env, input)).trim();
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
