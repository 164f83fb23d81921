import { describe, expect, it } from 'vitest';
import {
  attempted,
  ended,
  entered,
  intended,
  journalOf,
  skipped,
  started,
} from '../../test/journal-of.js';
import { whatHappened } from './before.js';
import { fold } from '../state/fold.js';
import type { Outcome, RecordBody } from '../state/records.js';
import type { LoopName } from '../workflow/loop.js';

function told(...bodies: RecordBody[]): string {
  return toldTo('work', ...bodies);
}
function toldTo(mode: 'work' | 'review', ...bodies: RecordBody[]): string {
  const state = fold(journalOf(started, ...bodies));
  const visit = state.visits.at(-1);
  if (visit === undefined) throw new Error('no visit');
  return whatHappened(state, visit, mode === 'review').join('\n\n');
}
const result = (phase: number, attempt: number, outcome: Outcome, text: string): RecordBody[] => [
  intended(phase, attempt),
  ended(phase, outcome, attempt, { reasons: [{ evidence: 'checks', says: 'no', text }] }),
];
const back = (phase: number, loop: LoopName, because = 'phase 3 prove found gaps: it') =>
  entered(phase, { sentBackBy: 3, loop, because });
const coded = (attempt: number) => [entered(2), ...attempted(2, 'completed', attempt)];

describe('an attempt after one that stopped early', () => {
  it.each(['timed-out', 'crashed', 'incomplete'] as const)(
    'as %s goes on from what is there, but for a review: its checkout was thrown away',
    (outcome) => {
      const before = [entered(2), ...attempted(2, outcome)];
      expect(toldTo('work', ...before)).toContain('is still there: look at it');
      const review = toldTo('review', ...before);
      expect(review).toContain('stopped early. Nothing of what it did is left: begin anew.');
      expect(review).not.toMatch(/still there|[Cc]ommit/);
    },
  );
});

describe('an attempt after a way back', () => {
  it.each([
    ['onGaps', 'rejected', 'A later phase found gaps in this work and sent it back. Mend what'],
    [
      'onRejected',
      'rejected',
      'A later phase was not accepted, and so the run came back here. Mend',
    ],
    ['onFailed', 'crashed', 'stopped early, and so the run came back here: that does not say that'],
    [
      'onFailed',
      'failed',
      'could not do its part, and so the run came back here. Find out whether',
    ],
  ] as const)('by %s after %s is told whether the work was wrong', (loop, outcome, words) => {
    const text = told(...coded(1), entered(3), ...result(3, 1, outcome, 'why'), back(2, loop));
    expect(text).toContain(`## What was found\n\n`);
    expect(text).toContain(words);
    expect(text).toContain('\n- why');
    expect(text).not.toContain('attempt 1');
  });

  it('is told what earlier visits tried, and how each was found', () => {
    const round = (attempt: number) => [
      ...attempted(2, 'completed', attempt),
      entered(3),
      ...result(3, attempt, 'rejected', `finding ${attempt}`),
    ];
    const rounds = [1, 2, 3].flatMap((attempt) => [
      attempt === 1 ? entered(2) : back(2, 'onGaps', `prove found gaps:\n finding ${attempt - 1}`),
      ...round(attempt),
    ]);
    const text = told(...rounds, back(2, 'onGaps', 'prove found gaps: finding 3'));
    expect(text).toMatch(/## What was found[^#]*- finding 3/);
    expect(text).toContain(
      [
        '## What was tried before\n',
        '- attempt 1, completed: then prove found gaps: finding 1',
        '- attempt 2, completed: then prove found gaps: finding 2\n',
        'Do not repeat what did not work.',
      ].join('\n'),
    );
    const later = told(
      ...rounds,
      back(2, 'onGaps', 'prove found gaps: finding 3'),
      ...result(2, 4, 'failed', 'exit 1'),
    );
    expect(later).toMatch(
      /- exit 1\n\nThat was attempt 4; before it:\n\n- attempt 1, .*\n- attempt 2, .*\n\nDo not repeat/,
    );
  });

  it('is told the latest of what was tried, where there is too much', () => {
    const rounds = [1, 2, 3, 4, 5, 6, 7].flatMap((attempt) => [
      entered(2, attempt === 1 ? {} : { sentBackBy: 2, loop: 'onRejected' }),
      ...result(2, attempt, 'rejected', `no ${attempt}`),
    ]);
    const text = told(...rounds, entered(2, { sentBackBy: 2, loop: 'onRejected' }));
    expect(text.match(/^- attempt \d+, rejected: no \d+/gm)).toEqual(
      [3, 4, 5, 6].map((number) => `- attempt ${number}, rejected: no ${number}`),
    );
    expect(text).toContain('## What happened before');
    expect(text).toContain('\n- no 7\n');
    expect(text).not.toContain('What was found');
  });

  it('of a phase that goes back to itself has what was wrong also after one that stopped early', () => {
    const text = told(
      entered(2),
      ...result(2, 1, 'rejected', 'check "it" failed'),
      entered(2, { sentBackBy: 2, loop: 'onRejected' }),
      ...result(2, 2, 'crashed', 'exit 137'),
    );
    expect(text).toContain('This phase was not accepted, and so the run came back here.');
    expect(text.match(/check "it" failed/g)).toHaveLength(1);
    expect(text).toMatch(/## What happened before[^#]*stopped early[^#]*- exit 137/);
  });

  it('is told what was found where the phase that it leads to was skipped', () => {
    const found = [entered(3), ...result(3, 1, 'rejected', 'why')];
    const skip = skipped(1, { sentBackBy: 3, loop: 'onGaps' });
    expect(told(...coded(1), ...found, skip, entered(2))).toMatch(/## What was found[^#]*- why/);
    const since = [entered(1, { sentBackBy: 3, loop: 'onGaps' }), ...attempted(1, 'completed', 2)];
    const between = told(...coded(1), ...found, ...since, entered(2));
    expect(between).not.toContain('What was found');
    expect(between).toContain('- attempt 1, completed: then it is next');
  });

  it('does not take for a mistake what a phase found in the work of another', () => {
    const again = (loop: LoopName) => [back(2, loop), ...attempted(2, 'completed', 2), entered(3)];
    const gaps = [...coded(1), entered(3), ...attempted(3, 'rejected')];
    expect(told(...gaps, ...again('onGaps'))).toBe('');
    expect(told(...gaps, ...again('onRejected'))).toBe('');
    for (const [outcome, loop] of [
      ['failed', 'onFailed'],
      ['rejected', 'onRejected'],
    ] as const) {
      const tried = [...coded(1), entered(3), ...result(3, 1, outcome, 'why')];
      expect(told(...tried, ...again(loop))).toContain(`- attempt 1, ${outcome}: why`);
    }
  });
});
