import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { DevflowError } from '../errors.js';
import { readIfThere } from '../state/files.js';
import { type Environment, git, gitFailed, isDirectory, tryGit } from './git.js';

/** A repository as a run needs it. All paths are absolute. */
export interface Repository {
  /** The working tree that devflow was started in. */
  readonly root: string;
  /** The git directory that all linked worktrees share: where devflow keeps its state. */
  readonly commonDir: string;
  /** The git directory of this very working tree. */
  readonly gitDir: string;
  /** Where git finds the settings of the user who calls. */
  readonly userSettings: {
    readonly home: string | undefined;
    /** Git's own directory there. */
    readonly config: string | undefined;
  };
}

export interface BaseCommit {
  readonly commit: string;
  /** The branch HEAD stands on, or undefined where it is detached. */
  readonly branch: string | undefined;
}

const SEPARATOR = '--devflow-separator'; // rev-parse prints what it does not know; a path may hold a newline
const LOCATIONS = ['--show-toplevel', SEPARATOR, '--git-common-dir', SEPARATOR, '--git-dir'];
const KNOWN_EXTENSIONS = new Set([
  'noop',
  'objectformat',
  'partialclone',
  'preciousobjects',
  'relativeworktrees',
  'worktreeconfig',
]);

/** @throws DevflowError NOT_A_REPOSITORY, BARE_REPOSITORY */
export async function findRepository(cwd: string, env: Environment): Promise<Repository> {
  return (await locate(cwd, undefined, env)).repository;
}

/** The repository and the commit a run starts from, by one git call. @throws DevflowError also NO_COMMITS, BASE_NOT_FOUND */
export async function openRepository(
  cwd: string,
  base: string,
  env: Environment,
): Promise<{ repository: Repository; base: BaseCommit }> {
  if (base.startsWith('-')) throw baseNotFound(base);
  const { repository, rest } = await locate(cwd, base, env);
  const [commit = '', head = '', ...more] = rest.trim().split('\n');
  // A range is more than one commit.
  if (!/^[0-9a-f]{40,64}$/.test(commit) || more.length > 0) throw baseNotFound(base);
  const branch = /^refs\/heads\/(.+)$/.exec(head)?.[1];
  return { repository, base: { commit, branch } };
}

function baseNotFound(base: string): DevflowError {
  return new DevflowError('BASE_NOT_FOUND', `"${base}" names no commit here`);
}

async function locate(
  cwd: string,
  base: string | undefined,
  env: Environment,
): Promise<{ repository: Repository; rest: string }> {
  const commit =
    base === undefined ? [] : [SEPARATOR, `${base}^{commit}`, '--symbolic-full-name', 'HEAD'];
  const args = ['rev-parse', '--path-format=absolute', ...LOCATIONS, ...commit];
  if (!existsSync(cwd)) throw new DevflowError('NOT_A_REPOSITORY', `${cwd} does not exist`);
  if (!isDirectory(cwd)) throw new DevflowError('NOT_A_REPOSITORY', `${cwd} is no directory`);
  const result = await tryGit(cwd, args, env);
  if (result.status !== 0) throw await explainFailure(cwd, base, env, gitFailed(args, result));
  const parts = result.stdout.split(`\n${SEPARATOR}\n`);
  const [root = '', commonDir = '', last = ''] = parts;
  const gitDir = parts.length > 3 ? last : last.replace(/\n$/, '');
  const repository = { root, commonDir, gitDir, userSettings: userSettings(env) };
  return { repository, rest: parts[3] ?? '' };
}

function userSettings({ HOME, XDG_CONFIG_HOME }: Environment): Repository['userSettings'] {
  const home = HOME === '' ? undefined : HOME;
  const above = XDG_CONFIG_HOME || (home === undefined ? undefined : path.join(home, '.config'));
  return { home, config: above === undefined ? undefined : path.join(above, 'git') };
}

/** Which of the expected reasons it was that rev-parse failed; asked only then. */
async function explainFailure(
  cwd: string,
  base: string | undefined,
  env: Environment,
  failure: DevflowError,
): Promise<DevflowError> {
  const bare = await tryGit(cwd, ['rev-parse', '--is-bare-repository'], env);
  if (bare.status !== 0) {
    if (/dubious ownership/.test(bare.stderr)) return failure;
    return new DevflowError('NOT_A_REPOSITORY', `${cwd} is in no git repository`);
  }
  if (bare.stdout.trim() === 'true')
    return new DevflowError('BARE_REPOSITORY', `${cwd} is a bare repository`);
  const inside = await tryGit(cwd, ['rev-parse', '--is-inside-work-tree'], env);
  if (inside.stdout.trim() !== 'true') {
    return new DevflowError(
      'NOT_A_REPOSITORY',
      `${cwd} is inside a git directory, not in a working tree`,
    );
  }
  if (base === undefined) return failure;
  const any = await tryGit(cwd, ['rev-list', '--all', '--max-count=1'], env);
  if (any.status === 0 && any.stdout.trim() === '') {
    return new DevflowError('NO_COMMITS', `the repository at ${cwd} has no commit yet`);
  }
  return baseNotFound(base);
}

/** What git's configuration says that a run must know before it begins. */
export interface RepositoryConfig {
  readonly userName: string | undefined;
  readonly userEmail: string | undefined;
  /** Extensions of the repository format that devflow does not know. */
  readonly unknownExtensions: readonly string[];
}

export async function readConfig(cwd: string, env: Environment): Promise<RepositoryConfig> {
  const pattern = String.raw`^(user\.(name|email)|extensions\..*)$`;
  const { stdout } = await tryGit(cwd, ['config', '-z', '--get-regexp', pattern], env);
  return parseConfig(stdout); // git ends with 1 where none is set
}

function parseConfig(output: string): RepositoryConfig {
  const values = new Map(
    output.split('\0').flatMap((entry) => {
      const [key = '', value = ''] = entry.split(/\n(.*)/s);
      return key === '' ? [] : [[key, value] as const];
    }),
  );
  const extensions = [...values.keys()].flatMap((key) => /^extensions\.(.*)$/.exec(key)?.[1] ?? []);
  return {
    userName: values.get('user.name'),
    userEmail: values.get('user.email'),
    unknownExtensions: extensions.filter((name) => !KNOWN_EXTENSIONS.has(name)),
  };
}

const OPERATIONS = [
  ['MERGE_HEAD', 'a merge'],
  ['rebase-merge', 'a rebase'],
  ['rebase-apply', 'a rebase'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick'],
  ['REVERT_HEAD', 'a revert'],
  ['BISECT_LOG', 'a bisect'],
] as const;

/** An operation that git is in the middle of in this working tree, or undefined. Costs no git call. */
export function operationUnderWay(gitDir: string): string | undefined {
  return OPERATIONS.find(([file]) => existsSync(path.join(gitDir, file)))?.[1];
}

/**
 * Refs that stand in the way of a run's branch: itself, one below it, or a branch named like one of its
 * directories. git is asked only where a look at the files finds something: that costs nothing.
 */
export async function conflictingRefs(
  { commonDir, root }: Repository,
  branch: string,
  env: Environment,
): Promise<string[]> {
  const words = branch.split('/');
  const names = words.map((_, index) => `refs/heads/${words.slice(0, index + 1).join('/')}`);
  const [own = '', ...above] = names.toReversed();
  const packed = readIfThere(path.join(commonDir, 'packed-refs')) ?? '';
  const mayExist =
    existsSync(path.join(commonDir, own)) ||
    above.some((name) => isFile(path.join(commonDir, name))) ||
    names.some((name) => packed.includes(` ${name}\n`)) ||
    packed.includes(` ${own}/`);
  if (!mayExist) return [];
  const output = await git(root, ['for-each-ref', '--format=%(refname)', ...names], env);
  // A pattern also gives what is below it: only these very names, or what is below the branch itself, are in the way.
  return output.split('\n').filter((ref) => names.includes(ref) || ref.startsWith(`${own}/`));
}

function isFile(file: string): boolean {
  return existsSync(file) && statSync(file).isFile();
}

/** A path with every link of the part that exists followed. */
export function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    const parent = path.dirname(file);
    return parent === file ? file : path.join(realPath(parent), path.basename(file));
  }
}
