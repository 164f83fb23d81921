import { describe, expect, test } from 'vitest';

import { APIS, ask, withServer } from './client.ts';
import { startModelServer } from './server.ts';

const EDIT = { tool: 'Edit', input: {} };

test('listens on the loopback address only', () =>
  withServer([], async (server) => {
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await Promise.resolve();
  }));

describe.each(APIS)('asked in %s', (api) => {
  test('answers turn by turn, and remembers what it was asked', () =>
    withServer([{ text: 'one' }, { text: 'two' }], async (server) => {
      expect(await (await ask(server, api)).text()).toContain('"one"');
      expect(await (await ask(server, api)).text()).toContain('"two"');
      expect(server.requests).toMatchObject([
        { protocol: api, model: 'm', tools: ['Bash'], stream: false },
        { protocol: api, model: 'm', tools: ['Bash'], stream: false },
      ]);
      expect(server.requests[0]?.offered[0]?.schema).toHaveProperty('properties.command');
    }));

  test('a script may be a function of the request, and so may each of its turns', () =>
    withServer(
      ({ tools }, index) =>
        index === 0 ? { text: `0: ${tools.length}` } : ({ model }) => ({ text: `for ${model}` }),
      async (server) => {
        expect(await (await ask(server, api)).text()).toContain('0: 1');
        expect(await (await ask(server, api)).text()).toContain('for m');
      },
    ));

  test('a tool that is not offered fails the test', async () => {
    const server = await startModelServer([{ calls: [EDIT] }]);
    expect((await ask(server, api)).status).toBe(400);
    await expect(server.close()).rejects.toThrow('tool Edit is not offered; offered: Bash');
  });

  test('a tool that is not offered can be called on purpose', () =>
    withServer([{ calls: [{ ...EDIT, unoffered: true }] }], async (server) => {
      expect(await (await ask(server, api)).text()).toContain('"name":"Edit"');
    }));

  test('a request that the script does not know of fails the test', async () => {
    const server = await startModelServer([]);
    expect(await (await ask(server, api)).text()).toContain('no turn for request 1');
    await expect(server.close()).rejects.toThrow('no turn for request 1');
  });

  test('gives errors with the status, the body and the headers that the test wants', () =>
    withServer(
      [
        { status: 429, headers: { 'retry-after': '7' } },
        { status: 400, body: { own: 1 } },
        { status: 418, body: 'a teapot' },
      ],
      async (server) => {
        const limited = await ask(server, api);
        expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7']);
        expect(await limited.json()).toMatchObject({ error: { message: 'scripted error' } });
        expect(await (await ask(server, api)).json()).toEqual({ own: 1 });
        expect(await (await ask(server, api)).json()).toMatchObject({
          error: { message: 'a teapot' },
        });
      },
    ));

  test('good answers may have headers too', () =>
    withServer([{ text: 'ok', headers: { 'x-own': '1' } }], async (server) => {
      expect((await ask(server, api)).headers.get('x-own')).toBe('1');
    }));

  test('what offers no tools is an aside: the script is not asked, and it is not hidden', () =>
    withServer([{ text: 'the work' }], async (server) => {
      expect((await ask(server, api, { tools: {}, prompt: 'a title' })).status).toBe(200);
      expect(await (await ask(server, api)).text()).toContain('the work');
      expect(server.requests).toHaveLength(1);
      expect(server.asides).toMatchObject([
        { method: 'POST', body: expect.stringContaining('a title') },
      ]);
    }));

  test('the test says what an aside is and how it is answered', () =>
    withServer(
      [{ text: 'the work' }],
      async (server) => {
        const title = await ask(server, api, { prompt: 'a title' });
        expect(title.status).toBe(api === 'messages' ? 529 : 503);
        expect(await (await ask(server, api, { tools: {} })).text()).toContain('the work');
      },
      {
        aside: ({ body }) =>
          body.includes('a title') ? { failure: { kind: 'overloaded' } } : undefined,
      },
    ));
});

test('a list of models is an aside, and names none', () =>
  withServer([], async (server) => {
    const list = await fetch(`${server.url}/v1/models?client_version=1`);
    expect(await list.json()).toMatchObject({ data: [], models: [] });
    expect(server.asides).toEqual([{ method: 'GET', path: '/v1/models', body: '' }]);
    expect([...server.requests, ...server.strays]).toEqual([]);
  }));

test('what is no call of a model is kept apart', () =>
  withServer([], async (server) => {
    expect((await fetch(`${server.url}/telemetry`)).status).toBe(404);
    expect(server.strays).toEqual(['GET /telemetry']);
    expect(server.requests).toEqual([]);
  }));

test('a body that is no JSON fails the test', async () => {
  const server = await startModelServer([]);
  const asked = fetch(`${server.url}/v1/messages`, { method: 'POST', body: 'x' });
  await expect(asked).rejects.toThrow('fetch failed');
  await expect(server.close()).rejects.toThrow('JSON');
});
