import { closeSync, readSync } from 'node:fs';
import { openRegular } from './own-file.js';

/** What of a line is kept; the rest is dropped, counted, and stays in the file. */
export const LINE_CAP_BYTES = 8_000_000;
const CHUNK_BYTES = 256 * 1024;

export interface LineFollower {
  /** Reads what has come, up to `maxBytes`. @returns bytes read; 0 at the end of the file as it is now */
  read(maxBytes: number): number;
  /** Gives out a last line that has no end. */
  finish(): void;
  close(): void;
  readonly bytesRead: number;
  readonly cutLines: number;
}

/**
 * Follows a growing file line by line. Splits on the byte 0x0A and decodes whole lines only, so that
 * a character cut in two by a read is never harmed; memory is bounded by the cap, whatever comes.
 * @param onLine called with each line without its end
 * @param start where to begin, in bytes
 */
export function followLines(
  file: string,
  onLine: (line: string) => void,
  { start = 0, capBytes = LINE_CAP_BYTES }: { start?: number; capBytes?: number } = {},
): LineFollower {
  const descriptor = openRegular(file);
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let position = start;
  let cutLines = 0;
  let parts: Buffer[] = []; // of a line that began in an earlier chunk
  let kept = 0;
  let dropping = false;

  const keep = (bytes: Buffer) => {
    const room = capBytes - kept;
    if (bytes.length > room && !dropping) {
      dropping = true;
      cutLines += 1;
    }
    if (room > 0 && bytes.length > 0) {
      parts.push(Buffer.from(bytes.subarray(0, room)));
      kept += Math.min(bytes.length, room);
    }
  };
  const emitKept = () => {
    const line = Buffer.concat(parts).toString('utf8');
    parts = [];
    kept = 0;
    dropping = false;
    onLine(line);
  };
  const split = (bytes: Buffer) => {
    let from = 0;
    for (;;) {
      const end = bytes.indexOf(0x0a, from);
      if (end === -1) break;
      if (parts.length === 0 && end - from <= capBytes) onLine(bytes.toString('utf8', from, end));
      else {
        keep(bytes.subarray(from, end));
        emitKept();
      }
      from = end + 1;
    }
    keep(bytes.subarray(from));
  };

  return {
    read(maxBytes) {
      let total = 0;
      while (total < maxBytes) {
        const count = readSync(
          descriptor,
          chunk,
          0,
          Math.min(CHUNK_BYTES, maxBytes - total),
          position,
        );
        if (count === 0) break;
        position += count;
        total += count;
        split(chunk.subarray(0, count));
      }
      return total;
    },
    finish() {
      if (parts.length > 0) emitKept();
    },
    close: () => closeSync(descriptor),
    get bytesRead() {
      return position - start;
    },
    get cutLines() {
      return cutLines;
    },
  };
}
