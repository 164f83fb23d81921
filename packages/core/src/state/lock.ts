import { linkSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DevflowError } from '../errors.js';
import { effect } from '../process/effect.js';
import {
  type ProcessIdentity,
  identify,
  isAlive,
  pidNamespace,
  readProcess,
} from '../process/identity.js';
import { readIfThere } from './files.js';

/** Who holds a lock. Pids mean something only in one boot of a host and in their PID namespace. */
export interface Holder extends ProcessIdentity {
  readonly host: string;
  readonly pidNamespace: string;
}

export interface Lock {
  /** The dead holder that this lock was taken over from. */
  readonly tookOver?: Holder;
  /** @throws DevflowError LOCK_LOST where the lock is no longer ours */
  assertHeld(): void;
  release(): void;
}

/** `foreign`: of another host or namespace, so nobody here can tell. */
export type HolderState = 'alive' | 'dead' | 'foreign';

export function holderState(holder: Holder): HolderState {
  const own = ownHolder();
  if (holder.bootId === own.bootId) {
    // The same kernel: whatever the host was called then, only another PID namespace cannot be looked into.
    if (holder.pidNamespace !== own.pidNamespace) return 'foreign';
    return isAlive(holder) ? 'alive' : 'dead';
  }
  // After a reboot nothing of before is alive, whatever its namespace was called.
  return holder.host === os.hostname() ? 'dead' : 'foreign';
}

/** The holder named in a lock file, or undefined where there is none. */
export function readHolder(file: string): Holder | undefined {
  const text = readIfThere(file);
  if (text === undefined) return undefined;
  const holder = parseHolder(text); // only ever linked into place whole
  if (holder !== undefined) return holder;
  throw new DevflowError('STATE_UNREADABLE', `the lock ${file} names no holder`, {
    hint: `It is not devflow that leaves it so. If no devflow works there, on any host: rm '${file}'`,
  });
}

function parseHolder(text: string): Holder | undefined {
  try {
    const holder = JSON.parse(text) as Holder;
    const names: readonly unknown[] = [holder.startTime, holder.bootId, holder.host];
    const isWhole = [...names, holder.pidNamespace].every((name) => typeof name === 'string');
    return isWhole && Number.isSafeInteger(holder.pid) ? holder : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Takes the lock, or tells who has it. A dead holder's lock is taken over; a foreign one never is.
 * @param of what is locked
 */
export function tryLock(
  file: string,
  of: 'run' | 'repository' = 'run',
): Lock | { readonly heldBy: Holder } {
  return effect(`${of}.lock`, () => {
    const lock = take(file, of);
    if ('release' in lock) removeStrays(file);
    return lock;
  });
}

function take(file: string, of: 'run' | 'repository'): Lock | { readonly heldBy: Holder } {
  const token = crypto.randomUUID(); // an inode is no identity: it is used again at once
  const content = JSON.stringify({ ...ownHolder(), token });
  const own = `${file}.${process.pid}.${token}`;
  try {
    writeFileSync(own, content, { flag: 'wx' }); // on a full disk it leaves an empty file
    while (!linkIfFree(own, file)) {
      const holder = readHolder(file);
      if (holder === undefined) continue; // released in between
      if (holderState(holder) !== 'dead') return { heldBy: holder };
      const heir = takeOver(own, file, holder);
      if (heir === 'we') return heldLock(file, of, content, holder);
      if (heir !== undefined) return { heldBy: heir };
    }
    return heldLock(file, of, content, undefined);
  } finally {
    rmSync(own, { force: true });
  }
}

function heldLock(
  file: string,
  of: 'run' | 'repository',
  content: string,
  tookOver: Holder | undefined,
): Lock {
  const isOurs = () => readIfThere(file) === content;
  return {
    ...(tookOver !== undefined && { tookOver }),
    assertHeld() {
      if (!isOurs()) throw lost(file);
    },
    release() {
      effect(`${of}.unlock`, () => {
        try {
          if (isOurs()) rmSync(file, { force: true });
        } catch {
          // A disk that has become read-only, no handle left: once this process is gone, it is a dead holder's.
        }
      });
    },
  };
}

/**
 * Puts our lock in the place of a dead holder's. Only the one heir may: of two that saw the same dead
 * holder, the slower would else take away what by then is the lock of the quicker.
 * @returns the living heir where that is another; undefined where it is to be looked at anew
 */
function takeOver(own: string, file: string, dead: Holder): 'we' | Holder | undefined {
  const heirFile = `${file}.heir`;
  if (!linkIfFree(own, heirFile)) {
    const heir = readHolder(heirFile);
    if (heir === undefined) return undefined;
    if (holderState(heir) !== 'dead') return heir;
    moveAside(heirFile, heir);
    return undefined;
  }
  try {
    const now = readHolder(file);
    if (now === undefined || !isSame(now, dead)) return undefined; // another was quicker
    renameSync(own, file);
    return 'we';
  } finally {
    rmSync(heirFile, { force: true });
  }
}

function isSame(a: Holder, b: Holder): boolean {
  return a.pid === b.pid && a.startTime === b.startTime && a.bootId === b.bootId;
}

function linkIfFree(own: string, file: string): boolean {
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Moves the file of an heir that died while it took over, then looks whether it was that one's. */
function moveAside(file: string, dead: Holder): void {
  const aside = `${file}.stale.${process.pid}.${crypto.randomUUID()}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const moved = readHolder(aside);
  if (moved !== undefined && !isSame(moved, dead)) linkIfFree(aside, file); // a living one's: give it back
  rmSync(aside, { force: true });
}

/** What those left beside a lock who were killed while they took it. */
function removeStrays(file: string): void {
  const directory = path.dirname(file);
  for (const name of readdirSync(directory)) {
    if (!name.startsWith(`${path.basename(file)}.`)) continue;
    const stray = path.join(directory, name);
    if (isOfTheDead(stray)) rmSync(stray, { force: true });
  }
}

/** By its content, which says of which host it is; by the pid in its name where it was not written whole. */
function isOfTheDead(stray: string): boolean {
  const pid = Number(/\.(\d+)\.[0-9a-f-]{36}$/.exec(stray)?.[1]);
  if (!Number.isInteger(pid) || pid === process.pid) return false; // the heir's file has its own rules
  try {
    const holder = readHolder(stray);
    return holder !== undefined && holderState(holder) === 'dead';
  } catch {
    return readProcess(pid) === undefined;
  }
}

/** Only another devflow takes a lock over; an agent may remove it, or write what it likes there. */
function lost(file: string): DevflowError {
  let other: Holder | undefined;
  try {
    other = readHolder(file);
  } catch {
    // it is no lock any more
  }
  if (other !== undefined && holderState(other) !== 'dead') {
    const message = `the lock ${file} is no longer ours: process ${other.pid} on ${other.host} has it`;
    return new DevflowError('LOCK_LOST', message);
  }
  return new DevflowError(
    'LOCK_LOST',
    `the lock ${file} was removed or overwritten, by no devflow`,
    {
      hint: 'See what did that, then `devflow resume <run>`.',
    },
  );
}

let cachedHolder: Holder | undefined;

export function ownHolder(): Holder {
  if (cachedHolder === undefined) {
    const identity = identify(process.pid);
    if (identity === undefined) {
      throw new DevflowError(
        'PLATFORM_UNSUPPORTED',
        'this system has no /proc to tell processes apart',
      );
    }
    cachedHolder = { ...identity, host: os.hostname(), pidNamespace: pidNamespace() };
  }
  return cachedHolder;
}
