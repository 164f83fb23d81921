import { statSync } from 'node:fs';
import { DevflowError } from '../errors.js';
import { capture } from '../process/capture.js';
import { isShortage } from '../process/system-error.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment for devflow's own git calls: nothing of the caller's `GIT_*` (they outrank the
 * working directory), no questions, English messages, no lock taken only to refresh the index.
 */
export function gitEnvironment(env: Environment): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !entry[0].startsWith('GIT_'),
  );
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_GRAFT_FILE: '/dev/null/none', // by one a commit would seem to have other parents
  };
}

/**
 * devflow's git calls run no hook, sign nothing, start no housekeeping in the background, and see what is
 * there: no untracked file is left out and no commit replaced by another, whatever the configuration says.
 */
const SETTINGS = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['status.showUntrackedFiles', 'normal'],
  ['log.showSignature', 'false'],
  ['core.useReplaceRefs', 'false'],
].flatMap(([key, value]) => ['-c', `${key}=${value}`]);

export interface GitOptions {
  /** Ends it. */
  readonly signal?: AbortSignal | undefined;
  /** More of the environment, such as another index. */
  readonly variables?: Readonly<Record<string, string>>;
}

export interface GitResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs git and gives back how it ended: with -1 where `signal` ended it. @param variables more of its environment, also `GIT_*` @throws DevflowError GIT_NOT_FOUND, and what the system says where it has no process or handle left */
export async function tryGit(
  cwd: string,
  args: readonly string[],
  env: Environment,
  { signal, variables }: GitOptions = {},
): Promise<GitResult> {
  const { status, stdout, stderr, error } = await capture('git', [...SETTINGS, ...args], {
    cwd,
    env: { ...gitEnvironment(env), ...variables },
    signal,
  });
  if (error !== undefined) {
    if (isShortage(error)) throw error;
    // The system says the same of a program and of a directory that is not there.
    if (!isDirectory(cwd))
      return { status: -1, stdout: '', stderr: `${cwd} does not exist or is no directory` };
    throw new DevflowError(
      'GIT_NOT_FOUND',
      `git could not be started in ${cwd}: ${error.message}`,
      { cause: error },
    );
  }
  return { status: status ?? -1, stdout: stdout.toString('utf8'), stderr: stderr.trim() };
}

export function isDirectory(name: string): boolean {
  try {
    return statSync(name).isDirectory();
  } catch {
    return false;
  }
}

/** Runs git and gives back its output. @throws DevflowError GIT_FAILED with git's own words */
export async function git(
  cwd: string,
  args: readonly string[],
  env: Environment,
  signal?: AbortSignal,
): Promise<string> {
  const result = await tryGit(cwd, args, env, { signal });
  if (result.status !== 0) throw gitFailed(args, result);
  return result.stdout;
}

export function gitFailed(args: readonly string[], { status, stderr }: GitResult): DevflowError {
  return new DevflowError(
    'GIT_FAILED',
    `git ${args[0]} ended with ${status}: ${stderr || 'it said nothing'}`,
  );
}

/** What the agent's own git calls get: no signing (its key is out of reach), no housekeeping under it, commits that last. */
export function agentGitEnvironment(): Record<string, string> {
  const settings = [
    ['commit.gpgSign', 'false'],
    ['tag.gpgSign', 'false'],
    ['gc.auto', '0'],
    ['maintenance.auto', 'false'],
    ['core.fsync', 'loose-object,reference'],
  ];
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', `${settings.length}`],
    ...settings.flatMap(([key = '', value = ''], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ]) as Record<string, string>;
}
