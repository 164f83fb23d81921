/** Asks the model server as an agent does, in each of its APIs. */
import { record } from './protocol.ts';
import type { ProtocolName } from './request.ts';
import {
  type ModelServer,
  type ModelServerOptions,
  type Script,
  startModelServer,
} from './server.ts';

export const APIS: readonly ProtocolName[] = ['messages', 'responses', 'chat-completions'];

/** Tools as the agents offer them: a name and the arguments it takes. */
export type Tools = Readonly<Record<string, Readonly<Record<string, object>>>>;

export const SHELL: Tools = { Bash: { command: { type: 'string' } } };

export async function withServer(
  script: Script,
  use: (server: ModelServer) => Promise<void>,
  options: ModelServerOptions = {},
): Promise<void> {
  const server = await startModelServer(script, options);
  try {
    await use(server);
  } finally {
    await server.close();
  }
}

export function ask(
  server: ModelServer,
  api: ProtocolName,
  { tools = SHELL, ...body }: { readonly tools?: Tools; readonly [key: string]: unknown } = {},
): Promise<Response> {
  const offered = Object.entries(tools).map(([name, properties]) =>
    FORMS[api].tool(name, { type: 'object', properties }),
  );
  return fetch(`${server.url}${FORMS[api].path}`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', tools: offered, ...body }),
  });
}

/** Asks for a stream and gives its events. */
export async function stream(
  server: ModelServer,
  api: ProtocolName,
  body: Parameters<typeof ask>[2] = {},
): Promise<Record<string, unknown>[]> {
  const response = await ask(server, api, { ...body, stream: true });
  return eventsIn(await response.text());
}

export function eventsIn(text: string): Record<string, unknown>[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data: {'));
  return lines.map((line) => record(JSON.parse(line.slice('data: '.length))));
}

const FORMS = {
  messages: {
    path: '/v1/messages?beta=true',
    tool: (name: string, schema: object): object => ({ name, input_schema: schema }),
  },
  responses: {
    path: '/v1/responses',
    tool: (name: string, schema: object): object => ({
      type: 'function',
      name,
      parameters: schema,
    }),
  },
  'chat-completions': {
    path: '/v1/chat/completions',
    tool: (name: string, schema: object): object => ({
      type: 'function',
      function: { name, parameters: schema },
    }),
  },
};
