import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import path from 'node:path';

/** Write, fsync, rename: a reader sees all of it or nothing, also after a power loss. */
export function writeDurably(file: string, content: string): void {
  const temporary = `${file}.${randomBytes(4).toString('hex')}.tmp`;
  const descriptor = openSync(temporary, 'wx');
  try {
    writeSync(descriptor, content);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, file);
  syncDirectory(path.dirname(file));
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

/** Makes a directory and those above it. @returns false where it was there already */
export function makeDirectory(directory: string): boolean {
  return mkdirSync(directory, { recursive: true }) !== undefined;
}

export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
