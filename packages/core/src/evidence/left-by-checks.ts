import type { RunContext } from '../context.js';
import { convertsOtherwise } from './converted.js';
import { type GitFacts, untrackedPaths } from '../git/measure.js';
import { contentsOf } from '../git/worktree-state.js';
import { isWorktreeOf } from '../git/worktree.js';
import type { Left } from '../state/records.js';
import { runWorktree } from '../workspace.js';

/**
 * What checks left in the run's worktree, untracked, and what is as they left it: no agent made that. Of checks that
 * were cut off all that came since they began, as nothing else ran then.
 * @param git as measured just now
 * @returns undefined where nothing can be
 */
export async function leftByChecks(
  context: RunContext,
  { uncommitted }: Pick<GitFacts, 'uncommitted'>,
): Promise<Left | undefined> {
  const { checksLeft } = context.log.state;
  if (checksLeft === undefined || uncommitted === undefined || uncommitted.length === 0)
    return undefined;
  const there = await untracked(context);
  return there && stillLeft(context, there);
}

/** Journals what is untracked before checks run in the run's worktree, of others than checks. @returns it; undefined where git could not be asked */
export async function beginChecks(
  context: RunContext,
  phase: number,
): Promise<readonly string[] | undefined> {
  const there = await untracked(context);
  if (there === undefined) return undefined;
  const left = stillLeft(context, there);
  const others = there.filter((name) => !Object.hasOwn(left, name));
  context.log.append({ type: 'checks-began', phase, others });
  return others;
}

/** What checks left. @param others what was there before, of others */
export async function leftSince(
  context: RunContext,
  others: readonly string[] | undefined,
): Promise<Left | undefined> {
  const there = others && (await untracked(context));
  return there && contentsOf(runWorktree(context), notIn(there, others));
}

function stillLeft(context: RunContext, there: readonly string[]): Left {
  const { checksLeft } = context.log.state;
  if (checksLeft === undefined) return {};
  const directory = runWorktree(context);
  if ('others' in checksLeft) return contentsOf(directory, notIn(there, checksLeft.others));
  const { paths } = checksLeft;
  const known = there.filter((name) => Object.hasOwn(paths, name));
  const now = Object.entries(contentsOf(directory, known));
  return Object.fromEntries(now.filter(([name, content]) => paths[name] === content));
}

async function untracked(context: RunContext): Promise<readonly string[] | undefined> {
  const { repository, env, sandbox } = context;
  const directory = runWorktree(context);
  if (!isWorktreeOf(repository, directory) || convertsOtherwise(context) !== undefined)
    return undefined;
  return untrackedPaths(directory, env, { confined: sandbox.confinedBy !== 'nobody' });
}

function notIn(names: readonly string[], others: readonly string[]): string[] {
  return names.filter((name) => !others.includes(name));
}
