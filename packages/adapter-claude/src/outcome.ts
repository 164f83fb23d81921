import {
  type AgentFailure,
  type Clock,
  type Fields,
  type Usage,
  addKnown,
  addUsage,
  cut,
  fields,
  items,
  number,
  resetInstant,
  text,
  usageBy,
} from '@devflow/core/adapter';

import { actionOf } from './tools.js';

/**
 * Did the turn end as a turn ends? `is_error` counts, not the subtype: an API error is
 * `subtype: "success", is_error: true`, and SIGINT ends with exit 0. A terminal reason other than
 * `completed` (aborted, stopped by a hook, …) is no regular end either.
 */
export function endedWell(result: Fields): boolean {
  const reason = text(result['terminal_reason']) ?? 'completed';
  return result['subtype'] === 'success' && result['is_error'] === false && reason === 'completed';
}

/** Codes of the agent's own error events behind which stands a login, a key or an account. */
const AUTH_CODES = new Set([
  'authentication_failed',
  'oauth_org_not_allowed',
  'account_on_hold',
  'verification_required',
  'billing_error',
  'cloud_credential_error',
  'org_disabled_credential',
  'api_key_auth_disabled',
]);
const AUTH_STATUSES = new Set([401, 402, 403]);
const LIMIT_CODES = new Set(['rate_limit', 'rate_limit_error', 'usage_limit_reached']);
const LIMIT_STATUS = 429;

/** What went wrong, by the structured fields of an error, a retry or a result event. */
export interface Trouble {
  readonly kind: AgentFailure['kind'];
  readonly message: string;
  /** When a limit ends, as its own message says. */
  readonly resetsAt?: string;
}

/** `earlier`: the trouble that an error event of the same turn has named; its code tells more than the result's. */
export function troubleOf(
  entry: Fields,
  message: string,
  clock: Clock,
  earlier?: Trouble,
): Trouble {
  const kind = kindOf(entry, earlier?.kind);
  if (kind !== 'rate-limited') return { kind, message };
  const resetsAt = resetInstant(message, clock) ?? earlier?.resetsAt;
  return { kind, message, ...(resetsAt !== undefined && { resetsAt }) };
}

function kindOf(entry: Fields, earlier: Trouble['kind'] | undefined): Trouble['kind'] {
  const codes = [entry['error'], entry['api_error'], entry['api_error_type']].map(text);
  const status = number(entry['api_error_status']) ?? number(entry['error_status']);
  const has = (known: ReadonlySet<string>) =>
    codes.some((code) => code !== undefined && known.has(code));
  if (earlier === 'auth' || has(AUTH_CODES) || (status && AUTH_STATUSES.has(status))) return 'auth';
  if (earlier === 'rate-limited' || has(LIMIT_CODES) || status === LIMIT_STATUS) {
    return 'rate-limited';
  }
  return 'failed';
}

export function messageOf(result: Fields): string {
  const errors = Array.isArray(result['errors']) ? result['errors'].filter(text) : [];
  const said = errors.join('; ') || (result['is_error'] === true && text(result['result']));
  const reason = text(result['terminal_reason']) ?? text(result['subtype']) ?? 'no reason given';
  return cut(said || `the turn ended early: ${reason}`, 900);
}

/** When the limit ends, of an event that says that the limit was reached. */
export function resetOf(event: Fields): string | undefined {
  const info = fields(event['rate_limit_info']);
  const seconds = number(info?.['resetsAt']);
  if (info?.['status'] !== 'rejected' || seconds === undefined) return undefined;
  const instant = new Date(seconds * 1000);
  return Number.isNaN(instant.getTime()) ? undefined : instant.toISOString();
}

export interface Spent {
  readonly usage?: Usage;
  readonly costUsd?: number;
}

/**
 * What the turn used. `total_cost_usd` and `modelUsage` go on from where a continued session stood,
 * and `usage` leaves sub-agents out; `model_usage_since_last_result` has neither fault. Without it
 * the cost is unknown.
 */
export function spentOf(result: Fields): Spent {
  const models = fields(result['model_usage_since_last_result']);
  if (models === undefined) {
    const usage = fields(result['usage']);
    return usage === undefined ? {} : { usage: countOf(usage, MESSAGE_NAMES) };
  }
  return Object.values(models)
    .map((model) => fields(model) ?? {})
    .map((model): Spent => {
      const costUsd = number(model['costUSD']);
      const usage = countOf(model, MODEL_NAMES);
      return { usage, ...(costUsd !== undefined && { costUsd }) };
    })
    .reduce(addSpent, NOTHING_SPENT);
}

const NOTHING_SPENT = {
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  costUsd: 0,
};

type Names = Readonly<Record<keyof Usage, string>>;

const MESSAGE_NAMES: Names = {
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  cacheReadTokens: 'cache_read_input_tokens',
  cacheWriteTokens: 'cache_creation_input_tokens',
};
const MODEL_NAMES: Names = {
  inputTokens: 'inputTokens',
  outputTokens: 'outputTokens',
  cacheReadTokens: 'cacheReadInputTokens',
  cacheWriteTokens: 'cacheCreationInputTokens',
};

function countOf(from: Fields, names: Names): Usage {
  return usageBy((kind) => number(from[names[kind]]));
}

/** A sum with an unknown part is unknown. */
export function addSpent(one: Spent, other: Spent): Spent {
  const costUsd = addKnown(one.costUsd, other.costUsd);
  return { usage: addUsage(one.usage, other.usage), ...(costUsd !== undefined && { costUsd }) };
}

/** What the agent was refused, by the id of the call. */
export function denialsOf(result: Fields): readonly (readonly [id: string, denial: string])[] {
  return items(result['permission_denials']).map((denial) => {
    const action = actionOf(
      text(denial['tool_name']) ?? 'tool',
      fields(denial['tool_input']) ?? {},
    );
    return [text(denial['tool_use_id']) ?? action.summary, action.summary];
  });
}
