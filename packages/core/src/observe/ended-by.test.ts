import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/temporary.js';
import { forgetEndedBy, markEndedBy, readEndedBy } from './ended-by.js';

describe('why an attempt was ended', () => {
  it('is known on the disk, until it is forgotten', () => {
    const directory = temporaryDirectory();
    expect(readEndedBy(directory)).toBeUndefined();
    forgetEndedBy(directory);
    for (const endedBy of ['idle', 'output', 'limit', 'finished'] as const) {
      markEndedBy(directory, endedBy);
      expect(readEndedBy(directory)).toBe(endedBy);
    }
    forgetEndedBy(directory);
    expect(readEndedBy(directory)).toBeUndefined();
  });

  it('is its time limit where its wrapper says so, and nobody ended it before', () => {
    const directory = temporaryDirectory();
    writeFileSync(path.join(directory, 'timed-out'), '');
    expect(readEndedBy(directory)).toBe('time');
    markEndedBy(directory, 'finished');
    expect(readEndedBy(directory)).toBe('finished');
  });

  it.each(['', 'stop', 'something else'])('is not believed where it says %j', (words) => {
    const directory = temporaryDirectory();
    writeFileSync(path.join(directory, 'ended-by'), words);
    expect(readEndedBy(directory)).toBeUndefined();
  });
});
