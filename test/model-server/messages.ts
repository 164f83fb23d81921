/** Anthropic's Messages API on the wire, as far as an agent needs it. */
import { refuse, refuseWith } from './anthropic-errors.ts';
import { type Answer, type Frame, type Protocol, USAGE, record, records } from './protocol.ts';

/** The tool by which Claude Code takes an answer that is to obey a schema. */
export const STRUCTURED_OUTPUT = 'StructuredOutput';

const USED = {
  input_tokens: USAGE.input,
  cache_creation_input_tokens: USAGE.cacheWrite,
  cache_read_input_tokens: USAGE.cacheRead,
};

export const messages: Protocol = {
  name: 'messages',
  path: /\/v1\/messages$/,
  read({ model, tools, stream }) {
    const offered = records(tools).map((tool) => ({
      name: String(tool['name']),
      schema: tool['input_schema'],
    }));
    return {
      model: String(model),
      offered,
      stream: stream === true,
      schema: offered.find(({ name }) => name === STRUCTURED_OUTPUT)?.schema,
    };
  },
  whole: toMessage,
  frames: (answer) => [...toEvents(answer)],
  refuse,
  refuseWith,
  failInStream: (failure) => [toFrame(record(refuse(failure).body))],
};

type Block =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
    };

function toMessage({ id, words, calls }: Answer) {
  const text: Block[] = words.length === 0 ? [] : [{ type: 'text', text: words.join('') }];
  const uses = calls.map(({ name, input }, n): Block => {
    return { type: 'tool_use', id: `toolu_${id}_${n}`, name, input };
  });
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-scripted',
    content: [...text, ...uses],
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { ...USED, output_tokens: USAGE.output },
  };
}

function* toEvents(answer: Answer): Generator<Frame> {
  const message = toMessage(answer);
  yield toFrame({
    type: 'message_start',
    message: { ...message, content: [], stop_reason: null, usage: { ...USED, output_tokens: 1 } },
  });
  for (const [index, block] of message.content.entries()) {
    const text = block.type === 'text';
    const content_block = text ? { ...block, text: '' } : { ...block, input: {} };
    const deltas = text
      ? answer.words.map((word) => ({ type: 'text_delta', text: word }))
      : [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }];
    yield toFrame({ type: 'content_block_start', index, content_block });
    for (const delta of deltas) {
      yield { ...toFrame({ type: 'content_block_delta', index, delta }), delta: true };
    }
    yield toFrame({ type: 'content_block_stop', index });
  }
  yield toFrame({
    type: 'message_delta',
    delta: { stop_reason: message.stop_reason, stop_sequence: null },
    usage: { output_tokens: USAGE.output },
  });
  yield toFrame({ type: 'message_stop' });
}

function toFrame(event: Record<string, unknown>): Frame {
  return { event: String(event['type']), data: event };
}
