/** Fits a turn of the script to the request that it answers. */
import type { Answer } from './protocol.ts';
import type { ModelRequest } from './request.ts';
import type { Call, ErrorTurn, FailureTurn, MessageTurn, ResolvedCall, Turn } from './turns.ts';

export type Reply = MessageReply | Refused;

export interface MessageReply {
  readonly turn: MessageTurn;
  readonly answer: Answer;
}

export type Refused = FailureTurn | ErrorTurn;

/** Throws where a call does not fit the tools that are offered. */
export function toReply(turn: Turn, request: ModelRequest, id: string): Reply {
  if ('status' in turn || 'failure' in turn) return turn;
  // Before a byte of it is sent, a failure is a plain refusal.
  if (!request.stream && typeof turn.breaks === 'object') return { failure: turn.breaks.failure };
  const calls = (turn.calls ?? []).map((call) => resolve(call, request));
  return { turn, answer: { id, words: wordsOf(turn), calls } };
}

function resolve(call: Call, request: ModelRequest): ResolvedCall {
  const { tool, input, unoffered } = typeof call === 'function' ? call(request) : call;
  const offered = request.offered.find(({ name }) => name === tool);
  if (offered === undefined && !unoffered) {
    const names = request.tools.join(', ') || 'none';
    throw new Error(`tool ${tool} is not offered; offered: ${names}`);
  }
  return { name: tool, input, ...(offered && { offered }) };
}

function wordsOf({ text = '', wordEveryMs }: MessageTurn): readonly string[] {
  const words = wordEveryMs === undefined ? [text] : text.split(/(?<=\s)(?=\S)/);
  return words.filter((word) => word !== '');
}
