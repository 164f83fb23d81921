import type { RunContext } from '../context.js';
import { untrackedFiles } from '../git/measure.js';
import { convertingPlaces, hidesTheSame } from '../git/hiding-places.js';
import { allAttempts } from '../state/selectors.js';

/**
 * Has it changed, since the last attempt began, how git converts what is committed into files? Then a checkout is not
 * what is committed, and git would run a program that may be the agent's: it is not asked.
 * @returns where, in words; undefined where all is as it was
 */
export function convertsOtherwise({
  repository,
  log,
}: Pick<RunContext, 'repository' | 'log'>): string | undefined {
  const before = allAttempts(log.state).at(-1)?.hiding;
  const directory = log.state.worktree?.directory;
  if (before === undefined || directory === undefined) return undefined;
  const places = convertingPlaces(repository, directory, before);
  if (places.length === 0) return undefined;
  return `how git converts files (filters, attributes, ends of lines, sparse checkouts, objects from elsewhere, history that is cut or grafted) was changed since the last attempt began, in ${places.join(', ')}`;
}

/** What an attempt of the run hid, and the one after it did not look for: where what git hides has changed since the first. */
export async function hiddenSince({ repository, env, log }: RunContext): Promise<string[]> {
  const [first] = allAttempts(log.state);
  const directory = log.state.worktree?.directory;
  if (first === undefined || directory === undefined) return [];
  if (hidesTheSame(repository, directory, first.hiding)) return [];
  return untrackedFiles(directory, env);
}
