import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** A file that may grow, or not be there yet. */
export interface Tail {
  /** What came since the last time, as it is. */
  readBytes(take: (bytes: Uint8Array) => void): void;
  /** The whole lines that came since the last time. */
  readLines(take: (line: string) => void): void;
  /** What has come of a line that has no end, once no more of it is awaited. */
  readRest(take: (line: string) => void): void;
}

const CHUNK = 256 * 1024;

export function openTail(file: string): Tail {
  let offset = 0;
  let partial = Buffer.alloc(0);
  const readBytes = (take: (bytes: Buffer) => void) => {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isFile() !== true || found.size === offset) return; // an agent may have put a pipe there
    const { size } = found;
    if (size < offset) {
      offset = 0; // written anew, when an attempt was taken up after a crash
      partial = Buffer.alloc(0);
    }
    const descriptor = openSync(file, 'r');
    try {
      while (offset < size) {
        const bytes = Buffer.alloc(Math.min(CHUNK, size - offset));
        const read = readSync(descriptor, bytes, 0, bytes.length, offset);
        if (read === 0) break;
        offset += read;
        take(bytes.subarray(0, read));
      }
    } finally {
      closeSync(descriptor);
    }
  };
  return {
    readBytes,
    readLines(take) {
      readBytes((bytes) => {
        // Split on the byte, then decode: a character may lie across two reads.
        const whole = Buffer.concat([partial, bytes]);
        const end = whole.lastIndexOf(0x0a) + 1;
        partial = whole.subarray(end);
        for (const line of whole.subarray(0, end).toString('utf8').split('\n').slice(0, -1))
          take(line);
      });
    },
    readRest(take) {
      if (partial.length > 0) take(partial.toString('utf8'));
      partial = Buffer.alloc(0);
    },
  };
}
