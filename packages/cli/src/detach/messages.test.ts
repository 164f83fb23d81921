import { describe, expect, test } from 'vitest';
import type { RunEvent } from '@devflow/core';
import { DevflowError } from '@devflow/core/errors';
import { asError, isUnderWay, toldError } from './messages.js';

const at = { v: 1, at: '2030-01-01T00:00:00.000Z', run: 'it' } as const;
const waiting = { ...at, type: 'run-waiting', reason: 'a limit' } as const;

describe('a run is under way', () => {
  const begun: [where: string, event: RunEvent][] = [
    ['it gets its worktree', { ...at, type: 'worktree-adding', directory: '/w' }],
    [
      'an attempt begins or is followed',
      {
        ...at,
        type: 'attempt-started',
        phase: 1,
        attempt: 1,
        agent: 'a',
        directory: '/a',
        adopted: true,
      },
    ],
    ['it stays where it waits', { ...waiting, for: 'gate', stays: true }],
  ];
  test.each(begun)('once %s', (_, event) => expect(isUnderWay(event)).toBe(true));

  const before: [where: string, event: RunEvent][] = [
    ['it is announced', { ...at, type: 'note', text: 'x' }],
    ['its preflight is done', { ...at, type: 'preflight', phase: 1, problems: [], notes: [] }],
    ['it waits, and nobody stays', { ...waiting, for: 'preflight', stays: false }],
    ['it has ended', { ...at, type: 'run-ended', state: 'stopped', reason: 'x' }],
  ];
  test.each(before)('not where %s', (_, event) => expect(isUnderWay(event)).toBe(false));
});

describe('an error from one process to another', () => {
  const sent = (error: unknown) =>
    asError(JSON.parse(JSON.stringify(toldError(error))) as ReturnType<typeof toldError>);

  test('keeps its code, its words, its problems and what to do', () => {
    const error = new DevflowError('RUN_EXISTS', 'it exists', { hint: 'do this', problems: ['a'] });
    expect(sent(error)).toBeInstanceOf(DevflowError);
    expect(sent(error)).toMatchObject({
      code: 'RUN_EXISTS',
      message: 'it exists',
      hint: 'do this',
      problems: ['a'],
    });
  });

  test('of devflow itself keeps the place where it came from', () => {
    const error = new TypeError('broken');
    expect(sent(error).stack).toBe(error.stack);
    expect(sent('a word').message).toBe('a word');
  });
});
