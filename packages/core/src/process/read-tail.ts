import { closeSync, fstatSync, readSync } from 'node:fs';
import { openRegular } from './own-file.js';

/**
 * The last whole lines of a file, up to a number of bytes; a line that alone is longer gives its end.
 * Costs the same for a file of any size.
 */
export function readTail(file: string, maxBytes: number): string {
  const descriptor = openRegular(file);
  try {
    const { size } = fstatSync(descriptor);
    const length = Math.min(size, maxBytes);
    const bytes = Buffer.alloc(length);
    const count = readSync(descriptor, bytes, 0, length, size - length);
    const first = bytes.indexOf(0x0a);
    // A line that fills it all has nothing before its end.
    const from = length < size && first < count - 1 ? first + 1 : 0;
    return bytes.toString('utf8', from, count);
  } finally {
    closeSync(descriptor);
  }
}
