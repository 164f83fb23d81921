import { randomBytes } from 'node:crypto';
import { linkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { DevflowError } from '../errors.js';
import { type ProcessIdentity, identify, isAlive, pidNamespace } from '../process/identity.js';
import { readIfThere } from './files.js';

/** Who holds a lock. Pids mean something only on their host and in their PID namespace. */
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
  if (holder.host !== os.hostname()) return 'foreign';
  // After a reboot nothing of before is alive, whatever its namespace was called.
  if (isAlive(holder) && holder.pidNamespace === pidNamespace()) return 'alive';
  if (holder.pidNamespace !== pidNamespace() && holder.bootId === ownHolder().bootId)
    return 'foreign';
  return 'dead';
}

/** The holder named in a lock file, or undefined where there is none. */
export function readHolder(file: string): Holder | undefined {
  const text = readIfThere(file);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Holder; // only ever linked into place whole
  } catch (cause) {
    throw new DevflowError('STATE_UNREADABLE', `the lock ${file} is not readable`, { cause });
  }
}

/** Takes the lock, or tells who has it. A dead holder's lock is taken over; a foreign one never is. */
export function tryLock(file: string): Lock | { readonly heldBy: Holder } {
  const own = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(own, JSON.stringify(ownHolder()), { flag: 'wx' });
  try {
    let tookOver: Holder | undefined;
    while (!linkIfFree(own, file)) {
      const holder = readHolder(file);
      if (holder === undefined) continue; // released in between
      if (holderState(holder) !== 'dead') return { heldBy: holder };
      if (moveAside(file, holder)) tookOver = holder;
    }
    return heldLock(file, statSync(own).ino, tookOver);
  } finally {
    rmSync(own, { force: true });
  }
}

function heldLock(file: string, inode: number, tookOver: Holder | undefined): Lock {
  const isOurs = () => statSync(file, { throwIfNoEntry: false })?.ino === inode;
  return {
    ...(tookOver !== undefined && { tookOver }),
    assertHeld() {
      if (!isOurs()) throw new DevflowError('LOCK_LOST', `the lock ${file} is no longer ours`);
    },
    release() {
      if (isOurs()) rmSync(file, { force: true });
    },
  };
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

/** Moves a dead holder's lock away, then looks whether it was that one: another may have been quicker. */
function moveAside(file: string, dead: Holder): boolean {
  const aside = `${file}.stale.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  const moved = readHolder(aside);
  const wasDead = moved?.pid === dead.pid && moved.startTime === dead.startTime;
  if (!wasDead) linkIfFree(aside, file); // a living one's: give it back
  rmSync(aside, { force: true });
  return wasDead;
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
