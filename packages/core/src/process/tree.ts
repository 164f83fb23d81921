import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type ProcessEntry,
  type ProcessIdentity,
  bootId,
  isDead,
  readProcess,
} from './identity.js';
import { cgroupProcesses, killCgroup } from './cgroup.js';
import { isShortage } from './system-error.js';

/** What is known of an attempt's processes: enough to find those that left its group or lost their parent. */
export interface ProcessTree {
  /** The wrapper, which leads the group; undefined where it was never seen. */
  leader: ProcessIdentity | undefined;
  /** An environment entry, `NAME=value`, that every process of the attempt inherits. */
  readonly marker: string;
  /** Processes once seen below the leader, by {@link seenKey}: they may have left the group and emptied their environment since. */
  readonly seen: Set<string>;
  /** The control group that the command of the attempt was to enter, if there is one. */
  readonly cgroup?: string | undefined;
}

/** Environment variable that carries the attempt's token through its process tree. */
export const MARKER_VARIABLE = 'DEVFLOW_ATTEMPT_TOKEN';

/** What is known of the processes of an attempt whose wrapper was just started, or found. */
export function processTree(
  leader: ProcessIdentity | undefined,
  token: string,
  cgroup?: string,
): ProcessTree {
  return { leader, marker: `${MARKER_VARIABLE}=${token}`, seen: new Set(), cgroup };
}

/**
 * The living processes of the attempt: control group, process group, marker, seen before, and whatever
 * descends from those. Adds what it finds to `seen`. What started before the wrapper is none of them, and is
 * not looked into, unless the kernel says that it is in the control group.
 */
export function findTree(tree: ProcessTree, table = readTable()): ProcessEntry[] {
  const leader = tree.leader?.bootId === bootId() ? tree.leader : undefined;
  const leaderEntry =
    leader === undefined ? undefined : (table.get(leader.pid) ?? readProcess(leader.pid));
  // The kernel gives a group's number to nobody while the group has members; a leader with another
  // start time means that the group was empty in between and the number is somebody else's now.
  const groupIsOurs =
    leader !== undefined &&
    (leaderEntry === undefined || leaderEntry.startTime === leader.startTime);
  const since = Number(leader?.startTime ?? 0);
  const candidates = [...table.values()].filter(
    ({ pid, startTime }) => pid !== process.pid && Number(startTime) >= since,
  );
  const members = new Map<number, ProcessEntry>();
  for (const entry of candidates) {
    const belongs =
      (groupIsOurs && entry.group === leader?.pid) ||
      tree.seen.has(seenKey(entry)) ||
      hasMarker(entry.pid, tree.marker);
    if (belongs) members.set(entry.pid, entry);
  }
  if (tree.cgroup !== undefined) addCgroup(members, tree.cgroup, table);
  addDescendants(members, candidates);
  for (const entry of members.values()) tree.seen.add(seenKey(entry));
  return [...members.values()];
}

/** A machine on which new processes never cease is not looked at for ever. */
const MOST_ROUNDS = 100;

/**
 * Like {@link findTree}, but one that passes itself on, a new process each few milliseconds, is not missed
 * between the list and the look: what was born meanwhile is looked at too, and where nobody is found, again and again
 * until nothing was.
 */
export function findWhole(tree: ProcessTree): ProcessEntry[] {
  const looked = new Set<number>();
  const members = new Map<number, ProcessEntry>();
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const before = looked.size;
    const born = readTable(looked);
    if (looked.size === before) break; // not: nothing alive among the new ones, whose children may be
    for (const entry of findTree(tree, new Map([...members, ...born])))
      members.set(entry.pid, entry);
    if (round > 0 && members.size > 0) break; // whoever ends them looks again
  }
  return [...members.values()];
}

/** The table may be older than the group's list: who is not in it is looked at now. */
function addCgroup(
  members: Map<number, ProcessEntry>,
  cgroup: string,
  table: ReadonlyMap<number, ProcessEntry>,
): void {
  for (const pid of cgroupProcesses(cgroup)) {
    const entry = table.get(pid) ?? readProcess(pid);
    if (entry !== undefined && pid !== process.pid && !isDead(entry)) members.set(pid, entry);
  }
}

/** A child can stand before its parent in the table: looks again until nothing is added. */
function addDescendants(
  members: Map<number, ProcessEntry>,
  candidates: readonly ProcessEntry[],
): void {
  for (let before = -1; before !== members.size;) {
    before = members.size;
    for (const entry of candidates) if (members.has(entry.parent)) members.set(entry.pid, entry);
  }
}

export interface EndedTree {
  /** How many processes there were. */
  readonly found: number;
  /** Those that could not be ended. */
  readonly left: readonly ProcessEntry[];
}

/**
 * Ends every process of the attempt: TERM, a grace period, KILL, until two scans find nothing.
 * @param spare a process to leave alive: the wrapper, which still has the exit status to write
 */
export async function endTree(
  tree: ProcessTree,
  { graceMs, spare, limitMs = 10_000 }: { graceMs: number; spare?: number; limitMs?: number },
): Promise<EndedTree> {
  const termed = new Set<string>();
  const start = performance.now();
  for (let emptyScans = 0; emptyScans < 2;) {
    const elapsed = performance.now() - start;
    const found = findWhereItCan(tree, elapsed > HANDLE_MS);
    if (found === undefined) {
      await delay(25);
      continue;
    }
    const left = found.filter(({ pid }) => pid !== spare);
    if (left.length === 0) {
      emptyScans += 1;
      continue;
    }
    emptyScans = 0;
    if (elapsed > graceMs + limitMs) return { found: termed.size, left };
    if (elapsed >= graceMs && tree.cgroup !== undefined) killCgroup(tree.cgroup);
    for (const entry of left) {
      if (elapsed >= graceMs) signal(entry, 'SIGKILL');
      else if (!termed.has(seenKey(entry))) signal(entry, 'SIGTERM');
      termed.add(seenKey(entry));
    }
    await delay(Math.min(50, Math.max(5, elapsed / 10)));
  }
  return { found: termed.size, left: [] };
}

/** How long there may be no file handle to look with. */
const HANDLE_MS = 2_000;

/** @returns undefined where there is no file handle left to look with: others of this process give theirs back soon */
function findWhereItCan(tree: ProcessTree, isLast: boolean): ProcessEntry[] | undefined {
  try {
    return findWhole(tree);
  } catch (error) {
    if (isLast || !isShortage(error)) throw error;
    return undefined;
  }
}

export function seenKey({ pid, startTime }: { pid: number; startTime: string }): string {
  return `${pid}:${startTime}`;
}

/** All living processes by pid. @param looked those that are left out; those that were looked at are added */
export function readTable(looked?: Set<number>): Map<number, ProcessEntry> {
  const entries = new Map<number, ProcessEntry>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || looked?.has(Number(name)) === true) continue;
    looked?.add(Number(name));
    const entry = readProcess(Number(name));
    if (entry !== undefined && !isDead(entry)) entries.set(entry.pid, entry);
  }
  return entries;
}

let shared: { readonly at: number; readonly table: Map<number, ProcessEntry> } | undefined;

/** A table that is at most a tenth of a second old: many runs in one process look at the same one. */
export function sharedTable(): Map<number, ProcessEntry> {
  const now = performance.now();
  if (shared === undefined || now - shared.at > 90) shared = { at: now, table: readTable() };
  return shared.table;
}

function hasMarker(pid: number, marker: string): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
    return environment.startsWith(`${marker}\0`) || environment.includes(`\0${marker}\0`);
  } catch (error) {
    if (isShortage(error)) throw error; // a process that was not looked at is not known to be none of ours
    return false; // gone, or another user's: then it is none of ours
  }
}

/** Kills a group at once, as a whole, where nobody can be looked at. Only for one whose leader is known to have its number still. */
export function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // nobody is left in it
  }
}

/**
 * Signals only if the pid still is that process. Node has no handle on a process that outlives its pid
 * (pidfd): between the look and the signal are some microseconds, in which all other pids would have to be
 * used once for this one to be somebody else's.
 */
export function signal(entry: ProcessEntry, name: 'SIGTERM' | 'SIGKILL'): void {
  if (readProcess(entry.pid)?.startTime !== entry.startTime) return;
  try {
    process.kill(entry.pid, name);
  } catch {
    // gone in between, as was wanted; or another user's by now: then it is found again, and said to be left
  }
}
