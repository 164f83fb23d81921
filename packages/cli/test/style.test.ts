import { describe, expect, test } from 'vitest';
import { activity } from '../src/reporters/lines.js';
import { block, fit, oneLine, reflow, wrap } from '../src/text/style.js';
import { elapsed } from '../src/text/time.js';

describe('text for people', () => {
  test('fits into its columns, wide characters counted twice, and says that it was cut', () => {
    expect(fit('short', 5)).toBe('short');
    expect(fit('too long', 5)).toBe('too…');
    expect(fit('日本語の旗', 10)).toBe('日本語の旗');
    expect(fit('日本語の旗', 6)).toBe('日本…');
  });

  test('has no control characters and no line breaks', () => {
    expect(oneLine('a\u001B[31mb\u001B[0m\r\n\tc \u001B]0;title\u0007d\u0000')).toBe('a b c d');
  });

  test('of an agent cannot steer the terminal, and its answer is told in words', () => {
    const event = { v: 1, kind: 'text', name: 'stdout', state: 'working', child: false } as const;
    expect(activity({ ...event, summary: '\u001B[2J\u001B[31mhot\u001B[0m' })).toBe('hot');
    const answer = 'DEVFLOW_RESULT: {"status":"success","verdict":"gaps","reason":"a hole"}';
    expect(activity({ ...event, summary: answer })).toBe('answers success, gaps: a hole');
    const quoted = String.raw`DEVFLOW_RESULT: {"status":"failed","reason":"said \"no\"\nand `;
    expect(activity({ ...event, summary: `${quoted}left"}` })).toBe(
      'answers failed: said "no" and left',
    );
    expect(activity({ ...event, summary: `${quoted}le…` })).toBe(
      'answers failed: said "no" and le…',
    );
    for (const none of ['DEVFLOW_RESULT: {"status":"<success|failed>"}', 'DEVFLOW_RESULT: {oops'])
      expect(activity({ ...event, summary: none })).toBe(none);
    expect(activity({ ...event, kind: 'usage', summary: '12 tokens' })).toBeUndefined();
  });

  test('is wrapped at spaces, and a long word stays whole', () => {
    expect(wrap('one two three', 8, '  ')).toBe('one\n  two\n  three');
    expect(wrap('a /very/long/path b', 6)).toBe('a\n/very/long/path\nb');
  });

  test('keeps its lines and columns where it is made narrower', () => {
    expect(block('one two\n  three four', 10, '  ')).toBe('one two\n  three\n  four');
    expect(reflow('  2    wrong usage\n  $ long command   what it does\n  $ short', 16)).toBe(
      '  2    wrong\n       usage\n  $ long command\n      what it\n      does\n  $ short',
    );
  });

  test('tells time in two units', () => {
    expect([400, 12_000, 60_000, 185_000, 7_260_000, 200_000_000].map(elapsed)).toEqual([
      '0.4s', '12s', '1m', '3m 5s', '2h 1m', '2d',
    ]); // prettier-ignore
  });
});
