import { type IncomingHttpHeaders, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Message } from '../src/notify/message.js';

export interface Received {
  readonly url: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly message: Message;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Nobody listens there any more. */
  close(): Promise<void>;
}

/** Answers a request, which is the how-manieth of its kind, from 1 on; not at all where it does nothing. */
export type Answer = (response: ServerResponse, count: number) => void;

/** A real server to which messages are posted. */
export async function receiver(
  answer: Answer = (response) => response.end('ok'),
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const { url = '', method = '', headers } = request;
      received.push({ url, method, headers, message: JSON.parse(body || '{}') as Message });
      answer(response, received.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  onTestFinished(close);
  return { url, received, close };
}
