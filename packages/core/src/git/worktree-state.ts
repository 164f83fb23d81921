import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import type { GitFacts } from './measure.js';

/** What is not committed in a worktree, such that it can be compared with what is there later. */
export interface WorktreeState {
  /** Stands for the index. */
  readonly index: string;
  readonly underWay?: string;
  /** By each path that is not committed: what stands for what is there. What git ignores is not among them. */
  readonly paths: Readonly<Record<string, string>>;
}

/** How large a file is compared by its content, in bytes; a larger one by its size and when it was changed. */
const BY_CONTENT = 1_000_000;

/** @returns undefined where git could not be asked */
export function worktreeState(
  directory: string,
  { uncommitted, index, underWay }: GitFacts,
): WorktreeState | undefined {
  if (uncommitted === undefined || index === undefined) return undefined;
  return {
    index,
    ...(underWay !== undefined && { underWay }),
    paths: contentsOf(directory, uncommitted),
  };
}

/** By each path what stands for what is there. */
export function contentsOf(
  directory: string,
  names: readonly string[],
): Readonly<Record<string, string>> {
  const contents = names.map((name) => [name, digest(contentOf(path.join(directory, name)))]);
  return Object.fromEntries(contents) as Record<string, string>;
}

/** In what a worktree is another than it was: paths, or in words what is not one. */
export function changesBetween(before: WorktreeState, after: WorktreeState): string[] {
  const names = new Set([...Object.keys(before.paths), ...Object.keys(after.paths)]);
  const changed = [...names].filter((name) => before.paths[name] !== after.paths[name]).toSorted();
  const underWay = after.underWay ?? `no longer ${before.underWay}`;
  if (after.underWay !== before.underWay) changed.push(underWay);
  if (after.index !== before.index && changed.length === 0) changed.push('the index');
  return changed;
}

/** What is at a place, and in a directory all that is below; a link is not followed. */
function contentOf(place: string): string {
  try {
    const found = lstatSync(place, { bigint: true });
    const kind = String(found.mode);
    if (found.isSymbolicLink()) return `${kind} ${readlinkSync(place)}`;
    if (found.isFile())
      return found.size > BY_CONTENT
        ? `${kind} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`
        : `${kind} ${digest(readFileSync(place))}`;
    if (!found.isDirectory()) return kind;
    const names = readdirSync(place).filter((name) => name !== '.git'); // git itself writes there
    const within = names
      .toSorted()
      .map((name) => [name, digest(contentOf(path.join(place, name)))]);
    return `${kind} ${JSON.stringify(within)}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unreadable';
  }
}

function digest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}
