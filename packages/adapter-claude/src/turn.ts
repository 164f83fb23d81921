import {
  type AgentFailure,
  type AgentResult,
  type Clock,
  type Fields,
  type TurnState,
  text,
} from '@devflow/core/adapter';

import { type Spent, type Trouble, endedWell } from './outcome.js';
import type { Action } from './tools.js';

/** What the stream has said so far. */
export interface Turn {
  /** For what the agent says of a time. */
  readonly clock: Clock;
  begun: boolean;
  sessionId: string | undefined;
  /** The last terminal event, until the agent goes on: a background task that ends makes it take another turn. */
  ended: Fields | undefined;
  readonly calls: Map<string, { action: Action; child: boolean }>;
  /** Background tasks at work, by the agent's own count. */
  background: number;
  lastText: string | undefined;
  /** Of the last error, retry or result, until the model answers again. */
  trouble: Trouble | undefined;
  /** When a limit ends, by an event of its own. */
  resetsAt: string | undefined;
  spent: Spent | undefined;
  readonly denials: Map<string, string>;
}

export function newTurn(clock: Clock): Turn {
  return {
    clock,
    begun: false,
    sessionId: undefined,
    ended: undefined,
    calls: new Map(),
    background: 0,
    lastText: undefined,
    trouble: undefined,
    resetsAt: undefined,
    spent: undefined,
    denials: new Map(),
  };
}

/** What any event of the agent itself says of its turn. */
export function takeUp(turn: Turn, entry: Fields, type: string): void {
  turn.sessionId = text(entry['session_id']) ?? turn.sessionId;
  const goesOn = type === 'assistant' || type === 'user' || entry['subtype'] === 'init';
  if (goesOn) {
    turn.begun = true;
    turn.ended = undefined;
  }
  if (type === 'assistant') turn.trouble = undefined;
}

export function openCallsOf(turn: Turn): number {
  // While the turn goes on, its background tasks are no reason for the agent to be silent.
  if (turn.ended !== undefined) return turn.background;
  return [...turn.calls.values()].filter(({ child }) => !child).length;
}

export function stateOf(turn: Turn): TurnState {
  if (turn.ended === undefined) return turn.begun ? 'working' : 'unknown';
  if (!endedWell(turn.ended)) return 'failed';
  return turn.background > 0 ? 'working' : 'turn_finished';
}

export function resultOf(turn: Turn): AgentResult {
  const state = stateOf(turn);
  const finished = state === 'turn_finished';
  // What was said before the last call of a tool is no answer of a turn that ended without a word.
  const finalText = finished ? text(turn.ended?.['result']) : turn.lastText;
  const failure = failureOf(turn);
  const structuredOutput = finished ? turn.ended?.['structured_output'] : undefined;
  return {
    turn: finished ? 'finished' : state === 'failed' ? 'failed' : 'open',
    ...(finalText !== undefined && { finalText }),
    ...(turn.sessionId !== undefined && { sessionId: turn.sessionId }),
    ...turn.spent,
    ...(structuredOutput !== undefined && { structuredOutput }),
    ...(failure !== undefined && { failure }),
    ...(turn.denials.size > 0 && { denials: [...turn.denials.values()] }),
  };
}

function failureOf({
  ended,
  trouble,
  resetsAt = trouble?.resetsAt,
}: Turn): AgentFailure | undefined {
  // Ended from outside while it waited to try again: the limit is the cause, not whoever ended it.
  const counts = ended === undefined ? trouble?.kind !== 'failed' : !endedWell(ended);
  if (trouble === undefined || !counts) return undefined;
  const { kind, message } = trouble;
  return { kind, message, ...(kind === 'rate-limited' && resetsAt !== undefined && { resetsAt }) };
}
