/**
 * A scripted model on 127.0.0.1: it answers a real agent CLI turn by turn, without an account. A
 * script knows nothing of the API that the agent speaks; what that looks like is a `Protocol`.
 *
 *     const server = await startModelServer([
 *       work('First the file.', writeFile('/tmp/a.txt', 'a'), shell('git add a.txt')),
 *       refused('rate-limit', { retryAfterSeconds: 1 }),
 *       say('Done.'),
 *     ]);
 *     …an agent that asks `server.url`, or `${server.url}/v1` where it speaks OpenAI's APIs…
 *     await server.close(); // Rejects where the agent left the script.
 */
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';

import { chatCompletions } from './chat-completions.ts';
import { deliver } from './delivery.ts';
import { messages } from './messages.ts';
import { type Protocol, record } from './protocol.ts';
import { type Refused, type Reply, toReply } from './reply.ts';
import type { ModelRequest } from './request.ts';
import { responses } from './responses.ts';
import type { ErrorTurn, Script, Turn } from './turns.ts';

export type { ModelRequest } from './request.ts';
export type { Script, Turn } from './turns.ts';

export interface ModelServer {
  readonly url: string;
  /** The calls of the model that the script answered, in order. */
  readonly requests: readonly ModelRequest[];
  /** What an agent asked beside its work and the script was not asked about. */
  readonly asides: readonly Aside[];
  /** Requests that no protocol knows, as `METHOD /path`. */
  readonly strays: readonly string[];
  /** Ends the server. Rejects with everything that went against the script. */
  close(): Promise<void>;
}

export interface Aside {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

export interface ModelServerOptions {
  /**
   * Answers what is no part of the work, such as the title of a conversation, without using up a
   * turn; undefined leaves the request to the script. Without it, requests that offer no tool are
   * asides.
   */
  readonly aside?: (request: ModelRequest) => Turn | undefined;
}

const PROTOCOLS: readonly Protocol[] = [messages, responses, chatCompletions];

export async function startModelServer(
  script: Script,
  { aside = withoutTools }: ModelServerOptions = {},
): Promise<ModelServer> {
  const books: Books = { script, aside, requests: [], asides: [], strays: [], faults: [] };
  const server = createServer((request, response) => {
    answer(request, response, books).catch((error: unknown) => {
      books.faults.push(String(error));
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const { requests, asides, strays, faults } = books;
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    asides,
    strays,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (faults.length > 0) throw new Error(faults.join('; '));
    },
  };
}

function withoutTools({ tools }: ModelRequest): Turn | undefined {
  return tools.length === 0 ? { text: 'An aside' } : undefined;
}

interface Books extends Required<ModelServerOptions> {
  readonly script: Script;
  readonly requests: ModelRequest[];
  readonly asides: Aside[];
  readonly strays: string[];
  readonly faults: string[];
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  books: Books,
): Promise<void> {
  const method = incoming.method ?? '';
  const path = new URL(incoming.url ?? '/', 'http://localhost').pathname;
  const body = await readAll(incoming);
  if (body === undefined) return;
  if (method === 'GET' && path.endsWith('/models')) {
    books.asides.push({ method, path, body });
    // No model: an agent then uses the one it was told. `data` is OpenAI's form, `models` Codex's.
    sendJson(response, 200, { object: 'list', data: [], models: [] });
    return;
  }
  const protocol = PROTOCOLS.find((known) => method === 'POST' && known.path.test(path));
  if (protocol === undefined) {
    books.strays.push(`${method} ${path}`);
    response.writeHead(404).end();
    return;
  }
  const asked = protocol.read(record(JSON.parse(body)));
  const tools = asked.offered.map(({ name }) => name);
  const { name } = protocol;
  const request = { ...asked, protocol: name, path, headers: incoming.headers, tools, body };
  const reply = replyTo(request, books);
  if ('answer' in reply) await deliver(response, protocol, reply, request.stream);
  else refuse(response, protocol, reply);
}

/** What answers a request. What does not fit becomes a refusal and is kept as a fault. */
function replyTo(request: ModelRequest, books: Books): Reply {
  try {
    const beside = books.aside(request);
    if (beside !== undefined) {
      const { path, body } = request;
      const number = books.asides.push({ method: 'POST', path, body });
      return toReply(beside, request, `aside${number}`);
    }
    const { script } = books;
    const index = books.requests.push(request) - 1;
    const step = typeof script === 'function' ? script(request, index) : script[index];
    if (step === undefined) throw new Error(`no turn for request ${index + 1}`);
    const turn = typeof step === 'function' ? step(request) : step;
    return toReply(turn, request, String(index));
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    books.faults.push(fault);
    // One that no agent tries again: a script that does not fit ends the agent at once.
    return { status: 400, body: fault };
  }
}

function refuse(response: ServerResponse, protocol: Protocol, turn: Refused): void {
  const { status, headers, body } =
    'failure' in turn ? protocol.refuse(turn.failure) : ownRefusal(turn, protocol);
  sendJson(response, status, body, { ...headers, ...turn.headers });
}

function ownRefusal({ status, body }: ErrorTurn, protocol: Protocol) {
  const own = typeof body === 'object' ? body : protocol.refuseWith(status, body);
  return { status, body: own, headers: {} };
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** The body, or undefined where the agent went away before it was sent. */
async function readAll(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString('utf8');
}
