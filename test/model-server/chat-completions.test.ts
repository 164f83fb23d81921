import { expect, test } from 'vitest';

import { ask, stream, withServer } from './client.ts';
import { failing, say, work } from './scenarios.ts';

const LS = { tool: 'Bash', input: { command: 'ls' } };
const CALL = { type: 'function', function: { name: 'Bash', arguments: '{"command":"ls"}' } };

test('a completion has its text, its calls and its price', () =>
  withServer([work('now', LS, LS), say('done')], async (server) => {
    expect(await (await ask(server, 'chat-completions')).json()).toMatchObject({
      object: 'chat.completion',
      choices: [
        {
          message: {
            role: 'assistant',
            content: 'now',
            tool_calls: [
              { id: 'call_0_0', ...CALL },
              { id: 'call_0_1', ...CALL },
            ],
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage: {
        prompt_tokens: 1000,
        prompt_tokens_details: { cached_tokens: 10 },
        completion_tokens: 50,
        total_tokens: 1050,
      },
    });
    expect(await (await ask(server, 'chat-completions')).json()).toMatchObject({
      choices: [{ message: { content: 'done' }, finish_reason: 'stop' }],
    });
  }));

test('streams deltas, then the reason, the price and the end', () =>
  withServer([work('now', LS)], async (server) => {
    const response = await ask(server, 'chat-completions', { stream: true });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const data = (await response.text()).trim().split('\n\n');
    expect(data.at(-1)).toBe('data: [DONE]');
    const chunks = data.slice(0, -1).map((line) => JSON.parse(line.slice('data: '.length)));
    expect(chunks).toMatchObject([
      { choices: [{ delta: { role: 'assistant' }, finish_reason: null }] },
      { choices: [{ delta: { content: 'now' } }] },
      { choices: [{ delta: { tool_calls: [{ index: 0, id: 'call_0_0' }] } }] },
      { choices: [{ delta: { tool_calls: [{ function: { arguments: '{"command":"ls"}' } }] } }] },
      { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
      { choices: [], usage: { total_tokens: 1050 } },
    ]);
  }));

test('a failure inside the stream is an error in place of a chunk', () =>
  withServer([failing('server-error', say('begun'))], async (server) => {
    expect((await stream(server, 'chat-completions')).at(-1)).toMatchObject({
      error: { type: 'server_error', message: expect.stringContaining('server had an error') },
    });
  }));

test('the schema of the answer is that of its format', () =>
  withServer([say('{}')], async (server) => {
    const schema = { type: 'object' };
    await ask(server, 'chat-completions', {
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
    });
    expect(server.requests[0]?.schema).toEqual(schema);
  }));
