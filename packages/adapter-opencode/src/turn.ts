import type { AgentFailure, AgentResult, TurnState } from '@devflow/core/adapter';

import type { Spent } from './outcome.js';

/** What the stream has said so far. */
export interface Turn {
  /** The session of the agent itself; those of sub-agents are others. */
  sessionId: string | undefined;
  /** Has an event stood for the session? */
  announced: boolean;
  begun: boolean;
  /** How the last step ended it, until another begins. */
  ended: 'finished' | 'failed' | undefined;
  /** Tool calls that began, of the agent itself. */
  readonly calls: Set<string>;
  /** Of the step that was begun last. */
  stepText: string | undefined;
  lastText: string | undefined;
  /** Of the last error or retry, until the model answers again. */
  trouble: AgentFailure | undefined;
  spent: Spent | undefined;
  readonly denials: string[];
}

export function newTurn(): Turn {
  return {
    sessionId: undefined,
    announced: false,
    begun: false,
    ended: undefined,
    calls: new Set(),
    stepText: undefined,
    lastText: undefined,
    trouble: undefined,
    spent: undefined,
    denials: [],
  };
}

/** A model answers: what went wrong before is over. */
export function beginStep(turn: Turn): void {
  turn.begun = true;
  turn.ended = undefined;
  turn.trouble = undefined;
  turn.stepText = undefined;
}

export function fail(turn: Turn, trouble: AgentFailure): void {
  turn.begun = true;
  turn.ended = 'failed';
  turn.trouble = trouble;
}

export function stateOf({ begun, ended }: Turn): TurnState {
  if (ended === undefined) return begun ? 'working' : 'unknown';
  return ended === 'finished' ? 'turn_finished' : 'failed';
}

export function resultOf(turn: Turn): AgentResult {
  const { ended, sessionId, spent, trouble, denials, stepText, lastText } = turn;
  // A last step without words is an answer without words, whatever was said before it.
  const finalText = ended === 'finished' ? stepText : lastText;
  // Ended from outside while it waited to try again: the limit is the cause, not whoever ended it.
  const isCause = ended === 'failed' || (ended === undefined && trouble?.kind !== 'failed');
  return {
    turn: ended ?? 'open',
    ...(finalText !== undefined && { finalText }),
    ...(sessionId !== undefined && { sessionId }),
    ...spent,
    ...(isCause && trouble !== undefined && { failure: trouble }),
    ...(denials.length > 0 && { denials: [...denials] }),
  };
}
