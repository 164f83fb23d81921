import { readFileSync } from 'node:fs';
import { HELPER_VARIABLE } from './helpers.js';
import type { ProcessEntry } from './identity.js';
import { MARKER_VARIABLE, readTable } from './tree.js';

/** Environment variable that tells which run a process belongs to: the run's directory, absolute. */
export const RUN_DIRECTORY_VARIABLE = 'DEVFLOW_RUN_DIRECTORY';

/** A living process that an attempt has started, or devflow itself for a run; or that descends from one. */
export interface MarkedProcess {
  readonly entry: ProcessEntry;
  readonly runDirectory: string;
  /** The attempt's; undefined for what devflow started for itself. */
  readonly token: string | undefined;
  /** The environment entry that all of them have that belong together. */
  readonly marker: string;
  /** How it was called, its arguments cut. */
  readonly command: string;
}

/** All living processes of runs that can be looked into: those of this user, or of all where this is root. */
export function markedProcesses(table = readTable()): MarkedProcess[] {
  return [...table.values()].flatMap((entry): MarkedProcess[] => {
    const environment = read(`/proc/${entry.pid}/environ`).split('\0');
    const runDirectory = valueOf(environment, RUN_DIRECTORY_VARIABLE);
    const token = valueOf(environment, MARKER_VARIABLE);
    const helperOf = valueOf(environment, HELPER_VARIABLE);
    const command = commandOf(entry.pid);
    if (runDirectory !== undefined && token !== undefined)
      return [{ entry, runDirectory, token, marker: `${MARKER_VARIABLE}=${token}`, command }];
    if (helperOf === undefined) return [];
    const marker = `${HELPER_VARIABLE}=${helperOf}`;
    return [{ entry, runDirectory: helperOf, token: undefined, marker, command }];
  });
}

/** The process and those above it, from itself upward. */
export function withAncestors(pid: number, table: ReadonlyMap<number, ProcessEntry>): number[] {
  const line: number[] = [];
  for (let next = table.get(pid); next !== undefined; next = table.get(next.parent)) {
    if (line.includes(next.pid)) break;
    line.push(next.pid);
  }
  return line;
}

function valueOf(environment: readonly string[], name: string): string | undefined {
  const entry = environment.find((each) => each.startsWith(`${name}=`));
  return entry === undefined ? undefined : utf8(entry.slice(name.length + 1));
}

const SHOWN_COMMAND = 60;

function commandOf(pid: number): string {
  const words = utf8(read(`/proc/${pid}/cmdline`))
    .replaceAll('\0', ' ')
    .replaceAll(/\s+/g, ' ');
  return words.trim().slice(0, SHOWN_COMMAND);
}

function utf8(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return ''; // gone, or another user's: then it is none of ours
  }
}
