/** Refusals as Anthropic words them. */
import type { Refusal } from './protocol.ts';
import type { Failure, FailureKind } from './turns.ts';

export function refuse(failure: Failure): Refusal {
  const { status, type, message } = FORMS[failure.kind];
  return {
    status,
    headers: headersOf(failure),
    body: { type: 'error', error: { type, message: failure.message ?? message } },
  };
}

export function refuseWith(status: number, message = 'scripted error'): unknown {
  const form = Object.values(FORMS).find((known) => known.status === status);
  return { type: 'error', error: { type: form?.type ?? 'api_error', message } };
}

interface Form {
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

const FORMS: Readonly<Record<FailureKind, Form>> = {
  'bad-request': { status: 400, type: 'invalid_request_error', message: 'Bad request' },
  unauthorized: { status: 401, type: 'authentication_error', message: 'invalid x-api-key' },
  forbidden: {
    status: 403,
    type: 'permission_error',
    message: 'Your API key does not have permission to use the specified resource',
  },
  'unknown-model': { status: 404, type: 'not_found_error', message: 'model: scripted' },
  'context-length': {
    status: 400,
    type: 'invalid_request_error',
    message: 'prompt is too long: 200001 tokens > 200000 maximum',
  },
  'rate-limit': {
    status: 429,
    type: 'rate_limit_error',
    message: 'This request would exceed the rate limit for your organization',
  },
  'usage-limit': {
    status: 429,
    type: 'rate_limit_error',
    message: "This request would exceed your account's rate limit. Please try again later.",
  },
  'no-credit': {
    status: 400,
    type: 'invalid_request_error',
    message:
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
  },
  'server-error': { status: 500, type: 'api_error', message: 'Internal server error' },
  overloaded: { status: 529, type: 'overloaded_error', message: 'Overloaded' },
};

function headersOf({ kind, retryAfterSeconds, resetsAt }: Failure): Record<string, string> {
  const headers: Record<string, string> = {};
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds);
  if (kind === 'usage-limit') Object.assign(headers, unifiedLimit('rejected', resetsAt));
  if (kind === 'rate-limit' && resetsAt !== undefined) {
    headers['anthropic-ratelimit-requests-remaining'] = '0';
    headers['anthropic-ratelimit-requests-reset'] = new Date(resetsAt * 1000).toISOString();
  }
  return headers;
}

/** What the API says about a subscription's limit, in refusals and in good answers alike. */
export function unifiedLimit(
  status: 'allowed' | 'allowed_warning' | 'rejected',
  resetsAt?: number,
  claim: 'five_hour' | 'seven_day' = 'five_hour',
): Record<string, string> {
  const window = claim === 'five_hour' ? '5h' : '7d';
  const prefix = 'anthropic-ratelimit-unified';
  return {
    [`${prefix}-status`]: status,
    [`${prefix}-representative-claim`]: claim,
    [`${prefix}-${window}-status`]: status,
    ...(status !== 'allowed' && {
      [`${prefix}-${window}-utilization`]: status === 'rejected' ? '1' : '0.9',
    }),
    // Without a threshold that is passed, Claude Code takes a warning for `allowed`.
    ...(status === 'allowed_warning' && { [`${prefix}-${window}-surpassed-threshold`]: '0.75' }),
    ...(resetsAt !== undefined && {
      [`${prefix}-reset`]: String(resetsAt),
      [`${prefix}-${window}-reset`]: String(resetsAt),
    }),
  };
}
