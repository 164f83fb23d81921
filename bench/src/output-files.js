import { closeSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';

/** @typedef {'kilobyte' | 'long' | 'text'} LineKind */

export const UNIT_BYTES = 50_000_000;
const LINE_BYTES = { kilobyte: 1_000, long: 100_000, text: 80 };

/**
 * A file of whole lines for an agent to print: cat is faster than any program that makes them up.
 * @param {string} directory
 * @param {LineKind} kind
 * @param {number} bytes
 * @returns {string} the file
 */
export function writeUnit(directory, kind, bytes = UNIT_BYTES) {
  const length = LINE_BYTES[kind];
  const start =
    kind === 'text' ? 'it reads a file and thinks about it, ' : '{"type":"assistant","text":"';
  const line = `${start.padEnd(length - 1, 'words and words ')}\n`;
  const block = Buffer.from(line.repeat(Math.max(1, Math.floor(1_000_000 / length))));
  const file = path.join(directory, `lines-${kind}`);
  const descriptor = openSync(file, 'w');
  for (let written = 0; written < bytes; written += block.length) writeSync(descriptor, block);
  closeSync(descriptor);
  return file;
}
