/** Refusals as OpenAI words them, in both of its APIs. */
import type { Refusal } from './protocol.ts';
import type { Failure, FailureKind } from './turns.ts';

export function refuse(failure: Failure): Refusal {
  return {
    status: FORMS[failure.kind].status,
    headers: headersOf(failure),
    body: { error: errorOf(failure) },
  };
}

export function refuseWith(status: number, message = 'scripted error'): unknown {
  const form = Object.values(FORMS).find((known) => known.status === status);
  const type = form?.type ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  return { error: { message, type, param: null, code: form?.code ?? null } };
}

/** The `error` object of a failure, alone. */
export function errorOf(failure: Failure): Record<string, unknown> {
  const { kind, resetsAt, message = messageOf(failure) } = failure;
  const form = FORMS[kind];
  const error = { message, type: form.type, param: null, code: form.code };
  // Of its own form, and the only one that says when to come back.
  if (kind !== 'usage-limit') return error;
  return {
    type: error.type,
    message: error.message,
    plan_type: 'plus',
    ...(resetsAt !== undefined && {
      resets_at: resetsAt,
      resets_in_seconds: secondsUntil(resetsAt),
    }),
  };
}

/** Inside a stream there are no headers: the time to wait is in the message, where Codex reads it. */
function messageOf({ kind, retryAfterSeconds }: Failure): string {
  const { message } = FORMS[kind];
  const waits = kind === 'rate-limit' && retryAfterSeconds !== undefined;
  return waits ? `${message}. Please try again in ${retryAfterSeconds}s.` : message;
}

interface Form {
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
  readonly message: string;
}

const INVALID = 'invalid_request_error';

const FORMS: Readonly<Record<FailureKind, Form>> = {
  'bad-request': { status: 400, type: INVALID, code: null, message: 'Bad request' },
  unauthorized: {
    status: 401,
    type: INVALID,
    code: 'invalid_api_key',
    message: 'Incorrect API key provided: scripted.',
  },
  forbidden: {
    status: 403,
    type: 'request_forbidden',
    code: 'unsupported_country_region_territory',
    message: 'Country, region, or territory not supported',
  },
  'unknown-model': {
    status: 404,
    type: INVALID,
    code: 'model_not_found',
    message: 'The model `scripted` does not exist or you do not have access to it.',
  },
  'context-length': {
    status: 400,
    type: INVALID,
    code: 'context_length_exceeded',
    message: 'Your input exceeds the context window of this model.',
  },
  'rate-limit': {
    status: 429,
    type: 'requests',
    code: 'rate_limit_exceeded',
    message: 'Rate limit reached for requests',
  },
  'usage-limit': {
    status: 429,
    type: 'usage_limit_reached',
    code: null,
    message: 'The usage limit has been reached',
  },
  'no-credit': {
    status: 429,
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    message: 'You exceeded your current quota, please check your plan and billing details.',
  },
  'server-error': {
    status: 500,
    type: 'server_error',
    code: null,
    message: 'The server had an error while processing your request',
  },
  overloaded: {
    status: 503,
    type: 'service_unavailable_error',
    code: 'server_is_overloaded',
    message: 'Our servers are currently overloaded. Please try again later.',
  },
};

function headersOf({ kind, retryAfterSeconds, resetsAt }: Failure): Record<string, string> {
  const headers: Record<string, string> = {};
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds);
  if (kind === 'usage-limit') Object.assign(headers, codexLimit(100, resetsAt));
  if (kind === 'rate-limit' && resetsAt !== undefined) {
    headers['x-ratelimit-limit-requests'] = '60';
    headers['x-ratelimit-remaining-requests'] = '0';
    headers['x-ratelimit-reset-requests'] = `${secondsUntil(resetsAt)}s`;
  }
  return headers;
}

/** What the API tells Codex about a subscription's limit, in refusals and in good answers alike. */
export function codexLimit(usedPercent: number, resetsAt?: number): Record<string, string> {
  return {
    'x-codex-primary-used-percent': String(usedPercent),
    'x-codex-primary-window-minutes': '300',
    ...(resetsAt !== undefined && { 'x-codex-primary-reset-at': String(resetsAt) }),
  };
}

function secondsUntil(resetsAt: number): number {
  return Math.max(0, resetsAt - Math.floor(Date.now() / 1000));
}
