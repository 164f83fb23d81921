import {
  type AgentFailure,
  type AgentResult,
  type Fields,
  type TurnState,
  type Usage,
  fields,
  number,
  readEntry,
  usageBy,
} from '@devflow/core/adapter';

/** What the stream has said so far. */
export interface Turn {
  begun: boolean;
  sessionId: string | undefined;
  /** By the last terminal event, until the agent goes on. */
  ended: 'completed' | 'failed' | undefined;
  /** Of the last error event, until the model answers again. */
  trouble: AgentFailure | undefined;
  /** Ids of the items that the agent waits for. */
  readonly calls: Set<string>;
  lastText: string | undefined;
  usage: Usage | undefined;
  readonly denials: string[];
  /** Actions that came to their end, and those among them that the sandbox could not start. */
  done: number;
  blocked: number;
  /** What the sandbox said. */
  sandboxError: string | undefined;
}

export function newTurn(): Turn {
  return {
    begun: false,
    sessionId: undefined,
    ended: undefined,
    trouble: undefined,
    calls: new Set(),
    lastText: undefined,
    usage: undefined,
    denials: [],
    done: 0,
    blocked: 0,
    sandboxError: undefined,
  };
}

/** The agent is at work, again if need be: what it said of its end, and of an error, is past. */
export function goesOn(turn: Turn): void {
  turn.begun = true;
  turn.ended = undefined;
  turn.trouble = undefined;
}

export function stateOf(turn: Turn): TurnState {
  if (turn.ended === undefined) return turn.begun ? 'working' : 'unknown';
  return turn.ended === 'failed' || hadNoSandbox(turn) ? 'failed' : 'turn_finished';
}

/** Nothing that the agent did could be started. Codex ends such a turn as a good one. */
function hadNoSandbox({ done, blocked }: Turn): boolean {
  return done > 0 && blocked === done;
}

/**
 * Tokens of the session since it began, as Codex counts them: a continued one goes on from where it
 * stood, and a fork from where its source stood. Sub-agents are not in it. `input_tokens` holds the
 * cached and the newly cached ones too, as in the Responses API; devflow counts each token once.
 */
export function usageOf(event: Fields): Usage | undefined {
  const stated = fields(event['usage']);
  if (stated === undefined) return undefined;
  const input = number(stated['input_tokens']);
  const cacheRead = number(stated['cached_input_tokens']);
  const cacheWrite = number(stated['cache_write_input_tokens']);
  const rest = input === undefined ? undefined : input - (cacheRead ?? 0) - (cacheWrite ?? 0);
  const counts = {
    inputTokens: rest,
    outputTokens: number(stated['output_tokens']),
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
  };
  return usageBy((kind) => {
    const count = counts[kind];
    return count === undefined || count < 0 ? undefined : count;
  });
}

export function resultOf(turn: Turn): AgentResult {
  const state = stateOf(turn);
  const { sessionId, lastText, usage, denials } = turn;
  const failure = failureIn(turn);
  const structured = lastText === undefined ? undefined : readEntry(lastText.trim());
  return {
    turn: state === 'turn_finished' ? 'finished' : state === 'failed' ? 'failed' : 'open',
    ...(lastText !== undefined && { finalText: lastText }),
    ...(sessionId !== undefined && { sessionId }),
    ...(usage !== undefined && { sessionUsage: usage }),
    ...(structured !== undefined && { structuredOutput: structured }),
    ...(failure !== undefined && { failure }),
    ...(denials.length > 0 && { denials }),
  };
}

function failureIn(turn: Turn): AgentFailure | undefined {
  const { ended, trouble, sandboxError } = turn;
  if (ended === 'failed') return trouble;
  // Ended from outside while it waited to try again: the limit is the cause, not whoever ended it.
  if (ended === undefined) return trouble?.kind === 'failed' ? undefined : trouble;
  if (!hadNoSandbox(turn)) return undefined;
  const message = `the agent's own sandbox could not start any of its commands: ${sandboxError}`;
  return { kind: 'failed', message };
}
