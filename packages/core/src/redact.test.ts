import { describe, expect, it } from 'vitest';
import { redactResult, redactText } from './redact.js';

const token = 'tok-ABCDEFGHIJKL';

describe('a text', () => {
  it('has no secret, as it is or as it stands in JSON', () => {
    expect(redactText(`a ${token} b`, [token])).toBe('a [redacted] b');
    const quoted = 'pass"word\\x';
    expect(redactText(JSON.stringify({ quoted }), [quoted])).toBe('{"quoted":"[redacted]"}');
  });

  it('has no line of a secret of several lines', () => {
    const key = '-----BEGIN-----\nline-one-of-it\nline-two-of-it';
    expect(redactText('it says line-two-of-it', [key])).toBe('it says [redacted]');
  });

  it('has no beginning of a secret where it was cut', () => {
    expect(redactText('words tok-ABCDEF…', [token])).toBe('words [redacted]…');
    expect(redactText('words and more…', [token])).toBe('words and more…');
    expect(redactText('words tok-…', [token])).toBe('words tok-…'); // too short to tell
  });
});

it('a result has none anywhere: it goes into the journal and into later prompts', () => {
  const result = {
    turn: 'failed',
    finalText: `the key is ${token}`,
    structuredOutput: { reason: [token] },
    failure: { kind: 'failed', message: token },
    usage: { inputTokens: 5 },
  } as const;
  expect(JSON.stringify(redactResult(result, [token]))).not.toContain(token);
  expect(redactResult(result, [token]).usage).toEqual({ inputTokens: 5 });
});
