/** OpenAI's Responses API on the wire, as far as an agent needs it. */
import { errorOf, refuse, refuseWith } from './openai-errors.ts';
import {
  type Answer,
  type Frame,
  type Protocol,
  USAGE,
  field,
  record,
  records,
} from './protocol.ts';
import type { OfferedTool } from './request.ts';

export const responses: Protocol = {
  name: 'responses',
  path: /\/responses$/,
  read(body) {
    const format = field(field(body, 'text'), 'format');
    return {
      model: String(body['model']),
      offered: records(body['tools']).flatMap((tool) => offeredBy(tool)),
      stream: body['stream'] === true,
      schema: format['schema'],
    };
  },
  whole: (answer) => toResponse(answer, itemsOf(answer)),
  frames: (answer) => numbered([...toEvents(answer)]),
  refuse,
  refuseWith,
  failInStream(failure, event) {
    const error = errorOf(failure);
    if (event === 'error') return [toFrame({ ...error, type: 'error', error })];
    const response = { id: 'resp_failed', object: 'response', status: 'failed', error };
    return [toFrame({ type: 'response.failed', response })];
  },
};

function offeredBy(tool: Record<string, unknown>, namespace = ''): OfferedTool[] {
  if (tool['type'] === 'namespace') {
    return records(tool['tools']).flatMap((inner) => offeredBy(inner, `${String(tool['name'])}.`));
  }
  // Tools that the vendor runs have no name but their type.
  const name = `${namespace}${String(tool['name'] ?? tool['type'])}`;
  if (tool['type'] === 'custom') return [{ name, freeform: true }];
  return [{ name, schema: tool['parameters'] }];
}

type Item = Record<string, unknown>;

function itemsOf({ id, words, calls }: Answer): Item[] {
  const text: Item[] = words.length === 0 ? [] : [messageItem(id, [part(words.join(''))])];
  return [...text, ...calls.map((call, n) => callItem(call, `${id}_${n}`))];
}

function messageItem(id: string, content: readonly object[]): Item {
  return { id: `msg_${id}`, type: 'message', status: 'completed', role: 'assistant', content };
}

function part(text: string) {
  return { type: 'output_text', text, annotations: [] };
}

function callItem({ name, input, offered }: Answer['calls'][number], id: string): Item {
  const dot = name.lastIndexOf('.');
  const names = {
    name: name.slice(dot + 1),
    ...(dot > 0 && { namespace: name.slice(0, dot) }),
  };
  const common = { status: 'completed', call_id: `call_${id}`, ...names };
  if (offered?.freeform ?? typeof input === 'string') {
    return { id: `ctc_${id}`, type: 'custom_tool_call', ...common, input };
  }
  return { id: `fc_${id}`, type: 'function_call', ...common, arguments: JSON.stringify(input) };
}

function toResponse({ id }: Answer, output: readonly Item[]) {
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: 0,
    status: 'completed',
    model: 'scripted',
    output,
    usage: {
      // The cached ones are among them.
      input_tokens: USAGE.input,
      input_tokens_details: {
        cached_tokens: USAGE.cacheRead,
        cache_write_tokens: USAGE.cacheWrite,
      },
      output_tokens: USAGE.output,
      output_tokens_details: { reasoning_tokens: USAGE.reasoning },
      total_tokens: USAGE.input + USAGE.output,
    },
  };
}

function* toEvents(answer: Answer): Generator<Frame> {
  const items = itemsOf(answer);
  const response = { ...toResponse(answer, []), status: 'in_progress', usage: null };
  yield toFrame({ type: 'response.created', response });
  yield toFrame({ type: 'response.in_progress', response });
  for (const [output_index, item] of items.entries()) {
    const place = { item_id: item['id'], output_index };
    const added = { ...item, status: 'in_progress', ...EMPTY[String(item['type'])] };
    yield toFrame({ type: 'response.output_item.added', output_index, item: added });
    yield* item['type'] === 'message' ? textEvents(answer, place) : callEvents(item, place);
    yield toFrame({ type: 'response.output_item.done', output_index, item });
  }
  yield toFrame({ type: 'response.completed', response: toResponse(answer, items) });
}

/** What is still missing of an item when it is announced. */
const EMPTY: Readonly<Record<string, object>> = {
  message: { content: [] },
  function_call: { arguments: '' },
  custom_tool_call: { input: '' },
};

function* textEvents({ words }: Answer, place: object): Generator<Frame> {
  const at = { ...place, content_index: 0 };
  const text = words.join('');
  yield toFrame({ type: 'response.content_part.added', ...at, part: part('') });
  for (const delta of words) {
    yield { ...toFrame({ type: 'response.output_text.delta', ...at, delta }), delta: true };
  }
  yield toFrame({ type: 'response.output_text.done', ...at, text });
  yield toFrame({ type: 'response.content_part.done', ...at, part: part(text) });
}

function* callEvents(item: Item, place: object): Generator<Frame> {
  const custom = item['type'] === 'custom_tool_call';
  const type = custom ? 'response.custom_tool_call_input' : 'response.function_call_arguments';
  const name = custom ? 'input' : 'arguments';
  const value = item[name];
  yield { ...toFrame({ type: `${type}.delta`, ...place, delta: value }), delta: true };
  yield toFrame({ type: `${type}.done`, ...place, [name]: value });
}

function toFrame(event: Record<string, unknown>): Frame {
  return { event: String(event['type']), data: event };
}

function numbered(frames: readonly Frame[]): Frame[] {
  return frames.map((frame, n) => {
    return { ...frame, data: { ...record(frame.data), sequence_number: n } };
  });
}
