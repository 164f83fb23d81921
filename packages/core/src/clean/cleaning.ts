import path from 'node:path';
import { type Repository, realPath } from '../git/repository.js';
import type { Salvaged } from '../git/salvage.js';
import type { ListedWorktree } from '../git/worktree-list.js';
import type { Orphans } from './orphans.js';
import type { CommonOptions } from '../hold.js';
import type { RunDefinition } from '../state/definition.js';

export interface CleanOptions extends CommonOptions {
  /** Only say what would be removed. */
  readonly dryRun?: boolean;
  /** Only these; a run that could be resumed is cleaned up only where it is named. */
  readonly runs?: readonly string[];
  /** Remove also what is not committed, and branches whose commits nothing else has: both are saved before. */
  readonly force?: boolean;
}

/** What was saved before it was removed. */
export interface SavedThing {
  readonly what: string;
  /** How to get it back: `devflow salvage restore add-a-flag-3f9a1 1`; without a number where nothing was done yet. */
  readonly restore: string;
  readonly ref?: string;
}

/** What stays. */
interface KeptThing {
  readonly what: string;
  readonly why: string;
  /** It was to go, and could not be saved or removed: that is a failure, and no caution. */
  readonly failed?: true;
}

/** The run that is being cleaned up, and what is decided so far. */
export interface Cleaning {
  readonly repository: Repository;
  readonly definition: Pick<RunDefinition, 'id' | 'branch' | 'worktrees'>;
  readonly options: CleanOptions;
  /** Refs that this call has removed, or would remove: they keep no commits. */
  readonly goneRefs: Set<string>;
  /** All worktrees that git knows here, by their directories; some may be gone. */
  readonly worktrees: ReadonlyMap<string, ListedWorktree>;
  /** `hidingPlaces` before the run's first attempt; undefined where that is not known. */
  readonly hiding: string | undefined;
  readonly removed: string[];
  readonly saved: SavedThing[];
  readonly kept: KeptThing[];
}

/** What became of one run's things. */
export interface CleanedRun {
  /** Undefined for what belongs to no run, but to the repository. */
  readonly run: string | undefined;
  readonly removed: readonly string[];
  /** What was saved before it was removed: only where force was asked for. */
  readonly saved: readonly SavedThing[];
  /** Everything that stays, with the reason. */
  readonly kept: readonly KeptThing[];
}

/** What the cleaning of all runs shares. */
export type Shared = Pick<Cleaning, 'repository' | 'options' | 'goneRefs' | 'worktrees'> & {
  readonly orphans: Orphans;
};

export function keptWhole(run: string, why: string): CleanedRun {
  return { run, removed: [], saved: [], kept: [{ what: `run ${run}`, why }] };
}

export function savedThing(what: string, { run, number, ref }: Salvaged): SavedThing {
  return { what, restore: `devflow salvage restore ${run} ${number}`, ref };
}

/** As git lists it: without symbolic links above. */
export function worktreeOf({ worktrees, id }: Cleaning['definition']): string {
  return path.join(realPath(worktrees), id);
}
