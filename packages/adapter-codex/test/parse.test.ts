import { describe, expect, test } from 'vitest';

import { completionSignalDetected } from '../src/parse.ts';
import { capture, command, completed, error, item, message, read, turnFailed } from './read.ts';

const lines = capture('a-success').trim().split('\n');
const last = lines.at(-1) ?? '';

describe('what a turn came to', () => {
  test('a torn stream is open, however finished its text looks', () => {
    const { result } = read(...lines.slice(0, -1));
    expect(result.turn).toBe('open');
    expect(result.finalText).toContain('DEVFLOW_RESULT: {"status":"success"}');
    expect(completionSignalDetected(lines.slice(0, -1).join('\n'))).toBe(false);
  });

  test('the last megabyte is enough to see that it ended', () => {
    expect(completionSignalDetected(lines.slice(-3).join('\n'))).toBe(true);
    expect(completionSignalDetected(last)).toBe(true);
  });

  test.each([
    ['an error', error('stream disconnected before completion: x')],
    ['a failed turn', turnFailed('x')],
    ['another turn', { type: 'turn.started' }],
    ['a command', command('')],
  ])('%s after the end takes the end back', (_, event) => {
    const output = [...lines, JSON.stringify(event)].join('\n');
    expect(completionSignalDetected(output)).toBe(false);
    expect(read(...lines, event).result.turn).not.toBe('finished');
  });

  test('a warning after the end takes nothing back', () => {
    const warning = item({ type: 'error', message: 'unexpected status 401 Unauthorized: no' });
    const { result, events } = read(...lines, warning);
    expect(result).toMatchObject({ turn: 'finished' });
    expect(result.failure).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ kind: 'other', name: 'item/error' });
  });

  test('prose about limits and logins is no failure', () => {
    const words = 'exceeded retry limit, last status: 429 Too Many Requests';
    const { result } = read(command(words), message(words), completed);
    expect(result).toMatchObject({ turn: 'finished', finalText: words });
    expect(result.failure).toBeUndefined();
  });

  test('has no final text where it called a tool after its last words: they are not the last', () => {
    const { result } = read(
      message('DEVFLOW_RESULT: {"status":"success"}'),
      command('ls'),
      completed,
    );
    expect(result.turn).toBe('finished');
    expect(result.finalText).toBeUndefined();
    expect(result.structuredOutput).toBeUndefined();
  });

  test('a failed try that was followed by an answer is past', () => {
    const retry = error('Reconnecting... 1/5 (unexpected status 401 Unauthorized: x, url: y)');
    expect(read(retry).result.failure?.kind).toBe('auth');
    expect(read(retry, message('here')).result.failure).toBeUndefined();
    expect(read(retry, completed).result).toMatchObject({ turn: 'finished' });
  });

  test('who is ended while waiting for a limit was stopped by the limit', () => {
    const sentence = 'exceeded retry limit, last status: 429 Too Many Requests';
    const { result } = read(error(`Reconnecting... 3/5 (${sentence})`));
    expect(result).toEqual({
      turn: 'open',
      failure: { kind: 'rate-limited', message: sentence },
    });
  });

  test('a finished turn is told from its event, whatever the words', () => {
    expect(read(completed).result).toEqual({
      turn: 'finished',
      sessionUsage: { inputTokens: 1, outputTokens: 1 },
    });
  });
});

describe('a sandbox that starts nothing', () => {
  const BWRAP = 'bwrap: Creating new namespace failed: nesting depth exceeded (ENOSPC)\n';

  test('is no finished turn, whatever the agent said', () => {
    const { result, events } = read(command(BWRAP), command(BWRAP), message('done'), completed);
    expect(result).toMatchObject({
      turn: 'failed',
      failure: { kind: 'failed', message: expect.stringContaining('bwrap: Creating new') },
    });
    expect(events.at(-1)).toMatchObject({ kind: 'end', ok: false, state: 'failed' });
    expect(completionSignalDetected(capture('n-nouserns'))).toBe(false);
  });

  test.each([
    ['a command failed on its own', [command('npm error\n')]],
    ['a command printed the words among others', [command(`${BWRAP}more\n`)]],
    ['a command printed the words and went well', [command(BWRAP, { status: 'completed' })]],
    ['the command was bubblewrap', [command(BWRAP, { command: 'bwrap --ro-bind / / true' })]],
    ['another command was started', [command(BWRAP), command('', { status: 'completed' })]],
    [
      'a file was changed',
      [command(BWRAP), item({ type: 'file_change', changes: [], status: 'completed' })],
    ],
  ])('is not concluded where %s', (_, events) => {
    expect(read(...events, completed).result.turn).toBe('finished');
  });
});

describe('what a turn used', () => {
  const used = (usage: object) => read({ type: 'turn.completed', usage }).result.sessionUsage;

  test('counts each token once', () => {
    expect(
      used({
        input_tokens: 1000,
        cached_input_tokens: 600,
        cache_write_input_tokens: 100,
        output_tokens: 50,
        reasoning_output_tokens: 20,
      }),
    ).toEqual({ inputTokens: 300, outputTokens: 50, cacheReadTokens: 600, cacheWriteTokens: 100 });
  });

  test('leaves unknown what is not stated, or cannot be', () => {
    expect(used({ output_tokens: 5 })).toEqual({ outputTokens: 5 });
    expect(used({ input_tokens: 1, cached_input_tokens: 2 })).toEqual({ cacheReadTokens: 2 });
    expect(read({ type: 'turn.completed' }).result).not.toHaveProperty('sessionUsage');
  });

  test('is the sum of the session, in a fork too', () => {
    const first = used({ input_tokens: 1000, cached_input_tokens: 10, output_tokens: 50 });
    expect(first?.outputTokens).toBe(50);
    for (const name of ['p-resume', 'p-fork']) {
      const { result } = read(...capture(name).trim().split('\n'));
      expect(result.sessionUsage?.outputTokens).toBe(100);
      expect(result.usage).toBeUndefined();
    }
  });
});

describe('the final answer', () => {
  test('that is a JSON object is structured output', () => {
    const { result } = read(message('thinking'), message(' {"status":"success"}\n'), completed);
    expect(result.structuredOutput).toEqual({ status: 'success' });
  });

  test.each(['done', '{"status":', '[1]', '"text"', 'so: {"status":"success"}'])(
    'that is %s is none',
    (words) => {
      expect(read(message(words), completed).result).not.toHaveProperty('structuredOutput');
    },
  );
});

describe('what the agent did', () => {
  test('a command is shown as the agent meant it', () => {
    const shown = (given: string) =>
      read(command('', { command: given })).events.map(({ kind, cmd }) => [kind, cmd])[0];
    expect(shown("/bin/bash -lc 'npm test'")).toEqual(['test', 'npm test']);
    expect(shown('/usr/bin/zsh -lc "git commit -m \\"a\\""')).toEqual(['git', 'git commit -m "a"']);
    expect(shown('/bin/bash -lc ls')).toEqual(['command', 'ls']);
    expect(shown('make')).toEqual(['command', 'make']);
  });

  // These shapes are those of codex-rs/exec/src/exec_events.rs; a scripted model cannot bring them about.
  test.each([
    [
      { type: 'web_search', query: 'vitest' },
      { kind: 'web', summary: 'web_search: vitest' },
    ],
    [
      {
        type: 'todo_list',
        items: [
          { text: 'a', completed: true },
          { text: 'b', completed: false },
        ],
      },
      { kind: 'plan', summary: 'todo_list: 1 of 2 done, b' },
    ],
    [
      { type: 'reasoning', text: 'hm' },
      { kind: 'other', name: 'item/reasoning', summary: 'hm' },
    ],
    [
      { type: 'file_change', changes: [{ path: '/w/a', kind: 'add' }], status: 'failed' },
      { kind: 'edit', file: '/w/a', ok: false },
    ],
    [{ type: 'not-known-yet' }, { kind: 'other', name: 'item/not-known-yet' }],
  ])('%o', (given, event) => {
    expect(read(item(given)).events).toMatchObject([event]);
  });

  test('what it was refused is told', () => {
    const refused = read(
      ...capture('p-mcp-refused').split('\n'),
      command('', { status: 'declined' }),
    );
    expect(refused.result.denials).toEqual([
      'mcp_tool_call: dev.greet',
      'command_execution: npm test',
    ]);
    expect(read(command('no')).result).not.toHaveProperty('denials');
  });

  test('a call is open until it or the turn ends; a plan keeps nobody waiting', () => {
    const begin = (id: string, type: string) => item({ id, type }, 'item.started');
    const { parser } = read(begin('1', 'command_execution'), begin('2', 'mcp_tool_call'));
    expect(parser.openCalls()).toBe(2);
    parser.line(JSON.stringify(command('')));
    expect(parser.openCalls()).toBe(1);
    parser.line(JSON.stringify(begin('3', 'todo_list')));
    expect(parser.openCalls()).toBe(1);
    parser.line(JSON.stringify(completed));
    expect(parser.openCalls()).toBe(0);
  });

  test('a line that is no event is kept', () => {
    expect(read('Reading additional input', '{"type":').events).toMatchObject([
      { kind: 'other', detail: 'Reading additional input' },
      { kind: 'other', detail: '{"type":' },
    ]);
  });
});
