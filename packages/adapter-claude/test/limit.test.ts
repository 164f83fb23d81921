import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { createParser } from '../src/parse.ts';

/** Noon, in a zone that has its own. */
const CLOCK = { now: () => new Date('2026-11-30T12:00:00Z'), timeZone: 'Asia/Kolkata' };

function capture(name: string): string {
  return readFileSync(new URL(`../fixtures/2.1.332/${name}.jsonl`, import.meta.url), 'utf8');
}

function read(...given: readonly string[]) {
  const parser = createParser(CLOCK);
  for (const line of given) parser.line(line);
  return { result: parser.result() };
}

test('a limit is told where the agent was ended while it waited to try again', () => {
  const waiting = capture('c-429-maxretries1').split('\n').slice(0, 2);
  expect(read(...waiting).result).toMatchObject({
    turn: 'open',
    failure: { kind: 'rate-limited' },
  });
  const recovered = read(...waiting, ...capture('a-success').split('\n').slice(1));
  expect(recovered.result).toMatchObject({ turn: 'finished' });
  expect(recovered.result.failure).toBeUndefined();
});

describe('the end of a limit', () => {
  const limit = capture('c-limit-oauth');
  const unstructured = limit.replaceAll('"status":"rejected"', '"status":"allowed"');
  const resetOf = (output: string) => read(...output.split('\n')).result.failure;

  test('is the instant of its own event, where there is one', () => {
    const otherWords = limit.replaceAll('10:37am (UTC)', '11pm (UTC)');
    expect(otherWords).not.toBe(limit);
    expect(resetOf(otherWords)?.resetsAt).toBe('2026-11-30T10:37:24.000Z');
  });

  test('is what its words say, where that is all', () => {
    expect(resetOf(unstructured)).toMatchObject({
      kind: 'rate-limited',
      resetsAt: '2026-12-01T10:37:00.000Z',
    });
    expect(resetOf(unstructured.replaceAll(' (UTC)', ''))?.resetsAt).toBe(
      '2026-12-01T05:07:00.000Z',
    );
  });

  test('is unknown where they name none', () => {
    const silent = unstructured.replaceAll(' · resets 10:37am (UTC)', '');
    expect(resetOf(silent)?.kind).toBe('rate-limited');
    expect(resetOf(silent)?.resetsAt).toBeUndefined();
  });

  test('is none where the failure is no limit, whatever its words', () => {
    const line = {
      type: 'result',
      subtype: 'success',
      is_error: true,
      api_error_status: 500,
      result: 'resets 10:37am (UTC)',
    };
    expect(resetOf(JSON.stringify(line))).toEqual({ kind: 'failed', message: line.result });
  });

  test('is none of a failure beside it that is no limit', () => {
    const refused = limit
      .replaceAll('"rate_limit"', '"authentication_failed"')
      .replace('"api_error_status":429', '"api_error_status":401');
    expect(resetOf(refused)?.kind).toBe('auth');
    expect(resetOf(refused)?.resetsAt).toBeUndefined();
  });

  test('is kept of the error event where the result repeats only half of it', () => {
    const [last = '', ...before] = unstructured.trim().split('\n').toReversed();
    const short = last.replaceAll(' · resets 10:37am (UTC)', '');
    expect(resetOf([...before.toReversed(), short].join('\n'))?.resetsAt).toBe(
      '2026-12-01T10:37:00.000Z',
    );
  });
});
