import { expect, test } from 'vitest';

import { unifiedLimit } from './anthropic-errors.ts';
import { ask, withServer } from './client.ts';
import { codexLimit } from './openai-errors.ts';
import type { ProtocolName } from './request.ts';
import { refused, say } from './scenarios.ts';
import type { Failure } from './turns.ts';

type Case = readonly [Failure['kind'], number, object];

const ANTHROPIC: readonly Case[] = [
  ['bad-request', 400, { type: 'invalid_request_error' }],
  ['unauthorized', 401, { type: 'authentication_error', message: 'invalid x-api-key' }],
  ['forbidden', 403, { type: 'permission_error' }],
  ['unknown-model', 404, { type: 'not_found_error' }],
  ['context-length', 400, { message: expect.stringContaining('prompt is too long') }],
  ['rate-limit', 429, { type: 'rate_limit_error' }],
  ['usage-limit', 429, { type: 'rate_limit_error' }],
  ['no-credit', 400, { message: expect.stringContaining('credit balance is too low') }],
  ['server-error', 500, { type: 'api_error' }],
  ['overloaded', 529, { type: 'overloaded_error' }],
];

const OPENAI: readonly Case[] = [
  ['bad-request', 400, { type: 'invalid_request_error' }],
  ['unauthorized', 401, { code: 'invalid_api_key' }],
  ['forbidden', 403, { type: 'request_forbidden' }],
  ['unknown-model', 404, { code: 'model_not_found' }],
  ['context-length', 400, { code: 'context_length_exceeded' }],
  ['rate-limit', 429, { code: 'rate_limit_exceeded' }],
  ['usage-limit', 429, { type: 'usage_limit_reached', plan_type: 'plus' }],
  ['no-credit', 429, { code: 'insufficient_quota' }],
  ['server-error', 500, { type: 'server_error' }],
  ['overloaded', 503, { code: 'server_is_overloaded' }],
];

test.each(ANTHROPIC)('Anthropic words %s as %i', (kind, status, error) =>
  withServer([refused(kind)], async (server) => {
    const response = await ask(server, 'messages');
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ type: 'error', error });
  }),
);

test.each(OPENAI)('OpenAI words %s as %i, in both of its APIs', (kind, status, error) =>
  withServer([refused(kind), refused(kind)], async (server) => {
    for (const api of ['responses', 'chat-completions'] as const) {
      const response = await ask(server, api);
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ error });
    }
  }),
);

const RESETS_AT = Math.floor(Date.now() / 1000) + 3600;

test.each<readonly [ProtocolName, Failure['kind'], Record<string, unknown>]>([
  [
    'messages',
    'rate-limit',
    { 'anthropic-ratelimit-requests-reset': new Date(RESETS_AT * 1000).toISOString() },
  ],
  [
    'messages',
    'usage-limit',
    {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(RESETS_AT),
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
      'anthropic-ratelimit-unified-5h-reset': String(RESETS_AT),
    },
  ],
  [
    'responses',
    'rate-limit',
    { 'x-ratelimit-reset-requests': expect.stringMatching(/^3[56]\d+s$/) },
  ],
  ['responses', 'usage-limit', { 'x-codex-primary-reset-at': String(RESETS_AT) }],
  ['chat-completions', 'rate-limit', { 'x-ratelimit-remaining-requests': '0' }],
])('%s says in its headers when a %s ends', (api, kind, headers) =>
  withServer([refused(kind, { resetsAt: RESETS_AT, retryAfterSeconds: 9 })], async (server) => {
    const response = await ask(server, api);
    expect(Object.fromEntries(response.headers)).toMatchObject({ 'retry-after': '9', ...headers });
  }),
);

test('a usage limit says in its body when it ends', () =>
  withServer([refused('usage-limit', { resetsAt: RESETS_AT })], async (server) => {
    const body = await (await ask(server, 'responses')).json();
    expect(body).toMatchObject({ error: { resets_at: RESETS_AT } });
    expect(body).toHaveProperty('error.resets_in_seconds');
  }));

test('a failure may have a message and headers of its own', () =>
  withServer(
    [{ ...refused('no-credit', { message: 'Nothing left' }), headers: { 'x-own': '1' } }],
    async (server) => {
      const response = await ask(server, 'messages');
      expect(response.headers.get('x-own')).toBe('1');
      expect(await response.json()).toMatchObject({ error: { message: 'Nothing left' } });
    },
  ));

test('a good answer can say how much of a limit is used', () =>
  withServer(
    [
      { ...say('ok'), headers: unifiedLimit('allowed_warning', RESETS_AT, 'seven_day') },
      { ...say('ok'), headers: codexLimit(90, RESETS_AT) },
    ],
    async (server) => {
      const claude = await ask(server, 'messages');
      expect(claude.headers.get('anthropic-ratelimit-unified-7d-status')).toBe('allowed_warning');
      const codex = await ask(server, 'responses');
      expect(codex.headers.get('x-codex-primary-used-percent')).toBe('90');
    },
  ));
