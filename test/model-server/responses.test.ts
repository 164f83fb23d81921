import { expect, test } from 'vitest';

import { ask, stream, withServer } from './client.ts';
import { call, failing, say, work } from './scenarios.ts';

const LS = { tool: 'Bash', input: { command: 'ls' } };

test('a response has its text, its calls and its price', () =>
  withServer([work('now', LS)], async (server) => {
    expect(await (await ask(server, 'responses')).json()).toMatchObject({
      id: 'resp_0',
      status: 'completed',
      output: [
        { type: 'message', content: [{ type: 'output_text', text: 'now' }] },
        { type: 'function_call', call_id: 'call_0_0', name: 'Bash', arguments: '{"command":"ls"}' },
      ],
      usage: {
        input_tokens: 1000,
        input_tokens_details: { cached_tokens: 10, cache_write_tokens: 100 },
        output_tokens: 50,
        output_tokens_details: { reasoning_tokens: 5 },
        total_tokens: 1050,
      },
    });
  }));

test('streams items: each is announced, filled and done', () =>
  withServer([work('now', LS)], async (server) => {
    const events = await stream(server, 'responses');
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(events.map(({ sequence_number: number }) => number)).toEqual([...events.keys()]);
    expect(events[8]).toMatchObject({ item: { status: 'in_progress', arguments: '' } });
    expect(events[11]).toMatchObject({ item: { status: 'completed', name: 'Bash' } });
    expect(events[12]).toMatchObject({ response: { usage: { total_tokens: 1050 } } });
  }));

test('a tool that takes a text is called with a text', () =>
  withServer([call({ tool: 'apply_patch', input: '*** Begin Patch' })], async (server) => {
    const response = await fetch(`${server.url}/v1/responses`, {
      method: 'POST',
      body: JSON.stringify({ tools: [{ type: 'custom', name: 'apply_patch' }] }),
    });
    expect(await response.json()).toMatchObject({
      output: [{ type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch' }],
    });
  }));

test('a tool in a namespace is called by both its names, and one that has no name by its type', () =>
  withServer([call({ tool: 'mcp.ask', input: {} })], async (server) => {
    const response = await fetch(`${server.url}/v1/responses`, {
      method: 'POST',
      body: JSON.stringify({
        tools: [
          { type: 'namespace', name: 'mcp', tools: [{ type: 'function', name: 'ask' }] },
          { type: 'web_search' },
        ],
      }),
    });
    expect(await response.json()).toMatchObject({
      output: [{ type: 'function_call', name: 'ask', namespace: 'mcp' }],
    });
    expect(server.requests[0]?.tools).toEqual(['mcp.ask', 'web_search']);
  }));

test('a failure inside the stream is a failed response', () =>
  withServer([failing('rate-limit', say('begun'), { retryAfterSeconds: 3 })], async (server) => {
    expect((await stream(server, 'responses')).at(-1)).toMatchObject({
      type: 'response.failed',
      response: {
        status: 'failed',
        error: { code: 'rate_limit_exceeded', message: expect.stringContaining('again in 3s') },
      },
    });
  }));

test('or it is an event of its own', () =>
  withServer([failing('server-error', say('begun'), { event: 'error' })], async (server) => {
    expect((await stream(server, 'responses')).at(-1)).toMatchObject({
      type: 'error',
      message: expect.stringContaining('server had an error'),
    });
  }));

test('the schema of the answer is that of its text', () =>
  withServer([say('{}')], async (server) => {
    const schema = { type: 'object' };
    await ask(server, 'responses', { text: { format: { type: 'json_schema', schema } } });
    expect(server.requests[0]?.schema).toEqual(schema);
  }));
