import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration, parseSize } from './units.js';

describe('a duration', () => {
  it.each([
    ['1ms', 1],
    ['90s', 90_000],
    ['20m', 1_200_000],
    ['1.5h', 5_400_000],
    ['2d', 172_800_000],
  ])('%s is %i milliseconds', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each([
    '',
    '20',
    'm',
    '20 m',
    '-1m',
    '+1m',
    '1e3s',
    '20min',
    '20M',
    ' 20m',
    '20m ',
    '0s',
    '0.0001ms',
    `${'9'.repeat(400)}d`,
    '1.m',
    '.5m',
    'Infinityh',
    '1h30m',
    '20constructor',
    '36501d', // no clock could say when it ends
  ])('"%s" is none', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it.each([
    [0, '0.0s'],
    [400, '0.4s'],
    [9_940, '9.9s'],
    [10_000, '10s'],
    [59_400, '59s'],
    [59_600, '1m 0s'],
    [65_000, '1m 5s'],
    [3_600_000, '1h 0m'],
    [90_000_000, '25h 0m'],
  ])('of %i milliseconds is shown as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('never shows sixty of anything', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), (ms) => !/\b60[ms]/.test(formatDuration(ms))),
    );
  });
});

describe('a size', () => {
  it.each([
    ['1B', 1],
    ['200MB', 200_000_000],
    ['1.5GB', 1_500_000_000],
    ['2KB', 2_000],
  ])('%s is %i bytes', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });

  it.each(['', '1', '1G', '1gb', '1GiB', '0B', '-1B', '1 GB'])('"%s" is none', (text) => {
    expect(parseSize(text)).toBeUndefined();
  });
});
