import type { GateFacts } from '@devflow/core';
import { describe, expect, it } from 'vitest';
import { askFor } from './question.js';

const facts = {
  gate: { kind: 'after' },
  waysBack: ['plan', 'code'],
  attempts: [{ phase: 1, directory: '/runs/01-plan/1' }, { phase: 2, directory: '/runs/02-code/1' }],
} as unknown as GateFacts; // prettier-ignore

/** What comes of these lines, and what was asked; the input ends after them. */
async function answered(...lines: string[]) {
  const asked: string[] = [];
  const word = await askFor(facts, (question) => {
    asked.push(question);
    return Promise.resolve(lines.shift());
  });
  return { word, asked };
}

const ARROW = '\u001B[A';

describe('an answer to the question at a gate', () => {
  it.each([
    ['', undefined],
    [ARROW, undefined],
    ['\u200B\u202E ', undefined],
    ['well done', 'well done'],
  ])('has a note where one was said: %j', async (typed, note) => {
    const { word } = await answered('a', typed);
    expect(word).toEqual({ decision: 'approve', ...(note !== undefined && { note }) });
  });

  it('is no rejection without a word on what is to be mended: it is asked anew', async () => {
    const { word, asked } = await answered('r', ARROW, 'l');
    expect(word).toBeUndefined();
    expect(asked).toEqual([
      expect.stringContaining('[r]eject'),
      'what is to be mended: ',
      expect.stringContaining('[r]eject'),
    ]);
  });

  it.each([
    ['', undefined],
    ['plan', 'plan'],
    ['1', 'plan'],
    [' 2 ', 'code'],
  ])('goes back to a phase by its name or number: %j', async (typed, goto) => {
    const { word } = await answered('r', 'the tests', typed);
    expect(word).toEqual({
      decision: 'reject',
      note: 'the tests',
      ...(goto !== undefined && { goto }),
    });
  });

  it.each(['3', 'ship', '1 plan'])(
    'goes back to no other phase, and is asked anew: %j',
    async (typed) => {
      const { word, asked } = await answered('r', 'the tests', typed);
      expect(word).toBeUndefined();
      expect(asked).toHaveLength(4);
    },
  );
});
