import { describe, expect, test } from 'vitest';

import { error, read, turnFailed } from './read.ts';

describe('why a turn failed', () => {
  test.each([
    ['auth', 'unexpected status 401 Unauthorized: , url: https://api.openai.com/v1/responses'],
    ['auth', 'unexpected status 402 Payment Required: x'],
    ['auth', 'unexpected status 403 Forbidden: Country not supported, url: x'],
    ['auth', 'exceeded retry limit, last status: 401 Unauthorized, request id: 99cd-AMS'],
    ['auth', 'Quota exceeded. Check your plan and billing details.'],
    [
      'auth',
      'To use Codex with your ChatGPT plan, upgrade to Plus: https://chatgpt.com/explore/plus.',
    ],
    ['auth', 'Your workspace is out of credits. Add credits to continue.'],
    [
      'auth',
      'Your workspace is out of credits. Ask your workspace owner to refill in order to continue.',
    ],
    ['auth', 'You hit your spend cap set in your workspace. Increase your spend cap to continue.'],
    [
      'auth',
      'You hit your spend cap set by the owner of your workspace. Ask an owner to increase your spend cap to continue.',
    ],
    ['auth', 'Missing environment variable: `MY_KEY`.'],
    ['auth', 'Missing environment variable: `MY_KEY`. Get one at example.com'],
    ['auth', 'Your access token could not be refreshed. Please log out and sign in again.'],
    [
      'auth',
      'Your access token could not be refreshed because your refresh token was already used. Please log out and sign in again.',
    ],
    [
      'auth',
      'Your access token could not be refreshed because you have since logged out or signed in to another account. Please sign in again.',
    ],
    [
      'auth',
      'Your authentication session could not be refreshed automatically. Please log out and sign in again.',
    ],
    ['rate-limited', 'exceeded retry limit, last status: 429 Too Many Requests'],
    ['rate-limited', 'exceeded retry limit, last status: 429 Too Many Requests, request id: a-1'],
    ['rate-limited', 'rate limit exceeded: Rate limit reached for gpt-5.5 on tokens per min'],
    ['rate-limited', "You've hit your usage limit. Try again later."],
    [
      'rate-limited',
      'You’ve hit your usage limit. To get more access now, send a request to your admin or try again later.',
    ],
    [
      'rate-limited',
      'You’ve hit your usage limit for gpt-5.5. Switch to another model now, or try again later.',
    ],
    ['failed', 'We’re currently experiencing high demand, which may cause temporary errors.'],
    ['failed', 'Selected model is at capacity. Please try a different model.'],
    ['failed', 'stream disconnected before completion: 429 Too Many Requests'],
    ['failed', 'exceeded retry limit, last status: 500 Internal Server Error'],
    ['failed', 'unexpected status 404 Not Found: unexpected status 401 Unauthorized: x'],
    ['failed', 'The model said: Quota exceeded. Check your plan and billing details.'],
    ['failed', 'Quota exceeded. Check your plan and billing details. Or so it seems.'],
    ['failed', 'You’ve hit your usage limit'],
    ['failed', 'A new sentence of a new version'],
  ] as const)('%s: %s', (kind, sentence) => {
    for (const said of [sentence, sentence.replace('’', "'"), sentence.replace("'", '’')]) {
      const { result, events } = read(error(said), turnFailed(said));
      expect(result).toEqual({ turn: 'failed', failure: { kind, message: said } });
      expect(events.map((event) => [event.kind, event.state])).toEqual([
        ['error', 'unknown'],
        ['end', 'failed'],
      ]);
    }
  });

  test('when a limit ends is an instant, said in the time of the machine', () => {
    const until = (words: string) =>
      read(turnFailed(`You’ve hit your usage limit. Try again at ${words}.`)).result.failure;
    expect(until('10:23 AM')?.resetsAt).toBe('2026-11-30T09:23:00.000Z');
    expect(until('Dec 3rd, 2026 10:23 AM')?.resetsAt).toBe('2026-12-03T09:23:00.000Z');
    expect(until('some time')).toMatchObject({ kind: 'rate-limited' });
    expect(until('some time')).not.toHaveProperty('resetsAt');
  });

  test('a time in another failure is no reset', () => {
    expect(read(turnFailed('x at 10:23 AM.')).result.failure).not.toHaveProperty('resetsAt');
  });
});
