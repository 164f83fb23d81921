/** OpenAI's chat completions on the wire, as they and their many likes are spoken. */
import { errorOf, refuse, refuseWith } from './openai-errors.ts';
import { type Answer, type Frame, type Protocol, USAGE, field, records } from './protocol.ts';

export const chatCompletions: Protocol = {
  name: 'chat-completions',
  path: /\/chat\/completions$/,
  read(body) {
    const format = field(field(body, 'response_format'), 'json_schema');
    return {
      model: String(body['model']),
      offered: records(body['tools']).map((tool) => {
        const described = field(tool, 'function');
        return { name: String(described['name']), schema: described['parameters'] };
      }),
      stream: body['stream'] === true,
      schema: format['schema'],
    };
  },
  whole(answer) {
    const tool_calls = toolCalls(answer);
    const message = {
      role: 'assistant',
      content: answer.words.length === 0 ? null : answer.words.join(''),
      ...(tool_calls.length > 0 && { tool_calls }),
    };
    return {
      ...envelope(answer, 'chat.completion'),
      choices: [{ index: 0, message, finish_reason: finishOf(answer) }],
      usage: USED,
    };
  },
  frames: (answer) => [...toChunks(answer)],
  refuse,
  refuseWith,
  failInStream: (failure) => [{ data: { error: errorOf(failure) } }],
};

const USED = {
  // The cached ones are among them.
  prompt_tokens: USAGE.input,
  prompt_tokens_details: { cached_tokens: USAGE.cacheRead },
  completion_tokens: USAGE.output,
  completion_tokens_details: { reasoning_tokens: USAGE.reasoning },
  total_tokens: USAGE.input + USAGE.output,
};

function envelope({ id }: Answer, object: string) {
  return { id: `chatcmpl-${id}`, object, created: 0, model: 'scripted' };
}

function toolCalls({ id, calls }: Answer) {
  return calls.map(({ name, input }, n) => ({
    id: `call_${id}_${n}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
}

function finishOf({ calls }: Answer): string {
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

function* toChunks(answer: Answer): Generator<Frame> {
  const chunk = (delta: object, finish_reason: string | null = null): Frame => ({
    data: {
      ...envelope(answer, 'chat.completion.chunk'),
      choices: [{ index: 0, delta, finish_reason }],
    },
  });
  yield chunk({ role: 'assistant', content: '' });
  for (const content of answer.words) yield { ...chunk({ content }), delta: true };
  for (const [index, call] of toolCalls(answer).entries()) {
    const { arguments: text, name } = call.function;
    yield chunk({ tool_calls: [{ ...call, index, function: { name, arguments: '' } }] });
    yield { ...chunk({ tool_calls: [{ index, function: { arguments: text } }] }), delta: true };
  }
  yield chunk({}, finishOf(answer));
  // Sent whether or not `stream_options` ask for it: who did not ask does not mind.
  yield { data: { ...envelope(answer, 'chat.completion.chunk'), choices: [], usage: USED } };
  yield { data: '[DONE]' };
}
