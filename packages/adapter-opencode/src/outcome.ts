import {
  type AgentFailure,
  type Clock,
  type Fields,
  type Usage,
  addKnown,
  addUsage,
  fields,
  number,
  readEntry,
  text,
  usageBy,
} from '@devflow/core/adapter';

/** What a person has to set right first: a login, a key, money. */
const AUTH_STATUSES = new Set([401, 402, 403]);
const LIMIT_STATUS = 429;
/** A 429 that no waiting ends. */
const NO_CREDIT = new Set(['insufficient_quota', 'billing_hard_limit_reached']);

/** Why it failed, by the structured fields of an error of OpenCode or of a line of the watchdog. */
export function failureOf(error: Fields, clock: Clock): AgentFailure {
  const data = fields(error['data']) ?? {};
  const name = text(error['name']);
  const message = (text(data['message']) ?? name ?? 'an error that has no name').slice(0, 900);
  const status = number(data['statusCode']);
  if (name === 'ProviderAuthError' || (status !== undefined && AUTH_STATUSES.has(status))) {
    return { kind: 'auth', message };
  }
  if (status !== LIMIT_STATUS) return { kind: 'failed', message };
  if (isOutOfCredit(data)) return { kind: 'auth', message };
  const resetsAt = resetOf(fields(data['responseHeaders']) ?? {}, clock);
  return { kind: 'rate-limited', message, ...(resetsAt !== undefined && { resetsAt }) };
}

function isOutOfCredit(data: Fields): boolean {
  const refusal = fields(readEntry(text(data['responseBody']) ?? '')?.['error']);
  return [refusal?.['code'], refusal?.['type']].some((code) => NO_CREDIT.has(text(code) ?? ''));
}

/** Seconds, milliseconds, a date, or seconds or milliseconds since 1970: providers differ. */
function resetOf(headers: Fields, { now }: Clock): string | undefined {
  const retryAfterMs = numberIn(headers['retry-after-ms']);
  if (retryAfterMs !== undefined) return instant(now().getTime() + retryAfterMs);
  const retryAfter = text(headers['retry-after']);
  const seconds = numberIn(retryAfter);
  if (seconds !== undefined) return instant(now().getTime() + seconds * 1000);
  if (retryAfter !== undefined) return instant(Date.parse(retryAfter));
  const reset = numberIn(headers['x-ratelimit-reset']);
  if (reset === undefined) return undefined;
  if (reset < 1e9) return instant(now().getTime() + reset * 1000);
  return instant(reset < 1e11 ? reset * 1000 : reset);
}

function numberIn(value: unknown): number | undefined {
  const words = text(value);
  return words !== undefined && /^\d+(?:\.\d+)?$/.test(words) ? Number(words) : undefined;
}

function instant(milliseconds: number): string | undefined {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

export interface Spent {
  readonly usage: Usage;
  readonly costUsd?: number;
}

/**
 * What one step used. OpenCode's `input` is without what came from the cache, as devflow's is; its
 * `output` is without the reasoning, which devflow counts as output.
 */
export function spentOf(part: Fields): Spent {
  const tokens = fields(part['tokens']) ?? {};
  const cache = fields(tokens['cache']) ?? {};
  const counts = {
    inputTokens: number(tokens['input']),
    outputTokens: addKnown(number(tokens['output']), number(tokens['reasoning'])),
    cacheReadTokens: number(cache['read']),
    cacheWriteTokens: number(cache['write']),
  };
  const costUsd = number(part['cost']);
  return { usage: usageBy((kind) => counts[kind]), ...(costUsd !== undefined && { costUsd }) };
}

/** A sum with an unknown part is unknown. */
export function addSpent(one: Spent | undefined, other: Spent): Spent {
  if (one === undefined) return other;
  const costUsd = addKnown(one.costUsd, other.costUsd);
  return { usage: addUsage(one.usage, other.usage), ...(costUsd !== undefined && { costUsd }) };
}

/**
 * Why the model stopped before it was done, or undefined where it goes on (`tool-calls`) or was done
 * (`stop`). OpenCode ends with status 0 after any other reason too: an answer cut at its longest, one
 * that was filtered, or one of which nobody knows.
 */
export function cutShort(reason: string | undefined): string | undefined {
  if (reason === 'stop' || reason === 'tool-calls') return undefined;
  return `the model's last answer ended early: ${reason ?? 'no reason given'}`;
}

/** How OpenCode's own refusals of a tool call begin. */
const REFUSALS = [
  'The user rejected permission to use this specific tool call',
  'The user has specified a rule which prevents you from using this specific tool call',
];

export function isRefusal(error: string | undefined): boolean {
  return error !== undefined && REFUSALS.some((refusal) => error.startsWith(refusal));
}
