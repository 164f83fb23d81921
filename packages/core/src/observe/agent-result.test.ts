import { describe, expect, it } from 'vitest';
import { readResult } from './agent-result.js';

describe('what an adapter says of a turn', () => {
  it('is taken as it is where it is as the contract has it', () => {
    const result = {
      turn: 'failed',
      finalText: 'words',
      sessionId: 's-1',
      usage: { inputTokens: 5, outputTokens: 0 },
      sessionUsage: { inputTokens: 9 },
      costUsd: 0,
      structuredOutput: { any: ['thing'] },
      failure: {
        kind: 'rate-limited',
        message: 'slow down',
        resetsAt: new Date(Date.now() + 60_000).toISOString(),
      },
      denials: ['Write'],
    };
    expect(readResult(result)).toEqual(result);
  });

  it.each([undefined, null, 'finished', 1, []])('that is %o is an open turn', (given) => {
    expect(readResult(given)).toEqual({ turn: 'open' });
  });

  it.each([undefined, 'Finished', 'done', true])('has no end where its turn is %o', (turn) => {
    expect(readResult({ turn, finalText: 'words' })).toEqual({ turn: 'open', finalText: 'words' });
  });

  it('has no figures that cannot be: unknown is not zero', () => {
    const usage = { inputTokens: NaN, outputTokens: -5, cacheReadTokens: 1.5, cacheWriteTokens: 3 };
    expect(readResult({ turn: 'finished', usage, costUsd: -3 })).toEqual({
      turn: 'finished',
      usage: { cacheWriteTokens: 3 },
    });
    expect(readResult({ turn: 'finished', usage: 'many', costUsd: '1.5' })).toEqual({
      turn: 'finished',
    });
  });

  it('is a plain failure where its kind is not known, and never none', () => {
    const failure = { kind: 'quota', message: 'used up' };
    expect(readResult({ turn: 'failed', failure }).failure).toEqual({ ...failure, kind: 'failed' });
    expect(readResult({ turn: 'finished', failure: 'broken' }).failure?.kind).toBe('failed');
  });

  it.each(['tomorrow', '+058884-05-22T00:00:00.000Z', '2001-05-01T00:00:00.000Z', 17])(
    'has no reset at %o',
    (resetsAt) => {
      const failure = { kind: 'rate-limited', message: 'm', resetsAt };
      expect(readResult({ turn: 'failed', failure }).failure).toEqual({
        kind: 'rate-limited',
        message: 'm',
      });
    },
  );

  it('has words only where they are texts', () => {
    expect(readResult({ turn: 'finished', finalText: 5, sessionId: {}, denials: 'x' })).toEqual({
      turn: 'finished',
    });
  });
});
