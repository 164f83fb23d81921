import { spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/**
 * A place of its own for a case: a directory, an environment with an empty HOME, and the processes
 * that were started in it.
 * @typedef {object} World
 * @property {string} directory
 * @property {NodeJS.ProcessEnv} env
 * @property {(program: string, args: readonly string[], options?: import('node:child_process').SpawnOptions) => import('node:child_process').ChildProcess} start
 * @property {() => Promise<void>} end
 */

const MEMORY = '/dev/shm';

/** Where repositories go: in memory where the system has a file system for that, so that no disk is measured. */
export function placeForRepositories() {
  try {
    accessSync(MEMORY, constants.W_OK);
    return { directory: MEMORY, inMemory: true };
  } catch {
    return { directory: os.tmpdir(), inMemory: false };
  }
}

/** @type {Set<World>} */
const open = new Set();

/** @returns {World} */
export function openWorld() {
  const directory = mkdtempSync(path.join(placeForRepositories().directory, 'devflow-bench-'));
  const home = path.join(directory, 'home');
  mkdirSync(home);
  const env = cleanEnvironment(home);
  /** @type {Set<import('node:child_process').ChildProcess>} */
  const children = new Set();
  const world = {
    directory,
    env,
    /** @type {World['start']} */
    start(program, args, options = {}) {
      // A group of its own: what it started can be ended with it, and Ctrl-C comes to the bench alone.
      const child = spawn(program, args, { env, cwd: directory, detached: true, ...options });
      children.add(child);
      child.once('exit', () => children.delete(child));
      return child;
    },
    async end() {
      open.delete(world);
      await Promise.all([...children].map(endChild));
      rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
  open.add(world);
  return world;
}

/** For an end in between: nothing is left behind. */
export async function endAllWorlds() {
  await Promise.all([...open].map((world) => world.end()));
}

const END_LIMIT_MS = 10_000;

/**
 * A worker stops its runs, and with them their agents, when its channel is closed; a program is ended
 * with its group.
 * @param {import('node:child_process').ChildProcess} child
 */
async function endChild(child) {
  const exited = new Promise((resolve) => child.once('exit', resolve));
  if (child.connected) child.disconnect();
  else if (child.pid !== undefined) process.kill(-child.pid);
  const timer = setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS);
  await exited;
  clearTimeout(timer);
}

/**
 * Nothing of the caller's but the PATH: no git variables, and no NODE_EXTRA_CA_CERTS, with which
 * Node.js 20 starts so much slower that ratios of start-up times look too good.
 * @param {string} home
 * @returns {Record<string, string>}
 */
function cleanEnvironment(home) {
  const directories = (process.env['PATH'] ?? '').split(path.delimiter);
  const own = directories.filter((directory) => !directory.includes('node_modules'));
  return { PATH: own.join(path.delimiter), HOME: home, LANG: 'C.UTF-8' };
}
