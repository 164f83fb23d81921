import { describe, expect, test } from 'vitest';

import { APIS, ask, eventsIn, stream, withServer } from './client.ts';
import { cut, emptyReply, failing, hang, holdUntil, say, slowly } from './scenarios.ts';

describe.each(APIS)('in %s', (api) => {
  /** A stream that is read as it comes. */
  const open = async (...asked: Parameters<typeof ask>) => {
    const response = await ask(...asked);
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    let text = '';
    return {
      status: response.status,
      /** Reads until the text holds it. */
      async until(part: string) {
        while (!text.includes(part)) {
          const { value, done } = (await reader?.read()) ?? { done: true };
          if (done) throw new Error(`ended before ${part}: ${text}`);
          text += decoder.decode(value);
        }
        return text;
      },
    };
  };

  test('a stream that is cut has said all of its words, and its end never comes', () =>
    withServer([cut(say('half a word')), say('whole')], async (server) => {
      const broken = await open(server, api, { stream: true });
      const text = await broken.until('half a word');
      await expect(broken.until('never')).rejects.toThrow('terminated');
      const all = await stream(server, api);
      expect(eventsIn(text).length).toBeGreaterThan(0);
      expect(eventsIn(text).length).toBeLessThan(all.length);
    }));

  test('with nothing said it is cut after the headers', () =>
    withServer([cut()], async (server) => {
      const broken = await open(server, api, { stream: true });
      expect(broken.status).toBe(200);
      await expect(broken.until('data')).rejects.toThrow('terminated');
    }));

  test('an answer that is not streamed is cut in half', () =>
    withServer([cut(say('one'))], async (server) => {
      const response = await ask(server, api);
      expect(response.status).toBe(200);
      await expect(response.text()).rejects.toThrow('terminated');
    }));

  test.each([true, false])(
    'hangs after its headers until the server closes (stream: %s)',
    async (streamed) => {
      let reading: Promise<string> | undefined;
      await withServer([hang()], async (server) => {
        const response = await ask(server, api, { stream: streamed });
        expect(response.status).toBe(200);
        reading = response.text();
        reading.catch(() => undefined);
      });
      await expect(reading).rejects.toThrow('terminated');
    },
  );

  test('hangs after what it has said', () =>
    withServer([hang(say('thinking'))], async (server) => {
      const hanging = await open(server, api, { stream: true });
      expect(await hanging.until('thinking')).not.toMatch(/message_stop|completed|DONE/);
    }));

  test('holds its answer back until a promise is settled', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await withServer([holdUntil(held, say('at last'))], async (server) => {
      const response = await ask(server, api, { stream: true });
      expect(response.status).toBe(200);
      release();
      expect(await response.text()).toContain('at last');
    });
  });

  test('waits before each word', () =>
    withServer([slowly('one two three', 40)], async (server) => {
      const start = performance.now();
      const events = await stream(server, api);
      expect(performance.now() - start).toBeGreaterThan(110);
      const text = JSON.stringify(events);
      for (const word of ['"one "', '"two "', '"three"']) expect(text).toContain(word);
    }));

  test('a failure that is reported inside the stream ends it', () =>
    withServer([failing('overloaded', say('begun'))], async (server) => {
      const events = await stream(server, api);
      expect(JSON.stringify(events)).toContain('begun');
      expect(JSON.stringify(events.at(-1))).toMatch(/overloaded/);
    }));

  test('without a stream the same failure is a refusal', () =>
    withServer([failing('rate-limit', say('begun'))], async (server) => {
      expect((await ask(server, api)).status).toBe(429);
    }));

  test.each([true, false])('an empty reply is a good one (stream: %s)', (streamed) =>
    withServer([emptyReply], async (server) => {
      const response = await ask(server, api, { stream: streamed });
      expect(response.status).toBe(200);
      expect(await response.text()).not.toMatch(/"(text|content)":"[^"]/);
    }),
  );
});

test('stops a slow answer when the agent has gone', () =>
  withServer([slowly('one two', 60_000), say('next')], async (server) => {
    const leave = new AbortController();
    const gone = fetch(`${server.url}/v1/responses`, {
      method: 'POST',
      body: JSON.stringify({ stream: true, tools: [{ name: 'Bash' }] }),
      signal: leave.signal,
    }).then((response) => response.text());
    while (server.requests.length === 0) await new Promise(setImmediate);
    leave.abort();
    await expect(gone).rejects.toThrow('abort');
    expect(JSON.stringify(await stream(server, 'responses'))).toContain('next');
  }));
