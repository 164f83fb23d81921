import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { identify } from './identity.js';
import { MARKER_VARIABLE, type ProcessTree, endTree, findTree, processTree } from './tree.js';

/** How a program that was watched ended. */
export interface WatchedEnd {
  /** How it ended by itself: `exit 0`, `SIGSEGV`, or why it could not be started. Undefined where it was ended. */
  readonly how: string | undefined;
  /** Processes that it left behind where it ended by itself; they are ended. */
  readonly left: number;
}

export interface WatchedOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What it prints, on either stream. */
  readonly onOutput: (text: string) => void;
  /** Asked ten times a second: is it to be ended? */
  readonly isOver: () => boolean;
}

const LOOK_MS = 100;
/** How long what was printed may take to arrive: a process that hides may hold the pipe. */
const DRAIN_MS = 1_000;

/**
 * Runs a program that may do anything, also turn in a circle for ever, and ends it with all that it started.
 * It is looked at again and again, so that what leaves its group and its environment is still known as its own.
 */
export async function runWatched(
  command: readonly string[],
  { isOver, ...options }: WatchedOptions,
): Promise<WatchedEnd> {
  const token = randomUUID();
  const child = start(command, token, options);
  const tree = processTree(child.pid === undefined ? undefined : identify(child.pid), token);
  const ended = endOf(child);
  const closed = new Promise((resolve) => child.once('close', resolve));
  let how: string | undefined;
  let left = 0;
  try {
    how = await watch(ended, tree, isOver);
  } finally {
    const { found } = await endTree(tree, { graceMs: how === undefined ? 1_000 : 200 });
    if (how !== undefined) left = found;
    await Promise.race([closed, delay(DRAIN_MS, undefined, { ref: false })]);
    for (const stream of [child.stdout, child.stderr]) stream.destroy();
  }
  return { how, left };
}

/** @returns how it ended by itself; undefined where it is over before */
async function watch(
  ended: Promise<string>,
  tree: ProcessTree,
  isOver: () => boolean,
): Promise<string | undefined> {
  for (;;) {
    findTree(tree);
    const how = await Promise.race([ended, delay<undefined>(LOOK_MS)]);
    if (how !== undefined || isOver()) return how;
  }
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

function start(
  [program = '', ...args]: readonly string[],
  token: string,
  { cwd, env, onOutput }: Omit<WatchedOptions, 'isOver'>,
): Child {
  const child = spawn(program, args, {
    cwd,
    env: { ...env, PWD: cwd, [MARKER_VARIABLE]: token },
    detached: true, // a group of its own: Ctrl-C in the terminal is for devflow
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', onOutput);
  return child;
}

/** On `exit`, never on `close`: a grandchild that holds the pipe keeps that from coming. */
function endOf(child: Child): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (status, signal) => resolve(signal ?? `exit ${status}`));
    child.once('error', ({ message }) => resolve(message));
  });
}

/** In a thread, which goes on while the program turns in a circle. */
const END_WITH_PARENT = `
const { workerData: parent } = require('node:worker_threads');
setInterval(() => { if (process.ppid !== parent) process.kill(-process.pid, 'SIGKILL'); }, 500);
`;

/**
 * Ends this process, the leader of its group, and the group when its parent is gone: nobody else would. Until
 * it exits, it does not end for want of work.
 */
export function endWithParent(): void {
  new Worker(END_WITH_PARENT, { eval: true, workerData: process.ppid }).ref();
}
