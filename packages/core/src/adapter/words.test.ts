import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandKind, cut, oneLine } from './words.js';

describe('a text that is cut', () => {
  it('stays as it is where it is short enough', () => {
    expect(cut('abc', 3)).toBe('abc');
    expect(cut('abcd', 3)).toBe('ab…');
  });

  it('is never longer than asked, begins like the whole, and splits no character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 2, max: 20 }),
        (text, characters) => {
          const short = cut(text, characters);
          expect(short.length).toBeLessThanOrEqual(characters);
          expect(text.startsWith(short.replace(/…$/, ''))).toBe(true);
          expect(Buffer.from(short).toString()).toBe(short);
        },
      ),
    );
  });
});

describe('words as one line', () => {
  it('have single spaces, and no end at either side', () => {
    expect(oneLine('\r\n one\n\n two\t\u2028three  ')).toBe('one two three');
    expect(oneLine(' \n ')).toBe('');
  });

  it('are never longer than 300, hold no line break and no half character', () => {
    const word = fc.oneof(fc.constantFrom(' ', '\n', '\u{1F600}', 'a'), fc.string());
    fc.assert(
      fc.property(fc.array(word, { maxLength: 1200, size: 'max' }), (words) => {
        const line = oneLine(words.join(''));
        expect(line.length).toBeLessThanOrEqual(300);
        expect(line).not.toMatch(/[\n\r\u2028\u2029]/);
      }),
      { numRuns: 50 },
    );
    // Where it looks no further, nothing may be halved either.
    const spaced = `a${' '.repeat(998)}\u{1F600} b`;
    expect(Buffer.from(oneLine(spaced)).toString()).toBe(oneLine(spaced));
  });

  it('begin with what is said, however far down it stands', () => {
    expect(oneLine(`${'\n'.repeat(5000)}said`)).toBe('said');
  });

  it('say that there was more', () => {
    expect(oneLine(`a${' '.repeat(2000)}b`)).toBe('a …');
    expect(oneLine('a'.repeat(301))).toBe(`${'a'.repeat(299)}…`);
  });
});

describe('what a command does', () => {
  it.each([
    ['npm test', 'test'],
    ['cd app && pnpm run test -- --watch=false', 'test'],
    ['npx vitest run', 'test'],
    ['go test ./...', 'test'],
    ['make check', 'test'],
    ['git commit -m "add a test"', 'git'],
    ['cd /app && git status', 'git'],
    ['echo git status', 'command'],
    ['digit', 'command'],
    ['ls latest', 'command'],
    ['', 'command'],
  ])('%s', (command, kind) => {
    expect(commandKind(command)).toBe(kind);
  });

  it('is found in time, however long it is', () => {
    const started = process.cpuUsage();
    commandKind('cd '.repeat(1_000_000));
    commandKind(`cd ${'a'.repeat(3_000_000)} && `);
    expect(process.cpuUsage(started).user).toBeLessThan(1_000_000);
  });
});
