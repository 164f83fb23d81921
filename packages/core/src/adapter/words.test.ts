import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut } from './words.js';

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
