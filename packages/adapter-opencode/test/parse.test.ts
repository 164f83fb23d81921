import { describe, expect, test } from 'vitest';

import { completionSignalDetected } from '../src/parse.ts';
import {
  capture,
  error,
  read,
  retry,
  said,
  stepFinish,
  stepStart,
  toolBegins,
  toolUse,
} from './read.ts';

describe('tool servers', () => {
  const servers = {
    fine: { status: 'connected' },
    off: { status: 'disabled' },
    gone: { status: 'failed', error: 'ENOENT' },
    locked: { status: 'needs_auth' },
  };
  const line = { type: 'devflow.servers', sessionID: 'ses_1', servers };

  test('that are not there are named, after the session', () => {
    const { events } = read(line, stepStart);
    expect(events.map(({ kind, ok, summary }) => [kind, ok, summary])).toEqual([
      ['session', undefined, 'session ses_1'],
      ['other', undefined, 'devflow.servers'],
      ['attention', false, 'the tool server "gone" is not there (failed): ENOENT'],
      ['attention', false, 'the tool server "locked" is not there (needs_auth)'],
      ['other', undefined, 'step_start'],
    ]);
    expect(events[1]?.detail).toBe(JSON.stringify(line));
  });

  test('of which nothing could be asked are kept as what was said', () => {
    const { events } = read(stepStart, { type: 'devflow.servers', error: 'no such call' });
    expect(events.at(-1)).toMatchObject({
      kind: 'other',
      detail: expect.stringContaining('no such'),
    });
  });
});

describe('the turn', () => {
  test('is finished by a step that the model ended by itself', () => {
    const { result } = read(stepStart, said('done'), stepFinish('stop'));
    expect(result).toMatchObject({ turn: 'finished', finalText: 'done', sessionId: 'ses_1' });
  });

  test('is open while tools are called', () => {
    expect(read(stepStart, stepFinish('tool-calls')).result.turn).toBe('open');
  });

  test.each(['length', 'content-filter', 'error', 'unknown', undefined])(
    'has failed where the last answer ended by %s, though the exit status is 0',
    (reason) => {
      const { result, events } = read(stepStart, said('half an ans'), stepFinish(reason));
      expect(result).toMatchObject({ turn: 'failed', failure: { kind: 'failed' } });
      expect(events.at(-1)).toMatchObject({ kind: 'end', ok: false, state: 'failed' });
    },
  );

  test('goes on where another step follows, as after a summary of a long conversation', () => {
    const lines = [stepStart, said('a'), stepFinish('stop'), stepStart];
    expect(read(...lines).result.turn).toBe('open');
    expect(completionSignalDetected(lines.map((line) => JSON.stringify(line)).join('\n'))).toBe(
      false,
    );
  });

  test('has no final text where the last step said nothing, whatever was said before', () => {
    const steps = [stepStart, said('DEVFLOW_RESULT: {}'), stepFinish('tool-calls'), stepStart];
    expect(read(...steps, stepFinish('stop')).result).not.toHaveProperty('finalText');
  });

  test('fails by an error, and an earlier success does not count', () => {
    const { result } = read(stepStart, said('done'), stepFinish('stop'), error('UnknownError', {}));
    expect(result.turn).toBe('failed');
  });
});

describe('what went wrong', () => {
  const api = (data: object) => read(error('APIError', data)).result.failure;
  const limit = (responseHeaders: object) => api({ statusCode: 429, responseHeaders });

  test.each([
    [401, 'auth'],
    [402, 'auth'],
    [403, 'auth'],
    [429, 'rate-limited'],
    [404, 'failed'],
    [500, 'failed'],
    [undefined, 'failed'],
  ])('status %s is %s', (statusCode, kind) => {
    expect(api({ message: 'words', statusCode })).toEqual({ kind, message: 'words' });
  });

  test('is never read from words', () => {
    expect(api({ message: '429 rate limit: unauthorized' })?.kind).toBe('failed');
  });

  test('is a login where the provider has none', () => {
    expect(read(error('ProviderAuthError', { message: 'no key' })).result.failure?.kind).toBe(
      'auth',
    );
  });

  test('is money where a limit is one that no waiting ends', () => {
    const responseBody = JSON.stringify({ error: { code: 'insufficient_quota' } });
    expect(api({ statusCode: 429, responseBody })?.kind).toBe('auth');
  });

  test.each([
    [{ 'retry-after': '90' }, '2026-11-30T09:01:30.000Z'],
    [{ 'retry-after-ms': '1500', 'retry-after': '2' }, '2026-11-30T09:00:01.500Z'],
    [{ 'retry-after': 'Mon, 30 Nov 2026 10:00:00 GMT' }, '2026-11-30T10:00:00.000Z'],
    [{ 'x-ratelimit-reset': '60' }, '2026-11-30T09:01:00.000Z'],
    [{ 'x-ratelimit-reset': '1796034600' }, '2026-11-30T10:30:00.000Z'],
    [{ 'x-ratelimit-reset': '1796034600000' }, '2026-11-30T10:30:00.000Z'],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('with the headers %o the limit ends at %s', (headers, resetsAt) => {
    expect(limit(headers)?.resetsAt).toBe(resetsAt);
  });

  test('is the limit that it waited for when it was ended from outside', () => {
    const { result } = read(stepStart, retry({ message: 'too many', statusCode: 429 }));
    expect(result).toMatchObject({ turn: 'open', failure: { kind: 'rate-limited' } });
  });

  test('is over when the model answers again', () => {
    const { result } = read(retry({ message: 'too many', statusCode: 429 }), stepStart);
    expect(result).not.toHaveProperty('failure');
  });
});

describe('what it used', () => {
  const tokens = { input: 10, output: 4, reasoning: 3, cache: { read: 2, write: 1 } };

  test('counts reasoning as output, and sums the steps', () => {
    const step = stepFinish('tool-calls', { tokens, cost: 0.5 });
    const { usage, costUsd } = read(step, step).result;
    expect(usage).toEqual({
      inputTokens: 20,
      outputTokens: 14,
      cacheReadTokens: 4,
      cacheWriteTokens: 2,
    });
    expect(costUsd).toBe(1);
  });

  test('is unknown where one step does not say it', () => {
    const { usage, costUsd } = read(
      stepFinish('tool-calls', { tokens, cost: 0.5 }),
      stepFinish('stop', { tokens: { input: 1 } }),
    ).result;
    expect(usage).toEqual({ inputTokens: 11 });
    expect(costUsd).toBeUndefined();
  });

  test('includes what sub-agents used', () => {
    const child = { type: 'devflow.step', sessionID: 'ses_2', part: { tokens, cost: 0.25 } };
    const { result, events } = read(stepStart, child, stepFinish('stop', { tokens, cost: 0.5 }));
    expect(result.usage?.inputTokens).toBe(20);
    expect(result.costUsd).toBe(0.75);
    expect(events[1]).toMatchObject({ kind: 'usage', child: true, state: 'working' });
  });
});

describe('tool calls', () => {
  test('are in flight from the watchdog’s line until OpenCode’s own', () => {
    const open = capture('p-work')
      .split('\n')
      .map((_, index, lines) => read(...lines.slice(0, index + 1)).parser.openCalls());
    expect(Math.max(...open)).toBe(1);
    expect(open.at(-1)).toBe(0);
  });

  test('of a sub-agent are not the agent’s own', () => {
    const { events, parser } = read(stepStart, toolBegins('bash', 'c9', 'ses_2'));
    expect(parser.openCalls()).toBe(0);
    expect(events.at(-1)).toMatchObject({ child: true, running: true, state: 'working' });
  });

  test('that were never ended are over with the turn', () => {
    const { parser } = read(stepStart, toolBegins('bash'), stepFinish('stop'));
    expect(parser.openCalls()).toBe(0);
  });

  test.each([
    ['bash', { command: 'npm test' }, 'test'],
    ['bash', { command: 'cd /x && git status' }, 'git'],
    ['bash', { command: 'ls' }, 'command'],
    ['read', { filePath: '/x' }, 'read'],
    ['grep', { pattern: 'x' }, 'search'],
    ['webfetch', { url: 'http://x' }, 'web'],
    ['task', { description: 'x' }, 'subagent'],
    ['todowrite', {}, 'plan'],
    ['server_tool', {}, 'other'],
    ['constructor', {}, 'other'],
  ])('%s with %o is of kind %s', (tool, input, kind) => {
    const { events } = read(toolUse(tool, { status: 'completed', input, output: 'out' }));
    expect(events).toMatchObject([{ kind, name: tool, ok: true, detail: 'out' }]);
  });

  test('of a command that fails are not ok, though the tool has done its work', () => {
    const state = { status: 'completed', input: { command: 'false' }, metadata: { exit: 1 } };
    expect(read(toolUse('bash', state)).events[0]).toMatchObject({ ok: false });
  });

  test('that a rule denies are denials; other errors are none', () => {
    const input = { command: 'rm x' };
    const denied = (message: string) =>
      read(toolUse('bash', { status: 'error', input, error: message })).result.denials;
    expect(denied('The user rejected permission to use this specific tool call.')).toEqual([
      'bash: rm x',
    ]);
    expect(
      denied(
        'The user has specified a rule which prevents you from using this specific tool call. Here',
      ),
    ).toEqual(['bash: rm x']);
    expect(denied('No such file')).toBeUndefined();
  });
});
