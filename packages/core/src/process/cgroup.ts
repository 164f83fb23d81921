import {
  accessSync,
  constants,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Control groups, version 2: the kernel's own list of an attempt's processes, which none of them leaves by
 * another session, another parent or another environment. Only for finding and ending: no controller is
 * turned on, and devflow itself stays where it is.
 */

/**
 * The directory of a process's own group, from what `/proc/<pid>/mountinfo` and `/proc/<pid>/cgroup` say.
 * @returns undefined where the second version is not mounted, or shows another part of the tree
 */
export function ownCgroup(mountinfo: string, cgroup: string): string | undefined {
  const own = /^0::(\/.*)$/m.exec(cgroup)?.[1];
  if (own === undefined || own.split('/').includes('..')) return undefined; // outside of this namespace
  for (const line of mountinfo.split('\n')) {
    const [mount = '', source = ''] = line.split(' - ');
    if (!source.startsWith('cgroup2 ')) continue;
    const [, , , root = '', place = ''] = mount.split(' ').map(unescaped);
    const below = path.posix.relative(root, own);
    if (below === '..' || below.startsWith('../')) continue;
    return path.posix.join(place, below);
  }
  return undefined;
}

/** Spaces and the like are written as `\040` there. */
function unescaped(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCodePoint(Number.parseInt(octal, 8)),
  );
}

/** Where groups of attempts can be made: below this process's own group. Undefined where they cannot. */
export function cgroupPlace(): string | undefined {
  try {
    const own = ownCgroup(
      readFileSync('/proc/self/mountinfo', 'utf8'),
      readFileSync('/proc/self/cgroup', 'utf8'),
    );
    if (own === undefined) return undefined;
    accessSync(own, constants.W_OK); // to make one
    accessSync(path.join(own, PROCS), constants.W_OK); // to move a process from here into it
    return own;
  } catch {
    return undefined; // not ours, read-only, or no /proc
  }
}

/** What it means for an attempt to have none, for people. */
export const WITHOUT_CGROUP =
  'processes are found by descent and environment only, and one that hides from both is not';

const PROCS = 'cgroup.procs';

/** @returns whether the group is there to be entered */
export function makeCgroup(group: string): boolean {
  try {
    mkdirSync(group);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
  }
  return true;
}

/** The processes in a group and in those below it, dead ones left out. Of a group that is gone: none. */
export function cgroupProcesses(group: string): number[] {
  // Processes of another PID namespace read as 0.
  const own = readProcs(group).filter((pid) => pid !== 0);
  return [...own, ...groupsBelow(group).flatMap(cgroupProcesses)];
}

function readProcs(group: string): number[] {
  try {
    return readFileSync(path.join(group, PROCS), 'latin1').split('\n').map(Number);
  } catch (error) {
    return noneIfGone(error);
  }
}

function groupsBelow(group: string): string[] {
  try {
    return readdirSync(group, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => path.join(group, name));
  } catch (error) {
    return noneIfGone(error);
  }
}

/** A threaded group (EOPNOTSUPP) lists its processes in the one above. What cannot be read is not taken for empty. */
function noneIfGone(error: unknown): [] {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (['ENOENT', 'ENODEV', 'EOPNOTSUPP', 'ENOTSUP'].includes(code)) return [];
  throw error;
}

/** KILL to all in the group at once, and to whatever they start meanwhile. Not where this process is one of them. */
export function killCgroup(group: string): void {
  if (cgroupProcesses(group).includes(process.pid)) return;
  try {
    writeFileSync(path.join(group, 'cgroup.kill'), '1', { flag: 'r+' });
  } catch {
    // before Linux 5.14, or the group is gone: its processes are signalled one by one
  }
}

/** How long the kernel may take to let go of processes that have just died. */
const EMPTY_MS = 500;

/** Removes a group in which nobody is left, with those below it. @returns whether it is gone */
export async function removeCgroup(group: string): Promise<boolean> {
  for (const start = performance.now(); ;) {
    if (removeEmptyCgroup(group)) return true;
    if (performance.now() - start > EMPTY_MS) return false;
    await delay(5);
  }
}

/** At once, or not at all. */
export function removeEmptyCgroup(group: string): boolean {
  try {
    for (const below of groupsBelow(group)) if (!removeEmptyCgroup(below)) return false;
    rmdirSync(group);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
