import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { codeOf } from './system-error.js';

/** An agent that can write beside what devflow keeps has put something else in the place of a file. */
export class NoRegularFile extends Error {
  readonly code = 'NO_REGULAR_FILE';

  constructor(readonly path: string) {
    super(`${path} is no regular file`);
  }
}

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
/** What `open` says of a pipe that nobody reads or of a socket, of a link, of a directory to write to. */
const IRREGULAR = new Set(['ENXIO', 'ELOOP', 'EISDIR']);

/**
 * Opens a file of devflow's own. Never waits for the other end of a pipe, and follows no link to a file of the user's.
 * @param flags of `open`, such as `O_WRONLY | O_CREAT`
 * @throws NoRegularFile
 */
export function openRegular(file: string, flags = O_RDONLY, mode = 0o666): number {
  return openFile(file, flags | O_NOFOLLOW, mode);
}

/** Reads a file whole. One that is reached by a link is as good. @throws NoRegularFile */
export function readRegular(file: string): Buffer {
  const descriptor = openFile(file, O_RDONLY, 0);
  try {
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function openFile(file: string, flags: number, mode: number): number {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, flags | O_NONBLOCK, mode);
    if (fstatSync(descriptor).isFile()) return descriptor;
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor);
    throw IRREGULAR.has(codeOf(error)) ? new NoRegularFile(file) : error;
  }
  closeSync(descriptor);
  throw new NoRegularFile(file);
}

/** Is something else there? A file that is not there is for others to miss. */
export function isIrregular(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === false;
}

/** @throws NoRegularFile */
export function requireRegular(file: string): void {
  if (isIrregular(file)) throw new NoRegularFile(file);
}
