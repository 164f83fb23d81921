import { expect, test } from 'vitest';

import { ask, stream, withServer } from './client.ts';
import { failing, say, work } from './scenarios.ts';

const LS = { tool: 'Bash', input: { command: 'ls' } };

test('a message has its text, its calls and its price', () =>
  withServer([work('now', LS, LS), say('done')], async (server) => {
    expect(await (await ask(server, 'messages')).json()).toMatchObject({
      role: 'assistant',
      content: [
        { type: 'text', text: 'now' },
        { type: 'tool_use', id: 'toolu_0_0', name: 'Bash', input: { command: 'ls' } },
        { type: 'tool_use', id: 'toolu_0_1' },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 1000, cache_read_input_tokens: 10, output_tokens: 50 },
    });
    expect(await (await ask(server, 'messages')).json()).toMatchObject({ stop_reason: 'end_turn' });
  }));

test('streams text and tool calls as server-sent events', () =>
  withServer([work('now', LS)], async (server) => {
    const response = await ask(server, 'messages', { stream: true });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const events = await response.text();
    expect(events.match(/^event: \w+/gm)).toEqual([
      'event: message_start',
      ...['text', 'tool_use'].flatMap(() => [
        'event: content_block_start',
        'event: content_block_delta',
        'event: content_block_stop',
      ]),
      'event: message_delta',
      'event: message_stop',
    ]);
    expect(events).toContain(String.raw`"partial_json":"{\"command\":\"ls\"}"`);
  }));

test('a failure inside the stream is an error event', () =>
  withServer([failing('overloaded', say('begun'))], async (server) => {
    expect((await stream(server, 'messages')).at(-1)).toEqual({
      type: 'error',
      error: { type: 'overloaded_error', message: 'Overloaded' },
    });
  }));

test('the schema of the answer is that of the tool for it', () =>
  withServer([say('ok')], async (server) => {
    await ask(server, 'messages', { tools: { StructuredOutput: { a: { type: 'string' } } } });
    expect(server.requests[0]?.schema).toMatchObject({ properties: { a: { type: 'string' } } });
  }));
