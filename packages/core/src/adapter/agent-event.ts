/** What the agent did, in one vocabulary for all agents. Version 1. */

export type AgentEventKind =
  | 'session'
  | 'prompt'
  | 'text'
  | 'idle'
  | 'edit'
  | 'read'
  | 'search'
  | 'command'
  | 'test'
  | 'check'
  | 'git'
  | 'plan'
  | 'subagent'
  | 'web'
  | 'attention'
  | 'error'
  | 'usage'
  | 'end'
  | 'other';

/** The agent's turn after the event. Events of sub-agents never change it. */
export type TurnState =
  'unknown' | 'working' | 'turn_finished' | 'needs_operator' | 'failed' | 'exited';

export interface AgentEvent {
  readonly v: 1;
  readonly kind: AgentEventKind;
  /** The agent's own name for the event; at most 300 characters. */
  readonly name: string;
  /** One line for a person; at most 300 characters. */
  readonly summary: string;
  /** The file concerned; at most 300 characters. */
  readonly file?: string;
  /** The command concerned; at most 300 characters. */
  readonly cmd?: string;
  /** More of it; at most 900 characters. */
  readonly detail?: string;
  /** The agent's own words, whole. */
  readonly text?: string;
  readonly ok?: boolean;
  /** An action in flight: shown live, not stored; the finished event follows. */
  readonly running?: true;
  readonly usage?: Usage;
  readonly session?: string;
  readonly state: TurnState;
  /** An event of a sub-agent. */
  readonly child: boolean;
}

/** Tokens as the agent states them. What it does not state stays undefined. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
}

/** What the agent's own stream says of the attempt as a whole. */
export interface AgentResult {
  /** By the agent's terminal event; `open` where there was none; `unknown` where its format has none. */
  readonly turn: 'finished' | 'failed' | 'open' | 'unknown';
  /** The agent's last words to the user. */
  readonly finalText?: string;
  readonly sessionId?: string;
  /** Of this attempt alone. */
  readonly usage?: Usage;
  /** Of the session since it began, where that is what the agent states: devflow takes off what earlier attempts had used. */
  readonly sessionUsage?: Usage;
  /** Cost in US dollars as the agent states it. */
  readonly costUsd?: number;
  /** The final answer by `ExecRequest.outputSchema`; devflow validates it. */
  readonly structuredOutput?: unknown;
  /** Why the turn failed, by the agent's own error events; never by searching prose. */
  readonly failure?: AgentFailure;
  /** What the agent was refused, in its own words. */
  readonly denials?: readonly string[];
}

export interface AgentFailure {
  readonly kind: 'failed' | 'rate-limited' | 'auth';
  readonly message: string;
  /** When a rate limit ends, as an ISO instant, where the agent says so. */
  readonly resetsAt?: string;
}
