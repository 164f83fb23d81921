import { expect, test } from 'vitest';

import { type ModelServer, type Script, startModelServer } from './model-server.ts';

const TOOLS = [{ name: 'Write' }, { name: 'Bash' }];

async function withServer(
  script: Script,
  use: (server: ModelServer) => Promise<void>,
): Promise<void> {
  const server = await startModelServer(script);
  try {
    await use(server);
  } finally {
    await server.close();
  }
}

function ask(server: ModelServer, body: object = {}): Promise<Response> {
  return fetch(`${server.url}/v1/messages?beta=true`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', tools: TOOLS, messages: [], ...body }),
  });
}

test('listens on the loopback address only', () =>
  withServer([], async (server) => {
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await Promise.resolve();
  }));

test('answers turn by turn, and remembers what it was asked', () =>
  withServer([{ text: 'one' }, { text: 'two' }], async (server) => {
    const texts = [await (await ask(server)).json(), await (await ask(server)).json()];
    expect(texts).toMatchObject([
      { content: [{ type: 'text', text: 'one' }], stop_reason: 'end_turn' },
      { content: [{ type: 'text', text: 'two' }] },
    ]);
    expect(server.requests.map(({ model, tools }) => [model, ...tools])).toEqual([
      ['m', 'Write', 'Bash'],
      ['m', 'Write', 'Bash'],
    ]);
  }));

test('streams text and tool calls as server-sent events', () =>
  withServer(
    [{ text: 'now', calls: [{ tool: 'Bash', input: { command: 'ls' } }] }],
    async (server) => {
      const response = await ask(server, { stream: true });
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
    },
  ));

test('gives errors with their status, body and headers', () =>
  withServer(
    [
      { status: 429, headers: { 'retry-after': '7' } },
      { status: 400, body: { own: 1 } },
    ],
    async (server) => {
      const limited = await ask(server);
      expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7']);
      expect(await limited.json()).toMatchObject({ error: { type: 'rate_limit_error' } });
      expect(await (await ask(server)).json()).toEqual({ own: 1 });
    },
  ));

test('a script may be a function of the request', () =>
  withServer(
    ({ tools }, index) => ({ text: `${index}: ${tools.length}` }),
    async (server) => {
      expect(await (await ask(server)).text()).toContain('0: 2');
    },
  ));

test('a tool that is not offered fails the test', async () => {
  const server = await startModelServer([{ calls: [{ tool: 'Edit', input: {} }] }]);
  expect((await ask(server)).status).toBe(400);
  await expect(server.close()).rejects.toThrow('tool Edit is not offered; offered: Write, Bash');
});

test('a tool that is not offered can be called on purpose', () =>
  withServer([{ calls: [{ tool: 'Edit', input: {}, unoffered: true }] }], async (server) => {
    expect(await (await ask(server)).json()).toMatchObject({ content: [{ name: 'Edit' }] });
  }));

test('a request that the script does not know of fails the test', async () => {
  const server = await startModelServer([]);
  expect((await ask(server)).status).toBe(400);
  await expect(server.close()).rejects.toThrow('no turn for request 1');
});

test('what is no call of a model is kept apart', () =>
  withServer([], async (server) => {
    expect((await fetch(`${server.url}/telemetry`)).status).toBe(404);
    expect(server.strays).toEqual(['GET /telemetry']);
    expect(server.requests).toEqual([]);
  }));
