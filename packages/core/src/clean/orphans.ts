import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { type Environment, git } from '../git/git.js';
import { type Repository, realPath } from '../git/repository.js';
import { repositoryLock } from '../git/repository-lock.js';
import { type ListedWorktree, listWorktrees } from '../git/worktree-list.js';
import { type MarkedProcess, markedProcesses } from '../process/marked.js';
import { fold } from '../state/fold.js';
import { openAttempt } from '../state/selectors.js';
import { readJournalIfThere } from '../state/journal.js';
import { holderState, readHolder } from '../state/lock.js';
import { defaultStateDir, isRunId, runPaths, runsDirectory } from '../state/paths.js';
import { worktreesDirectory } from '../state/worktrees-directory.js';
import { isReviewOf } from '../workspace.js';

/** What devflow made and no living run has. */
export interface Orphans {
  readonly processes: readonly OrphanProcess[];
  /** Runs whose record is gone, or was never written, with what is left of them. */
  readonly gone: readonly GoneRun[];
  /** The repository's lock, where its holder is dead. */
  readonly lock: string | undefined;
  /** Directories in devflow's own place for worktrees that belong to no run and that git does not know. */
  readonly strangers: readonly string[];
}

export interface OrphanProcess extends MarkedProcess {
  readonly run: string;
  /** Why it belongs to no attempt, in words. */
  readonly why: string;
}

export interface GoneRun {
  readonly id: string;
  /** Its worktrees that git knows, those of reviews too. */
  readonly worktrees: readonly string[];
  readonly branches: readonly string[];
  /** Of a start that was cut off before anything was written, or of a run whose definition somebody removed. */
  readonly directory: string | undefined;
}

/**
 * What was made is looked at first, and then whether there is a record of its run: the record is the first
 * thing that a run writes, so that one that begins meanwhile is not taken for one that is gone.
 */
export async function findOrphans(repository: Repository, env: Environment): Promise<Orphans> {
  const marked = markedProcesses();
  const listed = await listWorktrees(repository, env);
  const branches = await branchesOfRuns(repository, env);
  const { commonDir } = repository;
  const lock = repositoryLock(commonDir);
  return {
    processes: orphanProcesses(commonDir, marked),
    gone: findGone(commonDir, listed, branches),
    lock: isStale(lock) ? lock : undefined,
    strangers: findStrangers(repository, listed, env),
  };
}

/** @param holding the run that the caller itself holds */
export function orphanProcesses(
  commonDir: string,
  marked = markedProcesses(),
  holding?: string,
): OrphanProcess[] {
  const runs = realPath(runsDirectory(commonDir));
  return marked.flatMap((each) => {
    const id = path.basename(each.runDirectory);
    if (realPath(path.dirname(each.runDirectory)) !== runs || !isRunId(id)) return [];
    // A living holder ends by itself what its attempts leave; of a foreign one nothing is known.
    if (id !== holding && isHeld(commonDir, id)) return [];
    const why = whyOrphan(commonDir, id, each.token);
    return why === undefined ? [] : [{ ...each, run: id, why }];
  });
}

/** @returns undefined where it may belong to an attempt: unknown is not yes */
function whyOrphan(commonDir: string, run: string, token: string | undefined): string | undefined {
  const paths = runPaths(commonDir, run);
  if (!existsSync(paths.definition)) return 'its run is gone';
  try {
    const state = fold(readJournalIfThere(paths.journal).records);
    if (state.ended !== undefined) return `its run is ${state.ended.state}`;
    if (token === undefined) return 'its devflow is gone';
    return openAttempt(state)?.token === token ? undefined : 'its attempt has ended';
  } catch {
    return undefined;
  }
}

function findGone(
  commonDir: string,
  listed: readonly ListedWorktree[],
  branches: readonly { readonly id: string; readonly branch: string }[],
): GoneRun[] {
  const worktrees = listed.flatMap((each) => {
    const id = runOfWorktree(each);
    return id === undefined ? [] : [{ id, directory: each.directory }];
  });
  const cutOff = names(runsDirectory(commonDir)).filter((id) => wasCutOff(commonDir, id));
  const ids = new Set([...worktrees, ...branches].map(({ id }) => id).concat(cutOff));
  return [...ids]
    .filter((id) => !existsSync(runPaths(commonDir, id).definition))
    .filter((id) => !isHeld(commonDir, id))
    .toSorted()
    .map((id) => ({
      id,
      worktrees: worktrees.filter((each) => each.id === id).map(({ directory }) => directory),
      branches: branches.filter((each) => each.id === id).map(({ branch }) => branch),
      directory: cutOff.includes(id) ? runPaths(commonDir, id).directory : undefined,
    }));
}

/** Only what devflow locked as it made it, by its own words, and under the name that it gives. */
function runOfWorktree({ directory, reason }: ListedWorktree): string | undefined {
  const id = /^devflow run (\S+?)(?:, review)?$/.exec(reason ?? '')?.[1];
  if (id === undefined || !isRunId(id)) return undefined;
  const name = path.basename(directory);
  return name === id || isReviewOf(id, name) ? id : undefined;
}

/**
 * Branches that devflow made: those beside the file with which it keeps their directory. A user's own
 * branch of such a name has none.
 */
async function branchesOfRuns(
  { commonDir, root }: Repository,
  env: Environment,
): Promise<{ id: string; branch: string }[]> {
  const heads = path.join(commonDir, 'refs', 'heads');
  const made = keptDirectories(heads).map((directory) => ({
    id: path.basename(directory),
    branch: `${path.relative(heads, directory)}/work`,
  }));
  const ours = made.filter(({ id }) => isRunId(id));
  if (ours.length === 0) return [];
  const refs = ours.map(({ branch }) => `refs/heads/${branch}`);
  const there = await git(root, ['for-each-ref', '--format=%(refname)', ...refs], env);
  const found = new Set(there.split('\n'));
  return ours.filter(({ branch }) => found.has(`refs/heads/${branch}`));
}

function keptDirectories(heads: string): string[] {
  return names(heads, { recursive: true })
    .filter((name) => path.basename(name) === '.keep')
    .map((name) => path.join(heads, path.dirname(name)));
}

/** A start that died between taking its lock and writing its definition; or a journal that nobody can go on with, since the definition was removed by hand. */
function wasCutOff(commonDir: string, id: string): boolean {
  const { definition, journal, lock } = runPaths(commonDir, id);
  if (existsSync(definition)) return false;
  return isStale(lock) || (existsSync(journal) && !existsSync(lock));
}

function isHeld(commonDir: string, id: string): boolean {
  const { lock } = runPaths(commonDir, id);
  return existsSync(lock) && !isStale(lock);
}

/** Is its holder known to be dead? */
export function isStale(lock: string): boolean {
  try {
    const holder = readHolder(lock);
    return holder !== undefined && holderState(holder) === 'dead';
  } catch {
    return false; // not readable: nobody can tell
  }
}

function findStrangers(
  repository: Repository,
  listed: readonly ListedWorktree[],
  env: Environment,
): string[] {
  const place = realPath(worktreesDirectory(defaultStateDir(env), repository));
  const known = new Set(listed.map(({ directory }) => directory));
  const hasRun = (name: string) => {
    const id = name.replace(/\.review-.*$/s, '');
    return existsSync(runPaths(repository.commonDir, id).definition);
  };
  return names(place)
    .filter((name) => !known.has(path.join(place, name)) && !hasRun(name))
    .map((name) => path.join(place, name));
}

function names(directory: string, options: { readonly recursive?: true } = {}): string[] {
  try {
    return readdirSync(directory, { ...options, encoding: 'utf8' });
  } catch {
    return []; // nothing was made there yet
  }
}
