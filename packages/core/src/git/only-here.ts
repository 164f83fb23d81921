import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { readIfThere } from '../state/files.js';
import { type Repository, operationUnderWay, realPath } from './repository.js';

/** The mark that devflow puts on what it makes for a run, as git keeps it: `git worktree list` shows it. */
export function lockReason(id: string, isReview = false): string {
  return `devflow run ${id}${isReview ? ', review' : ''}`;
}

/**
 * What of a worktree of devflow's would be lost with it, although git finds nothing uncommitted in it. Costs no git call.
 * Repositories in directories that git ignores are not looked for: they go with it, as all that is ignored.
 * @returns in words; undefined where there is nothing of the kind
 */
export function onlyHere(
  repository: Repository,
  directory: string,
  gitDir: string,
): string | undefined {
  const operation = operationUnderWay(gitDir);
  return (
    whyLocked(gitDir, directory) ??
    (operation === undefined ? undefined : `${operation} is under way there`) ??
    namedOnlyBy(gitDir) ??
    worktreeWithin(repository, directory)
  );
}

/** devflow's own lock says whose it is: by any other somebody wants to keep it. */
function whyLocked(gitDir: string, directory: string): string | undefined {
  const reason = readIfThere(path.join(gitDir, 'locked'))?.trim();
  if (reason === undefined || reason === lockReason(path.basename(directory))) return undefined;
  return `it is locked${reason === '' ? '' : `: ${reason}`}`;
}

/** Changes and commits that are known by no name outside the worktree's own git directory. */
function namedOnlyBy(gitDir: string): string | undefined {
  if (existsSync(path.join(gitDir, 'MERGE_AUTOSTASH')))
    return 'what git stashed there for a merge was not put back (MERGE_AUTOSTASH)';
  const own = path.join(gitDir, 'refs', 'worktree');
  if (!existsSync(own)) return undefined;
  const refs = readdirSync(own, { recursive: true, withFileTypes: true });
  return refs.some((entry) => entry.isFile())
    ? 'it has refs of its own (refs/worktree)'
    : undefined;
}

/** An agent may have made one in a directory that git ignores: its files would go too. */
function worktreeWithin({ commonDir }: Repository, directory: string): string | undefined {
  const above = `${realPath(directory)}${path.sep}`;
  const entries = path.join(commonDir, 'worktrees');
  if (!existsSync(entries)) return undefined;
  const within = readdirSync(entries)
    .map((name) => path.join(entries, name))
    .map((entry) => path.resolve(entry, readIfThere(path.join(entry, 'gitdir'))?.trimEnd() ?? ''))
    .map((pointer) => path.dirname(pointer))
    .find((other) => realPath(other).startsWith(above) && existsSync(other));
  return within === undefined ? undefined : `another worktree is in it: ${within}`;
}
