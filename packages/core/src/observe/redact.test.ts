import { describe, expect, it } from 'vitest';
import { redactor } from './redact.js';

const token = 'tok-ABCDEFGHIJKL';

describe('a text', () => {
  it('has no secret, as it is or as it stands in JSON', () => {
    expect(redactor([token])(`a ${token} b`)).toBe('a [redacted] b');
    const quoted = 'pass"word\\x';
    expect(redactor([quoted])(JSON.stringify({ quoted }))).toBe('{"quoted":"[redacted]"}');
  });

  it('has no line of a secret of several lines', () => {
    const key = '-----BEGIN-----\nline-one-of-it\nline-two-of-it';
    expect(redactor([key])('it says line-two-of-it')).toBe('it says [redacted]');
  });

  it('has no beginning of a secret where it was cut', () => {
    expect(redactor([token])('words tok-ABCDEF…')).toBe('words [redacted]…');
    expect(redactor([token])('words and more…')).toBe('words and more…');
    expect(redactor([token])('words tok-…')).toBe('words tok-…'); // too short to tell
  });
});

it('a result has none anywhere: it goes into the journal and into later prompts', () => {
  const result = {
    turn: 'failed',
    finalText: `the key is ${token}`,
    structuredOutput: { reason: [token], [`of ${token}`]: 1 },
    failure: { kind: 'failed', message: token },
    usage: { inputTokens: 5 },
  } as const;
  expect(JSON.stringify(redactor([token])(result))).not.toContain(token);
  expect(redactor([token])(result).usage).toEqual({ inputTokens: 5 });
});

it('what is nested deeper than anything that reads it can go is left out', () => {
  const nested = (depth: number): unknown =>
    JSON.parse('['.repeat(depth) + `"${token}"` + ']'.repeat(depth));
  for (const secrets of [[], [token]]) {
    const redact = redactor(secrets);
    expect(JSON.stringify(redact(nested(40_000)))).toContain('[nested too deep]');
    const kept = JSON.stringify(nested(400)).replace(
      token,
      secrets.length > 0 ? '[redacted]' : token,
    );
    expect(JSON.stringify(redact(nested(400)))).toBe(kept);
  }
});
