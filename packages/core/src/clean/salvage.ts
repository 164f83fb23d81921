import { DevflowError } from '../errors.js';
import { findRepository } from '../git/repository.js';
import { type Salvaged, listSalvaged, makeBranches } from '../git/salvage.js';
import type { CommonOptions } from '../hold.js';

export type { Salvaged } from '../git/salvage.js';

/** What `clean` saved before it removed it, by run and number. */
export async function salvaged({ cwd, env }: CommonOptions): Promise<Salvaged[]> {
  return listSalvaged(await findRepository(cwd, env), env);
}

export interface RestoreOptions extends CommonOptions {
  /** Which of the run's; all of them where it is left out. */
  readonly number?: number;
  /** The branch to make; `devflow/<run>/salvaged-<number>` where it is left out. */
  readonly branch?: string;
}

export interface Restored extends Salvaged {
  readonly branch: string;
}

/**
 * Makes a branch at what was saved of a run. Touches no checkout, and what was saved stays.
 * @throws DevflowError SALVAGE_NOT_FOUND, BRANCH_EXISTS, OPTION_INVALID
 */
export async function restoreSalvaged(run: string, options: RestoreOptions): Promise<Restored[]> {
  const { cwd, env, number, branch } = options;
  const repository = await findRepository(cwd, env);
  const all = await listSalvaged(repository, env);
  const found = all.filter(
    (each) => each.run === run && (number === undefined || each.number === number),
  );
  if (found.length === 0) {
    const which =
      number === undefined ? `the run "${run}"` : `number ${number} of the run "${run}"`;
    throw new DevflowError('SALVAGE_NOT_FOUND', `nothing is saved of ${which}`);
  }
  if (branch !== undefined && found.length > 1) {
    throw new DevflowError(
      'OPTION_INVALID',
      `${found.length} things are saved of the run "${run}", and one branch can hold one`,
      { hint: `Say which: \`devflow salvage restore ${run} 1 --branch ${branch}\`.` },
    );
  }
  const restored = found.map((saved) => ({
    ...saved,
    branch: branch ?? `devflow/${run}/salvaged-${saved.number}`,
  }));
  const which = found.length > 1 ? '<number>' : `${found[0]?.number}`;
  const each = found.length > 1 ? 'Restore each under a name of its own' : 'Choose another name';
  const hint = `${each}: \`devflow salvage restore ${run} ${which} --branch <name>\`.`;
  await makeBranches(repository, restored, hint, env);
  return restored;
}
