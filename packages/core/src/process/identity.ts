import { closeSync, openSync, readFileSync, readSync, readlinkSync } from 'node:fs';
import { isGone } from './system-error.js';

/** A pid alone is no identity: pids are used again. Start time and boot make it one. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Field 22 of `/proc/<pid>/stat`: clock ticks since boot. */
  readonly startTime: string;
  readonly bootId: string;
}

/** One row of the process table. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** One letter; `Z` and `X` are dead. */
  readonly state: string;
  readonly startTime: string;
  /** Processor time that it has used, in clock ticks. */
  readonly cpuTicks: number;
}

/** The entry of a living or dead process that still has one, or undefined. Throws where that cannot be looked at. */
export function readProcess(pid: number): ProcessEntry | undefined {
  const stat = readStat(pid);
  if (stat === undefined) return undefined;
  // The name stands in brackets and may hold anything, brackets and spaces too.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group] = fields;
  const startTime = fields[19];
  const cpuTicks = Number(fields[11]) + Number(fields[12]);
  if (state === undefined || startTime === undefined) return undefined;
  return { pid, state, parent: Number(parent), group: Number(group), startTime, cpuTicks };
}

/** A line of `/proc/<pid>/stat` is far shorter. One buffer for all: a scan reads hundreds. */
const buffer = Buffer.alloc(4_096);

function readStat(pid: number): string | undefined {
  try {
    const descriptor = openSync(`/proc/${pid}/stat`, 'r');
    try {
      return buffer.toString('latin1', 0, readSync(descriptor, buffer, 0, buffer.length, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error; // without a handle to look with, a living process is not dead
  }
}

export function identify(pid: number): ProcessIdentity | undefined {
  const entry = readProcess(pid);
  return entry === undefined ? undefined : { pid, startTime: entry.startTime, bootId: bootId() };
}

/** A child of ours that leads its group. One that cannot be named cannot be watched either: it is not left to run. */
export function identifyChild(pid: number): ProcessIdentity | undefined {
  try {
    return identify(pid);
  } catch (error) {
    process.kill(-pid, 'SIGKILL'); // not waited for yet, so that its number is nobody else's
    throw error;
  }
}

/** Is exactly this process alive? A zombie is dead, and so is all that ran before a reboot. */
export function isAlive(identity: ProcessIdentity): boolean {
  if (identity.bootId !== bootId()) return false;
  const entry = readProcess(identity.pid);
  return entry !== undefined && entry.startTime === identity.startTime && !isDead(entry);
}

export function isDead(entry: ProcessEntry): boolean {
  return entry.state === 'Z' || entry.state === 'X';
}

let cachedBootId: string | undefined;

export function bootId(): string {
  cachedBootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  return cachedBootId;
}

/** Names the space in which pids mean something, e.g. `pid:[4026531836]`. */
export function pidNamespace(): string {
  return readlinkSync('/proc/self/ns/pid');
}
