import { type AgentFailure, type Clock, cut, resetInstant } from '@devflow/core/adapter';

/**
 * Codex's stream has no error codes: a failure is told by the whole message of an error event, which is
 * one of the sentences that Codex itself writes. They are those of `codex-rs/protocol/src/error.rs`
 * (`CodexErr` and what it holds) and, for the login, of `codex-rs/login/src/auth/manager.rs`, as they
 * stand in the binary of 0.171.0. A sentence that is not here is a plain failure.
 */
const SENTENCES: readonly (readonly [AgentFailure['kind'], RegExp])[] = [
  // UnexpectedResponseError: "unexpected status 401 Unauthorized: …, url: …"; RetryLimitReachedError.
  ['auth', /^unexpected status (?:401|402|403) [A-Za-z ]+: /],
  ['auth', /^exceeded retry limit, last status: (?:401|402|403) [A-Za-z ]+(?:, request id: \S+)?$/],
  ['rate-limited', /^exceeded retry limit, last status: 429 [A-Za-z ]+(?:, request id: \S+)?$/],
  // The code `rate_limit_exceeded` inside a stream; what follows is the API's.
  ['rate-limited', /^rate limit exceeded: /],
  // UsageLimitReachedError, one form for each plan.
  [
    'rate-limited',
    /^You['’]ve hit your usage limit(?:\.| for [^\n]+\.)[^\n]* [Tt]ry again (?:later|at [^\n]+)\.$/,
  ],
  // No time ends these: somebody has to pay, or to raise a limit.
  ['auth', /^Quota exceeded\. Check your plan and billing details\.$/],
  ['auth', /^To use Codex with your ChatGPT plan, upgrade to [^\n]+$/],
  [
    'auth',
    /^Your workspace is out of credits\. (?:Add credits|Ask your workspace owner to refill in order) to continue\.$/,
  ],
  ['auth', /^You hit your spend cap set [^\n]+ your spend cap to continue\.$/],
  // EnvVarError: the key of a model provider.
  ['auth', /^Missing environment variable: `[^`\n]+`\./],
  // RefreshTokenFailedError, and its like for access tokens.
  [
    'auth',
    /^Your (?:access token|authentication session) could not be refreshed[^\n]* sign in again\.$/,
  ],
];

/** Before it tries again Codex says the failure in brackets. */
const RETRY = /^Reconnecting\.\.\. (?:\d+\/\d+|waiting for network) \(([\s\S]*)\)$/;

/** What an error event says. A message without a known sentence is a plain failure. */
export function failureOf(message: string, clock: Clock): AgentFailure {
  const sentence = RETRY.exec(message)?.[1] ?? message;
  const kind = SENTENCES.find(([, pattern]) => pattern.test(sentence))?.[0] ?? 'failed';
  const resetsAt = kind === 'rate-limited' ? resetInstant(sentence, clock) : undefined;
  return { kind, message: cut(sentence, 900), ...(resetsAt !== undefined && { resetsAt }) };
}
