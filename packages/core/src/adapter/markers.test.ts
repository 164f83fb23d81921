import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answer } from './answer.js';
import { readMarker, readMarkers } from './markers.js';

const answer = (line: string) => readMarker(line)?.answer;
const passed: Answer = { status: 'success', verdict: 'pass', summary: 'approve' };

describe('a marker', () => {
  it.each<[string, Answer]>([
    ['NOT READY: no database', { status: 'declined', reason: 'no database' }],
    ['NOT READY:', { status: 'declined' }],
    ['NOT READY: Foo<Bar> is missing', { status: 'declined', reason: 'Foo<Bar> is missing' }],
    [
      'RELEVANCE REVIEW: still relevant',
      { status: 'success', verdict: 'pass', summary: 'still relevant' },
    ],
    [
      'RELEVANCE REVIEW: partly done - the flag is there',
      { status: 'success', verdict: 'gaps', summary: 'partly done: the flag is there' },
    ],
    [
      'RELEVANCE REVIEW: already done (in abc123)',
      { status: 'declined', reason: 'already done: in abc123' },
    ],
    ['RELEVANCE REVIEW: needs rewrite', { status: 'declined', reason: 'needs rewrite' }],
    ['PR REVIEW: approve', passed],
    [
      'PR REVIEW: request changes — no tests',
      { status: 'success', verdict: 'gaps', reason: 'request changes: no tests' },
    ],
    ['ADDRESSED: the names', { status: 'success', summary: 'the names' }],
    ['ADDRESSED: nothing.', { status: 'declined', reason: 'nothing was addressed' }],
  ])('says what it says: %s', (line, expected) => {
    expect(answer(line)).toEqual(expected);
  });

  it.each([
    '**PR REVIEW: approve**',
    '**PR REVIEW:** approve',
    '**PR REVIEW**: approve',
    '`PR REVIEW: approve`',
    'PR REVIEW: `approve`',
    'PR REVIEW: **Approve**',
    '> PR REVIEW: approve.',
    '  _PR REVIEW:_ APPROVE\r',
    '* PR REVIEW: approve',
    'PR REVIEW:approve',
  ])('may be decorated: %s', (line) => {
    expect(answer(line)).toEqual(passed);
  });

  it.each([
    'NOT READY no database',
    'NOT READY - no database',
    '**NOT READY** — no database',
    '- NOT READY: no database',
    '+ **NOT READY:** no database',
    '* **NOT READY: no database**',
    '12) NOT READY: no database',
    '- [x] NOT READY: no database',
    '### NOT READY: no database',
    '> # NOT READY: no database',
    '❌ NOT READY: no database',
    'NOT_READY: no database',
    'Not ready: no database',
  ])('that begins like a refusal is one, and outweighs a yes: %s', (line) => {
    expect(answer(line)).toEqual({ status: 'declined', reason: 'no database' });
    for (const yes of ['PR REVIEW: approve', 'ADDRESSED: all'])
      expect(readMarkers([line, yes]).answer?.status).toBe('declined');
  });

  it.each(['NOT READY', '**NOT READY**', '# NOT READY', 'NOT READY.', '- NOT READY!'])(
    'may refuse without a reason: %s',
    (line) => {
      expect(answer(line)).toEqual({ status: 'declined' });
    },
  );

  it.each([
    'nothing at all',
    '**nothing** at all',
    'None of the comments',
    '"nothing"',
    'N/A - all done',
  ])('that has addressed %s is no success', (words) => {
    expect(answer(`ADDRESSED: ${words}`)?.status).toBe('declined');
  });

  it.each(['#12, #13', '5 of 5', 'nothingness in the names', 'the notes'])(
    'that has addressed %s is one',
    (words) => {
      expect(answer(`ADDRESSED: ${words}`)).toEqual({ status: 'success', summary: words });
    },
  );

  it('keeps the decoration of words that are its own', () => {
    expect(answer('ADDRESSED: `a` and `b`')?.summary).toBe('`a` and `b`');
    expect(answer('**ADDRESSED:** renamed `a`')?.summary).toBe('renamed `a`');
    expect(answer('**ADDRESSED: renamed `a`**')?.summary).toBe('renamed `a`');
  });

  it.each([
    'NOT READY: <reason>',
    '`NOT READY: <reason>`',
    '- NOT READY: <reason>',
    'NOT READY - <reason>',
    '"NOT READY: <reason>"',
    '<NOT READY: reason>',
    '- PR REVIEW: <approve>',
    'ADDRESSED: <comment 1>, <comment 2>',
    'RELEVANCE REVIEW: <still relevant> | <needs rewrite>',
    'PR REVIEW: <approve or request changes>',
  ])('that is a template is none: %s', (line) => {
    expect(readMarker(line)).toBeUndefined();
  });

  it.each([
    'I say PR REVIEW: approve',
    'pr review: approve',
    'PR REVIEWS: approve',
    '## PR REVIEW',
    '**ADDRESSED**',
    'Addressed: all',
    'Not ready for everything, but for this',
    'It is NOT READY: no',
    'NOT READYING: x',
  ])('is none with other words: %s', (line) => {
    expect(readMarker(line)).toBeUndefined();
  });

  it.each([
    'PR REVIEW: approve, once the tests pass',
    'PR REVIEW: approve | request changes',
    'PR REVIEW: approved',
    'PR REVIEW: do not approve',
    'PR REVIEW: approve-ish',
    'PR REVIEW:',
    'RELEVANCE REVIEW: still relevant | partly done | already done | needs rewrite',
    'RELEVANCE REVIEW: relevant',
    'ADDRESSED:',
    'ADDRESSED: -',
    'ADDRESSED: 0 of 5',
    'ADDRESSED: no comments',
    '- PR REVIEW: approve',
    '1. RELEVANCE REVIEW: already done',
    '# ADDRESSED: all',
    '❌ PR REVIEW: request changes',
    'PR REVIEW approve',
    'PR REVIEW - request changes',
    'PR_REVIEW: approve',
  ])('whose value is not known cannot be read: %s', (line) => {
    expect(readMarker(line)).toMatchObject({ answer: undefined });
    expect(readMarkers([line, 'PR REVIEW: approve'])).toEqual({ unreadable: line });
  });

  it('of megabytes takes no time', () => {
    const start = performance.now();
    const many = (text: string) => text.repeat(1e6);
    for (const long of [
      `${many('*')}PR REVIEW: approve${many('*')}`,
      `PR REVIEW: ${many('*')}x${many('*')}x`,
      `PR REVIEW: approve${many(' ')}x`,
      `PR REVIEW${many(' ')}approve`,
      `${many('_.')}x`,
      `${many('* ')}PR REVIEW`,
      `NOT${many(' ')}READ`,
      `ADDRESSED: ${many('-')}`,
      `NOT READY: ${many('<')}`,
      `NOT READY: ${many('<a> ')}x`,
    ])
      readMarker(long);
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});

/** Lines, from what says least for a good end: unreadable, declined, gaps, pass, no verdict, no marker. */
const RANKED: Readonly<Record<string, number>> = {
  'PR REVIEW: maybe': 0,
  'NOT READY: no database': 1,
  'RELEVANCE REVIEW: already done': 1,
  'RELEVANCE REVIEW: needs rewrite': 1,
  'ADDRESSED: nothing': 1,
  '- PR REVIEW: request changes': 0,
  '- NOT READY: no files': 1,
  'NOT READY': 1,
  'RELEVANCE REVIEW: partly done': 2,
  'PR REVIEW: request changes': 2,
  'RELEVANCE REVIEW: still relevant': 3,
  'PR REVIEW: approve': 3,
  'ADDRESSED: all of it': 4,
  'Goodbye.': 5,
};
const WORDS = Object.keys(RANKED);

function rank({ answer: found, unreadable }: ReturnType<typeof readMarkers>): number {
  if (unreadable !== undefined) return 0;
  if (found === undefined) return 5;
  if (found.status !== 'success') return 1;
  return { gaps: 2, pass: 3, none: 4 }[found.verdict ?? 'none'];
}

describe('several markers', () => {
  it('come to the worse one, in any order, and one more never makes it better', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(WORDS, { minLength: 1 }), (lines) => {
        const together = rank(readMarkers(lines));
        expect(together).toBe(Math.min(...lines.map((line) => RANKED[line] ?? 5)));
        expect(rank(readMarkers(lines.toReversed()))).toBe(together);
      }),
    );
  });

  it('keep what was addressed beside what a review says', () => {
    expect(readMarkers(['ADDRESSED: the names', 'PR REVIEW: approve']).answer).toEqual({
      status: 'success',
      verdict: 'pass',
      summary: 'the names',
    });
    expect(readMarkers(['NOT READY: no database', 'ADDRESSED: the names']).answer).toEqual({
      status: 'declined',
      reason: 'no database',
      summary: 'the names',
    });
  });

  it('say no good end that is not written there, whatever the text is', () => {
    const line = fc.oneof(
      fc.string({ unit: fc.constantFrom(...WORDS.join('').split(''), '*', '`', '<', '>', '\n') }),
      fc
        .tuple(
          fc.constantFrom('NOT READY', 'RELEVANCE REVIEW', 'PR REVIEW', 'ADDRESSED'),
          fc.string(),
        )
        .map(([name, value]) => `${name}: ${value}`),
      fc.constantFrom(...WORDS),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 4 }), (lines) => {
        const { answer: found } = readMarkers(lines);
        const text = lines.join('\n').toLowerCase();
        const isNotReady = text.includes('not ready: no database');
        const says = (pattern: RegExp) => pattern.test(text) && !isNotReady;
        return (
          (found?.verdict !== 'pass' || says(/approve|still relevant/)) &&
          (found?.status !== 'success' || says(/addressed:|pr review:|relevance review:/))
        );
      }),
    );
  });
});
