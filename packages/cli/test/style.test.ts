import { describe, expect, test } from 'vitest';
import { activities, activity } from '../src/reporters/lines.js';
import { placeDocuments } from '../src/text/hint.js';
import { compact } from '../src/text/spent.js';
import { block, fit, oneLine, reflow, wrap } from '../src/text/style.js';
import { elapsed, localTime } from '../src/text/time.js';

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

  test('of an agent that says more than its answer is the words, then the answer', () => {
    const event = { v: 1, kind: 'text', name: 'text', state: 'working', child: false } as const;
    const said = (text: string) =>
      activities({ ...event, summary: 'DEVFLOW_RESULT: {"cut…', text });
    const answer = '{"status":"success","summary":"it is there"}';
    expect(said(`All done.\n\nDEVFLOW_RESULT: ${answer}`)).toEqual([
      'All done.',
      'answers success: it is there',
    ]);
    expect(said(answer)).toEqual(['answers success: it is there']); // by a schema
    expect(said(`${'word '.repeat(100)}\nDEVFLOW_RESULT: {oops`)).toEqual([
      expect.stringMatching(/^word .{290,}…$/),
    ]);
  });

  test('of events that say nothing but their name is nothing', () => {
    const event = { v: 1, state: 'working', child: false } as const;
    for (const name of ['rate_limit_event', 'turn.started', 'step_start'])
      for (const kind of ['other', 'attention'] as const)
        expect(activities({ ...event, kind, name, summary: name })).toEqual([]);
    const thought = {
      ...event,
      kind: 'other',
      name: 'thinking',
      summary: 'Now the tests.',
    } as const;
    expect(activities(thought)).toEqual(['Now the tests.']);
    const tool = { ...event, kind: 'plan', name: 'TodoWrite', summary: 'TodoWrite' } as const;
    expect(activities(tool)).toEqual(['TodoWrite']);
  });

  test('is wrapped at spaces, and a long word stays whole', () => {
    expect(wrap('one two three', 8, '  ')).toBe('one\n  two\n  three');
    expect(wrap('a /very/long/path b', 6)).toBe('a\n/very/long/path\nb');
  });

  test('is not wrapped within a command', () => {
    expect(wrap('go on: `devflow resume it`, or not', 12)).toBe(
      'go on:\n`devflow resume it`,\nor not',
    );
    expect(wrap('one ` alone is a word', 8)).toBe('one `\nalone is\na word');
  });

  test('is folded where there is no terminal, and never cut', () => {
    const words = 'word '.repeat(60).trim();
    for (const folded of [
      wrap(words, Infinity, '  '),
      block(`${words}\n${words}`, Infinity, '  '),
    ]) {
      const lines = folded.split('\n');
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
      expect(lines.length).toBeGreaterThan(3);
    }
    expect(fit(words, Infinity)).toBe(words);
  });

  test('names documents by a path that can be opened, or else the help', () => {
    const hint = 'Correct it; docs/adapters.md says what an adapter is, docs/conformance.md more.';
    expect(placeDocuments(hint)).toMatch(
      /; \/\S+\/docs\/adapters\.md says .* \/\S+\/docs\/conformance\.md more\.$/,
    );
    expect(placeDocuments(hint, '/nowhere/')).toBe(
      'Correct it; `devflow adapters --help` says what an adapter is, `devflow conform adapter --help` more.',
    );
  });

  test('counts tokens in a few characters', () => {
    expect([0, 950, 1_000, 12_345, 99_960, 123_456, 999_499, 999_500, 1_234_567].map(compact)).toEqual([
      '0', '950', '1k', '12.3k', '100k', '123k', '999k', '1M', '1.2M',
    ]); // prettier-ignore
  });

  test('keeps its lines and columns where it is made narrower', () => {
    expect(block('one two\n  three four', 10, '  ')).toBe('one two\n  three\n  four');
    expect(reflow('  2    wrong usage\n  $ long command   what it does\n  $ short', 16)).toBe(
      '  2    wrong\n       usage\n  $ long command\n      what it\n      does\n  $ short',
    );
  });

  test('tells time in two units', () => {
    expect([40, 400, 999, 1_000, 12_000, 60_000, 185_000, 7_260_000, 200_000_000].map(elapsed)).toEqual([
      '<0.1s', '0.4s', '0.9s', '1s', '12s', '1m', '3m 5s', '2h 1m', '2d',
    ]); // prettier-ignore
  });

  test.each([
    ['UTC', '2026-11-30 14:28 UTC'],
    ['Europe/Berlin', '2026-11-30 15:28 UTC+1'],
    ['America/St_Johns', '2026-11-30 10:58 UTC-3:30'],
    ['Asia/Kolkata', '2026-11-30 19:58 UTC+5:30'],
  ])('tells an instant in %s with its zone', (zone, words) => {
    const before = process.env['TZ'];
    process.env['TZ'] = zone;
    try {
      expect(localTime('2026-11-30T14:28:00.000Z')).toBe(words);
    } finally {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    }
  });
});
