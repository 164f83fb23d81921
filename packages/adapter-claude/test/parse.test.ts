import { readFileSync } from 'node:fs';

import type { AgentEvent } from '@devflow/core/adapter';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { completionSignalDetected, createParser } from '../src/parse.ts';

/** Noon, in a zone that has its own. */
const CLOCK = { now: () => new Date('2026-11-30T12:00:00Z'), timeZone: 'Asia/Kolkata' };
const MARKER = 'DEVFLOW_RESULT: {"status":"success"}';
const success = capture('a-success');
const lines = success.trim().split('\n');

function capture(name: string): string {
  return readFileSync(new URL(`../fixtures/2.1.332/${name}.jsonl`, import.meta.url), 'utf8');
}

/** The events of some lines, and what the parser makes of the whole. */
function read(...given: readonly string[]) {
  const parser = createParser(CLOCK);
  const events = given.flatMap((line) => parser.line(line));
  return { events, result: parser.result(), parser };
}

test('a turn that ended without a word has no final text, whatever was said before', () => {
  const result = JSON.parse(lines.at(-1) ?? '') as object;
  const silent = JSON.stringify({ ...result, result: '' });
  const { result: said } = read(...lines.slice(0, -1), silent);
  expect(said.turn).toBe('finished');
  expect(said.finalText).toBeUndefined();
});

test('a result of a sub-agent ends no turn of the agent', () => {
  const ended = JSON.parse(lines.at(-1) ?? '') as object;
  const child = JSON.stringify({ ...ended, parent_tool_use_id: 'toolu_1' });
  expect(read(...lines.slice(0, -1), child).result.turn).toBe('open');
});

test('tool servers that are not there are named at the start, one event for each', () => {
  const [init = ''] = lines;
  const servers = [
    { name: 'fine', status: 'connected' },
    { name: 'gone', status: 'failed' },
    { name: 'slow', status: 'pending' },
    { name: 'off', status: 'disabled' },
    { name: 'locked', status: 'needs-auth' },
  ];
  const { events } = read(JSON.stringify({ ...JSON.parse(init), mcp_servers: servers }));
  expect(events.map(({ kind, ok, summary }) => [kind, ok, summary])).toEqual([
    ['session', undefined, expect.stringContaining('Claude Code')],
    ['attention', false, 'the tool server "gone" is not there (failed)'],
    ['attention', false, 'the tool server "locked" is not there (needs-auth)'],
  ]);
});

describe('what a turn came to', () => {
  test('a torn stream is open, however finished its text looks', () => {
    expect(read(...lines.slice(0, -1)).result).toMatchObject({
      turn: 'open',
      finalText: expect.stringContaining(MARKER),
    });
  });

  test('is_error outranks the subtype and the marker', () => {
    const failed = success.replaceAll(
      '"is_error":false,"num_turns"',
      '"is_error":true,"num_turns"',
    );
    expect(failed).not.toBe(success);
    expect(read(...failed.trim().split('\n')).result).toMatchObject({
      turn: 'failed',
      failure: { kind: 'failed' },
    });
    expect(completionSignalDetected(failed)).toBe(false);
  });

  test('an interrupted turn is no success, though the program ends with exit 0', () => {
    expect(read(...capture('f-INT').split('\n')).result.turn).toBe('failed');
    const aborted = success.replace(
      '"terminal_reason":"completed"',
      '"terminal_reason":"aborted_tools"',
    );
    expect(completionSignalDetected(aborted)).toBe(false);
  });

  test('prose about limits and logins is no failure', () => {
    const words = 'Error 429: rate limit reached. 401 Not logged in. Credit balance is too low.';
    const talk = success.replaceAll('All done.', words).replaceAll('Now commit.', words);
    const { result } = read(...talk.trim().split('\n'));
    expect(result.turn).toBe('finished');
    expect(result.failure).toBeUndefined();
  });

  test('an event of a sub-agent never changes the state or the outcome', () => {
    const child = lines.map((line) => {
      return line.replace(
        '"parent_tool_use_id":null',
        '"parent_tool_use_id":"toolu_1","error":"rate_limit"',
      );
    });
    const { events, result } = read(lines[0] ?? '', ...child.slice(1, -1));
    const ofChildren = events.filter((event) => event.child);
    expect(ofChildren.length).toBeGreaterThan(3);
    expect(new Set(ofChildren.map((event) => event.state))).toEqual(new Set(['working']));
    expect(result.failure).toBeUndefined();
    expect(result.finalText).toBeUndefined();
  });

  test('what a sub-agent says is not said by the agent, and does not reopen its turn', () => {
    const child = (lines[1] ?? '').replace(
      '"parent_tool_use_id":null',
      '"parent_tool_use_id":"toolu_1"',
    );
    expect(read(child).result.finalText).toBeUndefined();
    expect(read(...lines, child).result.turn).toBe('finished');
  });

  test('a result of which background work goes on leaves the turn open', () => {
    const { events, result, parser } = read(...capture('p-background-killed').trim().split('\n'));
    expect(events.at(-1)).toMatchObject({ kind: 'end', state: 'working' });
    expect(result.turn).toBe('open');
    expect(parser.openCalls()).toBe(1);
  });

  test('a turn is over once its background task has ended, until the agent goes on with what that found', () => {
    const seen = capture('p-background').trim().split('\n');
    const over = seen.map((_, index) => {
      const { result, parser } = read(...seen.slice(0, index + 1));
      return result.turn === 'finished' && parser.openCalls() === 0;
    });
    const ended = seen.findIndex((line) => line.includes('"tasks":[]'));
    expect(over.flatMap((is, index) => (is ? [index] : []))).toEqual([ended, seen.length - 1]);
    expect(seen[ended + 1]).toContain('"subtype":"init"'); // it goes on at once
  });

  test('an earlier result counts for nothing once the agent has gone on', () => {
    expect(completionSignalDetected([...lines, lines[1]].join('\n'))).toBe(false);
    expect(completionSignalDetected([...lines, ...lines.slice(1)].join('\n'))).toBe(true);
  });

  test('a trouble that was overcome explains no later failure', () => {
    const overcome = [...capture('c-429-maxretries1').split('\n').slice(0, 2), lines[1] ?? ''];
    expect(read(...overcome).result.failure).toBeUndefined();
    const failed = read(...overcome, '{"type":"result","subtype":"success","is_error":true}');
    expect(failed.result.failure?.kind).toBe('failed');
  });

  test.each([
    [{ api_error_status: 401 }, 'auth'],
    [{ api_error_status: 402 }, 'auth'],
    [{ api_error_status: 403 }, 'auth'],
    [{ api_error_status: 429 }, 'rate-limited'],
    [{ api_error_status: 500 }, 'failed'],
    [{ error: 'billing_error' }, 'auth'],
    [{ api_error: 'usage_limit_reached' }, 'rate-limited'],
    [{ api_error_type: 'rate_limit_error' }, 'rate-limited'],
    [{ api_error_type: 'api_error' }, 'failed'],
  ])('%o of a result is enough to tell: %s', (said, kind) => {
    const line = JSON.stringify({ type: 'result', subtype: 'success', is_error: true, ...said });
    expect(read(line).result.failure?.kind).toBe(kind);
  });

  test('an answer by a schema is that of a finished turn', () => {
    const output = capture('k-json-schema').trim();
    const { structuredOutput } = read(...output.split('\n')).result;
    expect(structuredOutput).toEqual({ status: 'success', summary: 'done' });
    const failed = output.replace('"is_error":false,"num_turns"', '"is_error":true,"num_turns"');
    expect(failed).not.toBe(output);
    expect(read(...failed.split('\n')).result.structuredOutput).toBeUndefined();
    expect(read(...lines).result).not.toHaveProperty('structuredOutput');
  });
});

describe('the completion signal', () => {
  test('is the result at the end of the output', () => {
    expect(completionSignalDetected(success)).toBe(true);
    expect(completionSignalDetected(lines.slice(-1).join('\n'))).toBe(true);
  });

  test.each([
    ['nothing', ''],
    ['a truncated stream', lines.slice(0, -1).join('\n')],
    ['a result line that is cut', success.trim().slice(0, -1)],
    ['an error result', capture('b-nokey')],
    [
      'a result of another kind',
      success.replace('"subtype":"success"', '"subtype":"error_max_turns"'),
    ],
    ['the marker alone', MARKER],
    ['a prompt echo', lines[0] + '\n' + prompt(`Answer with ${MARKER} and ${lines.at(-1)}`)],
    ['a document that holds a result line', [...lines.slice(0, 4), prompt(success)].join('\n')],
    ['a result line inside of text', `said: ${lines.at(-1)}`],
    ['a result that does not say how it went', '{"type":"result","subtype":"success"}'],
  ])('is not %s', (_, output) => {
    expect(completionSignalDetected(output)).toBe(false);
  });

  function prompt(content: string): string {
    return JSON.stringify({
      type: 'user',
      message: { role: 'user', content: [{ type: 'text', text: content }] },
    });
  }
});

describe('lines that are not as expected', () => {
  test.each([
    ['plain text', 'Warning: no stdin data received'],
    ['a JSON line that was cut', lines[3]?.slice(0, 200) ?? ''],
    ['an unknown event', '{"type":"brand_new","session_id":"x"}'],
    ['a list', '[1,2]'],
    ['deep nesting', `{"type":"assistant","message":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
    ['deep nesting in a tool input', deepToolCall()],
    [
      'a foreign reset',
      '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1e300}}',
    ],
  ])('%s is kept and breaks nothing', (_, line) => {
    const { events, result } = read(line);
    expect(result.turn).toBe('open');
    for (const event of events) expect(event.kind).toBe('other');
  });

  test('what is unknown becomes other, with the raw line in the detail', () => {
    expect(read('{"type":"brand_new","n":1}').events).toMatchObject([
      {
        v: 1,
        kind: 'other',
        name: 'brand_new',
        detail: '{"type":"brand_new","n":1}',
        state: 'unknown',
      },
    ]);
  });

  test('nothing makes the parser throw', () => {
    const names = ['type', 'subtype', 'message', 'content', 'is_error', 'tasks', 'error', 'usage'];
    const value = fc.jsonValue({ maxDepth: 3 });
    const word = fc.constantFrom(
      'assistant',
      'user',
      'result',
      'system',
      'init',
      'tool_use',
      'tool_result',
    );
    const entry = fc.dictionary(fc.constantFrom(...names), fc.oneof(value, word));
    const anyLine = fc.oneof(
      fc.string(),
      entry.map((fields) => JSON.stringify(fields)),
      torn(),
    );
    fc.assert(
      fc.property(fc.array(anyLine), (given) => {
        const { events, parser } = read(...given);
        expect(parser.openCalls()).toBeGreaterThanOrEqual(0);
        return events.every((event: AgentEvent) => event.v === 1 && event.summary.length <= 300);
      }),
    );
  });

  test('no torn end of a stream is a finished turn', () => {
    const end = success.trimEnd().length;
    fc.assert(
      fc.property(fc.nat(end - 1), (length) => !completionSignalDetected(success.slice(0, length))),
    );
  });

  function torn() {
    const anyLine = fc.constantFrom(...lines);
    return fc.tuple(anyLine, fc.nat(2000)).map(([line, length]) => line.slice(0, length));
  }

  function deepToolCall(): string {
    const nested = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    return `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"1","name":"mcp__x","input":${nested}}]}}`;
  }
});

describe('tool calls', () => {
  test('are in flight until their result comes', () => {
    const parser = createParser(CLOCK);
    const open = lines.map((line) => {
      parser.line(line);
      return parser.openCalls();
    });
    expect(open).toEqual([0, 0, 1, 0, 0, 1, 1, 0, 0, 0]);
  });

  test('of a sub-agent are not the agent’s own', () => {
    const parser = createParser(CLOCK);
    const open = capture('p-subagent')
      .split('\n')
      .map((line) => {
        parser.line(line);
        return parser.openCalls();
      });
    expect(Math.max(...open)).toBe(1);
  });

  test('that were never run are not open in the next turn', () => {
    const { parser } = read(...capture('k-max-budget').trim().split('\n'), lines[0] ?? '');
    expect(parser.openCalls()).toBe(0);
  });

  test('say the file, the command and what came out', () => {
    const { events } = read(...lines);
    expect(events.find(({ kind, ok }) => kind === 'edit' && ok)).toMatchObject({
      name: 'Write',
      file: '/home/dev/src/c3/wt/fake-1.txt',
      state: 'working',
    });
    expect(events.find(({ kind, ok }) => kind === 'git' && ok)).toMatchObject({
      name: 'Bash',
      cmd: expect.stringContaining('git commit'),
      detail: expect.stringContaining('1 file changed'),
    });
  });

  test.each([
    ['Bash', { command: 'npm test' }, 'test'],
    ['Bash', { command: 'cd /x && git status' }, 'git'],
    ['Bash', { command: 'ls' }, 'command'],
    ['Read', { file_path: '/x' }, 'read'],
    ['Grep', { pattern: 'x' }, 'search'],
    ['WebFetch', { url: 'http://x' }, 'web'],
    ['Agent', { description: 'x' }, 'subagent'],
    ['TodoWrite', {}, 'plan'],
    ['mcp__x__y', {}, 'other'],
  ])('%s with %o is of kind %s', (name, input, kind) => {
    const call = { type: 'tool_use', id: '1', name, input };
    const line = JSON.stringify({ type: 'assistant', message: { content: [call] } });
    expect(read(line).events).toMatchObject([{ kind, name, running: true }]);
  });
});
