import { spawn } from 'node:child_process';
import { type Stats, closeSync, constants, lstatSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type ProcessIdentity, identifyChild } from './identity.js';
import { isIrregular, openRegular, readRegular, requireRegular } from './own-file.js';
import { isGone } from './system-error.js';

/**
 * The wrapper around an attempt's command: it needs nobody. It takes the claim, in which it notes who it is,
 * enforces the wall-clock limit, and writes the exit status, whether devflow lives or not.
 *
 * $1 directory of the attempt, $2 limit and $3 grace period in seconds, $4 control group or nothing, then the command.
 * `set -C` makes `claim` where it is not there, in one step: whoever makes it launches the attempt. One that it made and
 * could not fill is taken away again: nobody has claimed anything.
 * `claim` and `exit` are single writes that end in a newline: a reader takes no half of one.
 * `room` keeps a place on the disk, so that the status can be written where the disk is full by then.
 * A shell that has no process left for a command ends at once: its last words are `not-started`. Those that it has for
 * people go nowhere: both streams are the command's alone, and `begun` is there before the command is.
 * The subshell is the clock. A sleep that was killed, as by an agent's `pkill sleep`, is not the limit: it begins
 * anew. USR1 tells it that the command has ended; TERM it sends to the group, itself included.
 * Only the command enters the control group, before it is anything: its end spares the wrapper. `ungrouped`
 * says that it could not enter.
 * A command may end before the clock can be told: the shell's words about that are not the agent's.
 */
const WRAPPER = `
dir=$1 limit=$2 grace=$3 group=$4
shift 4
exec 4>&2 2>/dev/null
read -r stat <"/proc/$$/stat"
read -r boot </proc/sys/kernel/random/boot_id
set -C
made=
{ made=yes; printf '%s\\n%s\\n' "$boot" "$stat" >&3; } 2>/dev/null 3>"$dir/claim" || {
  [ -z "$made" ] || rm -f "$dir/claim"
  exit 75
}
set +C
{ printf '%01024d' 0 >"$dir/room"; } 2>/dev/null
write_exit() {
  printf '%s\\n' "$1" >"$dir/exit" || { : >"$dir/room"; printf '%s\\n' "$1" >"$dir/exit"; }
} 2>/dev/null
trap 'kill -USR1 "$!" 2>/dev/null; { printf "\\n" >"$dir/not-started"; } 2>/dev/null' EXIT
(
  trap 'kill -KILL "$!"; wait "$!"; exit' TERM USR1
  while sleep "$limit" & wait "$!"; [ "$?" -gt 128 ]; do :; done
  trap '' TERM
  [ -e "$dir/timed-out" ] || : >"$dir/timed-out"
  kill -TERM "-$$"
  sleep "$grace" &
  wait
  write_exit 137
  [ -z "$group" ] || echo 1 >"$group/cgroup.kill"
  kill -KILL "-$$"
) </dev/null >/dev/null 2>&1 4>&- &
trap : TERM INT HUP
(
  true >"$dir/begun"
  exec 2>&4 4>&-
  [ -z "$group" ] || { echo 0 >"$group/cgroup.procs"; } 2>/dev/null || : >"$dir/ungrouped"
  exec "$@"
)
status=$?
trap - EXIT
kill -USR1 "$!" 2>/dev/null
write_exit "$status"
: >"$dir/room"
wait "$!" 2>/dev/null
`;

const DEFAULT_GRACE_S = 10;
const { O_APPEND, O_CREAT, O_WRONLY } = constants;
export const STREAMS = ['stdout.log', 'stderr.log'];

export interface WrappedCommand {
  /** The attempt's directory. */
  readonly dir: string;
  /** The file that becomes stdin. */
  readonly stdin: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Seconds between TERM and KILL when the wrapper itself ends the attempt at its limit. */
  readonly graceS?: number;
  /** The control group that the command is to enter. */
  readonly cgroup?: string | undefined;
}

export interface Wrapper {
  readonly identity: ProcessIdentity | undefined;
  /** Settles when the wrapper is gone. */
  readonly exited: Promise<void>;
  readonly isOurs: () => boolean;
}

/** Starts the wrapper in a session and group of its own, with files for all three streams. */
export async function startWrapper(command: WrappedCommand): Promise<Wrapper> {
  const {
    dir,
    stdin,
    program,
    args,
    cwd,
    env,
    timeoutMs,
    graceS = DEFAULT_GRACE_S,
    cgroup = '',
  } = command;
  const files = [
    openRegular(stdin),
    ...STREAMS.map((name) => openRegular(path.join(dir, name), O_WRONLY | O_APPEND | O_CREAT)),
  ];
  const close = () => {
    for (const file of files.splice(0)) closeSync(file);
  };
  try {
    const limit = Math.max(1, Math.ceil(timeoutMs / 1000));
    const child = spawn(
      '/bin/sh',
      ['-c', WRAPPER, 'devflow-attempt', dir, `${limit}`, `${graceS}`, cgroup, program, ...args],
      { cwd, env, stdio: [...files], detached: true },
    );
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    await new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    close(); // what is open here may be the handle that is missing next
    const isOurs = () => child.exitCode === null && child.signalCode === null;
    const identity = child.pid === undefined ? undefined : identifyChild(child.pid);
    return { identity, exited, isOurs };
  } finally {
    close();
  }
}

/** Who holds the claim of an attempt: undefined where nobody took it, `lost` where it was taken and the owner is not known. */
export function readClaim(dir: string): ProcessIdentity | 'lost' | undefined {
  const claim = path.join(dir, 'claim');
  if (isIrregular(claim)) return 'lost';
  const owner = readIfThere(claim);
  if (owner === undefined) return undefined;
  const [bootId, stat, end] = owner.split('\n');
  if (bootId === undefined || stat === undefined || end === undefined) return 'lost';
  const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  if (startTime === undefined) return 'lost';
  return { pid: Number.parseInt(stat, 10), startTime, bootId };
}

/** The status in `exit`, or undefined where there is none, or none that is whole. @throws NoRegularFile */
export function readExit(dir: string): number | undefined {
  const text = readIfThere(path.join(dir, 'exit'));
  return text !== undefined && /^\d+\n$/.test(text) ? Number(text) : undefined;
}

/**
 * Did the command run, by anything that shows it? The agent may have removed what the wrapper wrote: one sign is enough.
 */
function hasBegun(dir: string): boolean {
  if (['begun', 'exit'].some((name) => isThere(dir, name))) return true;
  return STREAMS.some((name) => (statOf(dir, name)?.size ?? 0) > 0);
}

/** Was the claim taken, whether it is there still or not? It comes before `room`. */
export function wasClaimed(dir: string): boolean {
  return ['claim', 'room'].some((name) => isThere(dir, name)) || hasBegun(dir);
}

/** Had the system no process left for the command, so that it was never run? An agent that did run may say that too. */
export function wasNotStarted(dir: string): boolean {
  return isThere(dir, 'not-started') && !hasBegun(dir);
}

/** Takes back the claim of an attempt of which nothing was run and nothing lives: whoever comes next launches it. */
export function giveUpClaim(dir: string): void {
  // In this order: one that was taken back in part is taken back again.
  for (const name of ['room', 'claim', 'not-started'])
    rmSync(path.join(dir, name), { force: true });
}

/** Of both streams of an attempt, in bytes. Throws where one is not there. @throws NoRegularFile */
export function outputSize(directory: string): number {
  return STREAMS.map((name) => path.join(directory, name)).reduce((sum, file) => {
    requireRegular(file);
    return sum + lstatSync(file).size;
  }, 0);
}

/** When the exit status was written, in milliseconds since the epoch. */
export function exitTime(dir: string): number | undefined {
  return statOf(dir, 'exit')?.mtimeMs;
}

/** Did the wrapper end the attempt at its wall-clock limit? */
export function reachedTimeLimit(dir: string): boolean {
  return isThere(dir, 'timed-out');
}

/** Could the command not enter the control group that was made for it? */
export function isUngrouped(dir: string): boolean {
  return isThere(dir, 'ungrouped');
}

function isThere(dir: string, name: string): boolean {
  return statOf(dir, name) !== undefined;
}

function statOf(dir: string, name: string): Stats | undefined {
  return lstatSync(path.join(dir, name), { throwIfNoEntry: false });
}

function readIfThere(file: string): string | undefined {
  try {
    return readRegular(file).toString('latin1');
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error; // without a handle to read it by, a claim is not nobody's
  }
}
