import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../../test/temporary.js';
import { type LineFollower, followLines } from './follow.js';

interface Followed {
  readonly file: string;
  readonly lines: string[];
  readonly follower: LineFollower;
  /** Appends and reads all of it. */
  write(content: string | Uint8Array): void;
}

function follow(
  content: string | Uint8Array = '',
  options?: Parameters<typeof followLines>[2],
): Followed {
  const file = path.join(temporaryDirectory(), 'stdout.log');
  writeFileSync(file, content);
  const lines: string[] = [];
  const follower = followLines(file, (line) => lines.push(line), options);
  onTestFinished(() => follower.close());
  const write = (more: string | Uint8Array) => {
    appendFileSync(file, more);
    while (follower.read(1e9) > 0);
  };
  write('');
  return { file, lines, follower, write };
}

describe('a file that is followed', () => {
  it('gives out each line once it is whole', () => {
    const { lines, write } = follow();
    write('one\ntw');
    expect(lines).toEqual(['one']);
    write('o');
    expect(lines).toEqual(['one']);
    write('\nthree\n');
    expect(lines).toEqual(['one', 'two', 'three']);
  });

  it('gives out empty lines, and leaves carriage returns where they are', () => {
    expect(follow('\n\na\r\n\n').lines).toEqual(['', '', 'a\r', '']);
  });

  it('gives out a last line without an end only when it is finished, and once', () => {
    const { lines, follower } = follow('one\nlast');
    expect(lines).toEqual(['one']);
    follower.finish();
    follower.finish();
    expect(lines).toEqual(['one', 'last']);
  });

  it('gives out nothing more where the last line has its end', () => {
    const { lines, follower } = follow('one\n');
    follower.finish();
    expect(lines).toEqual(['one']);
  });

  it('puts together a character that was written in parts', () => {
    const { lines, write } = follow();
    for (const byte of Buffer.from('a€😀ü\n')) write(Buffer.of(byte));
    expect(lines).toEqual(['a€😀ü']);
  });

  it('goes on after bytes that are no UTF-8', () => {
    expect(follow(Buffer.from([0x61, 0xff, 0xc3, 0x0a, 0x00, 0x0a, 0x62, 0x0a])).lines).toEqual([
      'a\ufffd\ufffd',
      '\0',
      'b',
    ]);
  });

  it('begins where it is told to', () => {
    const { lines, follower } = follow('one\ntwo\n', { start: 4 });
    expect(lines).toEqual(['two']);
    expect(follower.bytesRead).toBe(4);
  });

  it('reads no more than it is asked to, and says how much', () => {
    const { lines, follower, file } = follow();
    appendFileSync(file, 'one\ntwo\n');
    expect(follower.read(5)).toBe(5);
    expect(lines).toEqual(['one']);
    expect(follower.read(100)).toBe(3);
    expect(follower.read(100)).toBe(0);
    expect(follower.bytesRead).toBe(8);
  });

  it('keeps the beginning of a line above the cap, counts it, and goes on with the next', () => {
    const { lines, follower } = follow(
      `${'x'.repeat(25)}\nshort\n${'y'.repeat(10)}\n${'z'.repeat(11)}\n`,
      { capBytes: 10 },
    );
    expect(lines).toEqual(['x'.repeat(10), 'short', 'y'.repeat(10), 'z'.repeat(10)]);
    expect(follower.cutLines).toBe(2);
  });

  it('counts a line above the cap once, however it came, also the last', () => {
    const { lines, follower, write } = follow('', { capBytes: 4 });
    for (const part of ['ab', 'cd', 'ef', 'gh', '\n', 'ijklmnop', 'q']) write(part);
    follower.finish();
    expect(lines).toEqual(['abcd', 'ijkl']);
    expect(follower.cutLines).toBe(2);
  });

  it('holds a line of a hundred megabytes in no more than the cap', () => {
    const file = path.join(temporaryDirectory(), 'stdout.log');
    writeFileSync(file, '');
    truncateSync(file, 100_000_000); // zeros, without writing them
    appendFileSync(file, '\nnext\n');
    const lines: string[] = [];
    const follower = followLines(file, (line) => lines.push(line), { capBytes: 1_000 });
    while (follower.read(2_000_000) > 0);
    follower.close();
    expect(lines.map(({ length }) => length)).toEqual([1_000, 4]);
    expect(follower.bytesRead).toBe(100_000_006);
  });

  it('gives out the same lines as splitting the whole, however it is written and read', () => {
    const anyPart = fc.oneof(
      fc.uint8Array({ maxLength: 12 }),
      fc
        .string({ unit: 'grapheme', maxLength: 8 })
        .map((text) => new Uint8Array(Buffer.from(text))),
      fc.constantFrom('\n', '\n\n', '€\n').map((text) => new Uint8Array(Buffer.from(text))),
    );
    const file = path.join(temporaryDirectory(), 'stdout.log');
    fc.assert(
      fc.property(
        fc.array(anyPart, { maxLength: 12 }),
        fc.integer({ min: 1, max: 7 }),
        (parts, step) => {
          writeFileSync(file, '');
          const lines: string[] = [];
          const follower = followLines(file, (line) => lines.push(line));
          for (const part of parts) {
            appendFileSync(file, part);
            follower.read(step);
          }
          while (follower.read(step) > 0);
          follower.finish();
          follower.close();
          const expected = Buffer.concat(parts)
            .toString('latin1')
            .split('\n')
            .map((line) => Buffer.from(line, 'latin1').toString('utf8'));
          if (expected.at(-1) === '') expected.pop();
          expect(lines).toEqual(expected);
        },
      ),
      { numRuns: 200 },
    );
  });
});
