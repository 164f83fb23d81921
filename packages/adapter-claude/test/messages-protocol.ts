/** The Messages API on the wire, as far as an agent needs it. */
import type { MessageTurn, Protocol } from './model-server.ts';

/** Each message is billed the same, so that a test can tell the calls by the sums. */
const USAGE = { input_tokens: 1000, cache_creation_input_tokens: 100, cache_read_input_tokens: 10 };
const OUTPUT_TOKENS = 50;

export const messages: Protocol = {
  path: /\/v1\/messages$/,
  read(body) {
    const { model, tools, stream } = record(body);
    return {
      model: String(model),
      tools: Array.isArray(tools) ? tools.map((tool) => String(record(tool)['name'])) : [],
      stream: stream === true,
    };
  },
  write(turn, index, stream) {
    const message = toMessage(turn, index);
    if (!stream) return { type: 'application/json', body: JSON.stringify(message) };
    return {
      type: 'text/event-stream',
      body: [...toEvents(message)]
        .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
        .join(''),
    };
  },
  error({ status, body }) {
    if (typeof body === 'object' && body !== null) return body;
    const type = ERROR_TYPES[status] ?? 'api_error';
    return { type: 'error', error: { type, message: body ?? 'scripted error' } };
  },
};

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

interface Message {
  readonly content: readonly Block[];
  readonly stop_reason: string;
  readonly [key: string]: unknown;
}

type Block =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
    };

function toMessage(turn: MessageTurn, index: number): Message {
  const calls = turn.calls ?? [];
  const text: Block[] = turn.text === undefined ? [] : [{ type: 'text', text: turn.text }];
  const uses = calls.map(({ tool, input }, n): Block => {
    return { type: 'tool_use', id: `toolu_${index}_${n}`, name: tool, input };
  });
  return {
    id: `msg_${index}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-scripted',
    content: [...text, ...uses],
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { ...USAGE, output_tokens: OUTPUT_TOKENS },
  };
}

function* toEvents(message: Message): Generator<{ type: string; [key: string]: unknown }> {
  const opening = { ...USAGE, output_tokens: 1 };
  yield {
    type: 'message_start',
    message: { ...message, content: [], stop_reason: null, usage: opening },
  };
  for (const [index, block] of message.content.entries()) {
    const text = block.type === 'text';
    const empty = text ? { ...block, text: '' } : { ...block, input: {} };
    const delta = text
      ? { type: 'text_delta', text: block.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
    yield { type: 'content_block_start', index, content_block: empty };
    yield { type: 'content_block_delta', index, delta };
    yield { type: 'content_block_stop', index };
  }
  yield {
    type: 'message_delta',
    delta: { stop_reason: message.stop_reason, stop_sequence: null },
    usage: { output_tokens: OUTPUT_TOKENS },
  };
  yield { type: 'message_stop' };
}

function record(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new TypeError('not an object');
  return { ...value };
}
