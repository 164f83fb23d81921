/**
 * A scripted model on 127.0.0.1: it answers a real agent CLI turn by turn, without an account. What
 * one API looks like on the wire is a {@link Protocol}; a script knows nothing of it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import { messages } from './messages-protocol.ts';

/** What the model does next. */
export type Turn = MessageTurn | ErrorTurn;

export interface MessageTurn {
  readonly text?: string;
  readonly calls?: readonly ToolCall[];
}

export interface ToolCall {
  /** Name of the tool. A tool that the request does not offer is a fault of the test. */
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Call it although it is not offered, as a model may. */
  readonly unoffered?: true;
}

export interface ErrorTurn {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One call of the model. */
export interface ModelRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly model: string;
  /** Names of the tools that the agent offers. */
  readonly tools: readonly string[];
  /** The whole body as text. */
  readonly body: string;
}

/** A turn for each request in order, or a function of the request and its number from 0. */
export type Script = readonly Turn[] | ((request: ModelRequest, index: number) => Turn);

export interface ModelServer {
  readonly url: string;
  /** The calls of the model so far. */
  readonly requests: readonly ModelRequest[];
  /** Requests that no protocol knows, as `METHOD /path`. */
  readonly strays: readonly string[];
  /** Ends the server. Rejects with everything that went against the script. */
  close(): Promise<void>;
}

/** How one vendor's API carries a turn. */
export interface Protocol {
  readonly path: RegExp;
  read(body: unknown): {
    readonly model: string;
    readonly tools: readonly string[];
    stream: boolean;
  };
  write(turn: MessageTurn, index: number, stream: boolean): { type: string; body: string };
  error(turn: ErrorTurn): unknown;
}

const PROTOCOLS: readonly Protocol[] = [messages];

export async function startModelServer(script: Script): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const strays: string[] = [];
  const faults: string[] = [];
  const server = createServer((request, response) => {
    answer(request, response, { script, requests, strays, faults }).catch((error: unknown) => {
      faults.push(String(error));
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    strays,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (faults.length > 0) throw new Error(faults.join('; '));
    },
  };
}

interface Books {
  readonly script: Script;
  readonly requests: ModelRequest[];
  readonly strays: string[];
  readonly faults: string[];
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  { script, requests, strays, faults }: Books,
): Promise<void> {
  const body = await readAll(incoming);
  const path = new URL(incoming.url ?? '/', 'http://localhost').pathname;
  const protocol = PROTOCOLS.find((known) => incoming.method === 'POST' && known.path.test(path));
  if (protocol === undefined) {
    strays.push(`${incoming.method} ${path}`);
    response.writeHead(404).end();
    return;
  }
  const { model, tools, stream } = protocol.read(JSON.parse(body));
  const request = { path, headers: incoming.headers, model, tools, body };
  const index = requests.push(request) - 1;
  const turn = typeof script === 'function' ? script(request, index) : script[index];
  const fault = turn === undefined ? `no turn for request ${index + 1}` : notOffered(turn, tools);
  if (fault !== undefined) faults.push(fault);
  if (turn === undefined || fault !== undefined || 'status' in turn) {
    // A refusal that no agent retries: a script that does not fit ends the agent at once.
    const error: ErrorTurn =
      turn !== undefined && 'status' in turn ? turn : { status: 400, body: fault };
    response.writeHead(error.status, { 'content-type': 'application/json', ...error.headers });
    response.end(JSON.stringify(protocol.error(error)));
    return;
  }
  const written = protocol.write(turn, index, stream);
  response.writeHead(200, { 'content-type': written.type }).end(written.body);
}

function notOffered(turn: Turn, tools: readonly string[]): string | undefined {
  if ('status' in turn) return undefined;
  const missing = turn.calls?.find((call) => !tools.includes(call.tool) && !call.unoffered);
  return missing && `tool ${missing.tool} is not offered; offered: ${tools.join(', ') || 'none'}`;
}

async function readAll(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
