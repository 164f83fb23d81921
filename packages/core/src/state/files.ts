import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { readRegular } from '../process/own-file.js';
import { codeOf, isGone } from '../process/system-error.js';
import { asStateFault } from './fault.js';

/** Write, fsync, rename: a reader sees all of it or nothing, also after a power loss. */
export function writeDurably(file: string, content: string): void {
  const temporary = `${file}.${crypto.randomUUID()}.tmp`;
  const descriptor = openSync(temporary, 'wx');
  try {
    writeFileSync(descriptor, content); // not writeSync: on a disk that fills up that writes a part and is content
    fsyncSync(descriptor);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
  syncDirectory(path.dirname(file));
}

/** What {@link writeDurably} leaves where it is killed: to be removed by whoever alone writes there. */
export function halfWritten(directory: string): string[] {
  try {
    const names = readdirSync(directory).filter((name) => /\.[0-9a-f-]{36}\.tmp$/.test(name));
    return names.map((name) => path.join(directory, name));
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

/** Makes what was created or renamed in a directory last. */
export function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes a directory and those above it. @returns false where it was there already @throws DevflowError STATE_UNWRITABLE */
export function makeDirectory(directory: string): boolean {
  try {
    return mkdirSync(directory, { recursive: true }) !== undefined;
  } catch (error) {
    throw asStateFault(codeOf(error) === 'ENOENT' ? ownWords(directory, error) : error);
  }
}

/** Node.js says of a disk that is read-only, when it makes more than one directory, that something is not there. */
function ownWords(directory: string, said: unknown): unknown {
  try {
    mkdirSync(directory);
    return said;
  } catch (error) {
    const above = path.dirname(directory);
    return codeOf(error) === 'ENOENT' && above !== directory ? ownWords(above, error) : error;
  }
}

/** Makes a directory in one that must be there: what somebody removed is not made anew. Fine where it is there already. */
export function makeWithin(directory: string): void {
  try {
    mkdirSync(directory);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** Removes a directory, unless something is in it or it is not there. */
export function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // somebody needs it, or has removed it: both are fine
  }
}

export function readIfThere(file: string): string | undefined {
  return readBytesIfThere(file)?.toString('utf8');
}

export function readBytesIfThere(file: string): Buffer | undefined {
  try {
    return readRegular(file);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}
