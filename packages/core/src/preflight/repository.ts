import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Problem } from '../adapter/index.js';
import type { RunContext } from '../context.js';
import { convertsOtherwise } from '../evidence/converted.js';
import { tryGit } from '../git/git.js';
import { branchOf } from '../git/measure.js';
import {
  type RepositoryConfig,
  conflictingRefs,
  operationUnderWay,
  readConfig,
} from '../git/repository.js';
import { gitDirOf, isWorktreeOf } from '../git/worktree.js';
import { currentHead } from '../state/selectors.js';
import { checkPlace } from './place.js';

type Context = Pick<
  RunContext,
  'definition' | 'repository' | 'env' | 'log' | 'config' | 'measured'
>;

export interface RepositoryFindings {
  readonly problems: readonly Problem[];
  readonly notes: readonly string[];
  /** The commit the run is at; undefined where that could not be found out. */
  readonly head?: string;
}

/** Can the repository take the run, or is the run still where the journal says? */
export async function checkRepository(context: Context): Promise<RepositoryFindings> {
  const { worktree } = context.log.state;
  return worktree?.stage === 'ready'
    ? checkWorktree(context, worktree.directory)
    : checkBeforeStart(context);
}

async function checkBeforeStart(context: Context): Promise<RepositoryFindings> {
  const { repository, env, definition, log } = context;
  const directory = path.join(definition.worktrees, definition.id);
  const isNew = log.state.worktree === undefined; // otherwise a crash cut the addition off, and it will be mended
  const [config, refs, place] = await Promise.all([
    context.config ?? readConfig(repository.root, env),
    isNew ? conflictingRefs(repository, definition.branch, env) : [],
    checkPlace(context),
  ]);
  const problems = [
    ...configProblems(config, env),
    ...refs.map((ref) => branchTaken(ref, definition.branch)),
    ...gitDirProblems(repository.gitDir, repository.root),
    ...place,
  ];
  if (isNew && existsSync(directory)) {
    problems.push({
      code: 'WORKTREE_EXISTS',
      message: `${directory} exists already, and is not of this run`,
      hint: 'Look what it is and move it away, or choose another --name.',
    });
  }
  return { problems, notes: [], head: definition.base.commit };
}

function configProblems(
  { userName, userEmail, unknownExtensions }: RepositoryConfig,
  env: RunContext['env'],
): Problem[] {
  const named = userName ?? (env['GIT_AUTHOR_NAME'] && env['GIT_COMMITTER_NAME']);
  const mailed =
    userEmail ?? env['EMAIL'] ?? (env['GIT_AUTHOR_EMAIL'] && env['GIT_COMMITTER_EMAIL']);
  const problems: Problem[] = [];
  const missing = [!named && 'user.name', !mailed && 'user.email'].filter((key) => key !== false);
  if (missing.length > 0) {
    problems.push({
      code: 'GIT_IDENTITY_MISSING',
      message: `git does not know who commits: ${missing.join(' and ')} not set`,
      hint: missing.map((key) => `git config ${key} …`).join('; '),
    });
  }
  if (unknownExtensions.length > 0) {
    problems.push({
      code: 'REPOSITORY_UNSUPPORTED',
      message: `the repository uses extensions that devflow does not know: ${unknownExtensions.join(', ')}`,
      hint: 'Use a clone without them.',
    });
  }
  return problems;
}

function branchTaken(ref: string, branch: string): Problem {
  const exact = ref === `refs/heads/${branch}`;
  return {
    code: 'BRANCH_EXISTS',
    message: exact
      ? `the branch ${branch} exists already`
      : `the ref ${ref} is in the way of the branch ${branch}`,
    hint: exact
      ? 'Choose another --name; or, if nothing needs that branch, delete it by `git branch -d`.'
      : 'Rename that branch (`git branch -m`), or set another branchPrefix.',
  };
}

function gitDirProblems(gitDir: string, directory: string): Problem[] {
  const problems: Problem[] = [];
  const operation = operationUnderWay(gitDir);
  if (operation !== undefined) {
    problems.push({
      code: 'GIT_OPERATION_UNDER_WAY',
      message: `${operation} is under way in ${directory}`,
      hint: 'Finish it or abort it first (`git status` says how).',
    });
  }
  const lock = path.join(gitDir, 'index.lock');
  if (existsSync(lock)) {
    problems.push({
      code: 'INDEX_LOCKED',
      message: `${lock} exists: git is at work in ${directory}, or was killed there`,
      hint: `If no git process runs there, remove it: rm '${lock}'`,
    });
  }
  return problems;
}

function conversionProblems(context: Context): Problem[] {
  const converts = convertsOtherwise(context);
  if (converts === undefined) return [];
  return [
    {
      code: 'GIT_CONVERTS_OTHERWISE',
      message: converts,
      hint: 'Look at it, and put it back. Where you made the change yourself, approve that the phase begins all the same.',
    },
  ];
}

/** A run under way: its worktree and branch must be as the journal left them. */
async function checkWorktree(context: Context, directory: string): Promise<RepositoryFindings> {
  const { definition, env, log } = context;
  const { branch, base } = definition;
  const gitDir = isWorktreeOf(context.repository, directory) ? gitDirOf(directory) : undefined;
  const found = gitDir === undefined ? undefined : await whereItIs(context, directory);
  if (gitDir === undefined || found === undefined || 'error' in found) {
    const words = found !== undefined && 'error' in found ? found.error : undefined;
    return { notes: [], problems: [await worktreeGone(context, directory, words)] };
  }
  const { head, branch: current } = found;
  const problems = [...gitDirProblems(gitDir, directory), ...conversionProblems(context)];
  if (current !== branch) problems.push(await onAnother(context, directory, found));
  const expected = currentHead(log.state, base.commit);
  if (head === expected || problems.length > 0) return { problems, notes: [], head };
  const ahead = await tryGit(directory, ['merge-base', '--is-ancestor', expected, head], env);
  if (ahead.status === 0) {
    const note = `the branch was moved on from ${expected.slice(0, 10)} to ${head.slice(0, 10)} by somebody else`;
    return { problems, notes: [note], head };
  }
  problems.push({
    code: 'BRANCH_MOVED',
    message: `${branch} is at ${head.slice(0, 10)}; the journal left it at ${expected.slice(0, 10)}, which is no longer part of it`,
    hint: `Keep what is there (git branch keep-it ${head.slice(0, 10)}), then: git -C '${directory}' reset --keep ${expected.slice(0, 10)}`,
  });
  return { problems, notes: [] };
}

/** The branch itself may be only another name for a ref: then to switch to it changes nothing. */
async function onAnother(
  { definition: { branch }, env }: Context,
  directory: string,
  { head, branch: current }: Whereabouts,
): Promise<Problem> {
  const code = 'WORKTREE_BRANCH_CHANGED';
  const message = `${directory} is on ${current ?? 'no branch'}, not on ${branch}`;
  const at = head.slice(0, 10);
  const ref = `refs/heads/${branch}`;
  const led = await tryGit(directory, ['symbolic-ref', '--quiet', ref], env);
  if (led.status === 0)
    return {
      code,
      message: `${message}, which is only another name for ${led.stdout.trim()}`,
      hint: `Make it a branch again: git -C '${directory}' update-ref --no-deref ${ref} ${at}`,
    };
  const hint = `Keep what is there, if the branch does not have it (git branch keep-it ${at}), then: git -C '${directory}' switch ${branch}`;
  return { code, message, hint };
}

interface Whereabouts {
  readonly head: string;
  readonly branch: string | undefined;
}

/** Nothing has run in the worktree since it was measured: then git need not be asked again. */
async function whereItIs(
  { measured, env }: Context,
  directory: string,
): Promise<Whereabouts | { error: string }> {
  const { facts } = measured;
  if (facts?.head !== undefined) return { head: facts.head, branch: facts.branch };
  const asked = await tryGit(directory, ['rev-parse', 'HEAD', '--symbolic-full-name', 'HEAD'], env);
  if (asked.status !== 0) return { error: asked.stderr };
  const [head = '', ref = ''] = asked.stdout.trim().split('\n');
  return { head, branch: branchOf(ref) };
}

async function worktreeGone(
  { repository, definition, env, log }: Context,
  directory: string,
  words: string | undefined,
): Promise<Problem> {
  const { branch, base } = definition;
  const ref = ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`];
  const isThere = (await tryGit(repository.root, ref, env)).status === 0;
  const last = currentHead(log.state, base.commit);
  return {
    code: 'WORKTREE_MISSING',
    message: `the run's worktree ${directory} is gone or is none any more${words === undefined ? '' : `: ${words}`}`,
    hint: `${isThere ? `The commits are on ${branch}. Put it back:` : `${branch} is gone too; it was at ${last}. Put both back: git branch ${branch} ${last} &&`} ${putBack(directory, branch)}`,
  };
}

/** Where its directory is still there, git may only have lost the way to it; and where not even that, what is in it is to be kept. */
function putBack(directory: string, branch: string): string {
  const add = `git worktree add --force --force '${directory}' ${branch}`;
  if (!existsSync(directory)) return add;
  return `git worktree repair '${directory}'; or, if that does not mend it: mv '${directory}' '${directory}.old' && ${add}`;
}
