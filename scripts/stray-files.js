import { existsSync, readdirSync } from 'node:fs';

/** Locks, half-written files and what could not be written, below devflow's state in a repository: nothing of it is there once all runs are over. */
export function strayFiles(stateDirectory) {
  if (!existsSync(stateDirectory)) return [];
  return readdirSync(stateDirectory, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?:^|\/)(?:worktrees\.)?lock(?:\.|$)|\.tmp$|^failed-/.test(name),
  );
}
