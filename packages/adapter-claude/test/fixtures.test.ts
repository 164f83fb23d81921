import { readFileSync, readdirSync } from 'node:fs';

import type { AgentEvent } from '@devflow/core/adapter';
import { expect, test } from 'vitest';

import { claude } from '../src/index.ts';

const FIXTURES = new URL('../fixtures/2.1.332/', import.meta.url);

interface Expected {
  readonly turn: 'finished' | 'failed' | 'open';
  readonly failure?: 'failed' | 'rate-limited' | 'auth';
  readonly resetsAt?: string;
  readonly costUsd?: number;
  /** Tokens in, out, read from the cache, written to the cache. */
  readonly usage?: string;
  /** `…` in flight, `!` not ok, `~` of a sub-agent. */
  readonly events: string;
  readonly denials?: number;
  readonly openCalls?: number;
}

const WORK = 'session text edit… edit text git… other git text end';
const NOTHING_TO_COMMIT = 'session text edit… edit text git… git! text end';
const THREE_CALLS = { turn: 'finished', costUsd: 0.01722, usage: '3600/135/600/0' } as const;
const ONE_CALL = { turn: 'finished', costUsd: 0.00574, usage: '1200/45/200/0' } as const;
const REFUSED = { turn: 'failed', costUsd: 0, usage: '0/0/0/0' } as const;
const RETRIED = `session ${'error! '.repeat(10)}error! end!`;

/** What devflow must make of each capture; README.md there says how each was made. */
const EXPECTED: Readonly<Record<string, Expected>> = {
  'a-success': { ...THREE_CALLS, events: WORK },
  'b-401-maxretries0': { ...REFUSED, failure: 'auth', events: 'session error! end!' },
  'b-403': { ...REFUSED, failure: 'auth', events: 'session error! end!' },
  'b-authtoken': { ...THREE_CALLS, events: WORK },
  'b-nokey': { ...REFUSED, failure: 'auth', events: 'session error! end!' },
  'c-429-maxretries0': { ...REFUSED, failure: 'rate-limited', events: 'session error! end!' },
  'c-429-maxretries1': {
    ...REFUSED,
    failure: 'rate-limited',
    events: 'session error! error! end!',
  },
  'c-limit-oauth': {
    ...REFUSED,
    failure: 'rate-limited',
    resetsAt: '2026-11-30T10:37:24.000Z',
    events: 'session attention error! end!',
  },
  'd-500': { ...REFUSED, failure: 'failed', events: RETRIED },
  'e-refused': { ...REFUSED, failure: 'failed', events: RETRIED },
  'f-INT': {
    turn: 'failed',
    failure: 'failed',
    costUsd: 0.00574,
    usage: '1200/45/200/0',
    events: 'session text command… command! prompt end!',
  },
  'f-KILL': { turn: 'open', events: 'session text command…', openCalls: 1 },
  'f-TERM': { turn: 'open', events: 'session text command… command!' },
  // The third and second run of one conversation: each states its own cost, not the sum.
  'g-resume': { ...THREE_CALLS, events: WORK },
  'g-resume-othercwd': { ...THREE_CALLS, events: NOTHING_TO_COMMIT },
  'g-resume-unknown': { turn: 'failed', failure: 'failed', usage: '0/0/0/0', events: 'end!' },
  'h-acceptEdits-allow': {
    ...THREE_CALLS,
    denials: 1,
    events: 'session text edit… edit text command… attention! command! text end',
  },
  'h-default': {
    ...THREE_CALLS,
    denials: 2,
    events: 'session text edit… attention! edit! text command… attention! command! text end',
  },
  'h-plan': {
    ...THREE_CALLS,
    denials: 2,
    events: 'session text edit… attention! edit! text command… other attention! command! text end',
  },
  'h-tools-readonly': { ...ONE_CALL, events: 'session text end' },
  'j-stdin': { ...THREE_CALLS, events: NOTHING_TO_COMMIT },
  'k-hooks': {
    ...THREE_CALLS,
    events:
      'other other other other session text edit… other other other other edit text git… ' +
      'other other other other other git text other other end',
  },
  'k-json-schema': { ...ONE_CALL, events: 'session other… other end' },
  'k-json-schema-noncompliant': {
    turn: 'failed',
    failure: 'failed',
    costUsd: 0.03444,
    usage: '7200/270/1200/0',
    events: `session text ${'other… other! '.repeat(6)}end!`,
  },
  'k-max-budget': {
    turn: 'failed',
    failure: 'failed',
    costUsd: 0.02296,
    usage: '4800/180/800/0',
    events: `session ${'text command… command '.repeat(3)}text command… end!`,
  },
  'k-mcp': {
    turn: 'finished',
    costUsd: 0.01148,
    usage: '2400/90/400/0',
    events: 'session text other… other text end',
  },
  'k-partial': { ...ONE_CALL, events: `session ${'other '.repeat(7)}text other other other end` },
  'k-pretool-deny': { ...THREE_CALLS, denials: 1, events: NOTHING_TO_COMMIT },
  // One result and no stream: it states no cost of its own turn.
  'k-text': { turn: 'finished', usage: '3600/135/600/0', events: 'end' },
  'l-phonehome': { ...THREE_CALLS, events: NOTHING_TO_COMMIT },
  'n-nonroot': { ...THREE_CALLS, events: WORK },
  'p-402': { ...REFUSED, failure: 'auth', events: 'session error! end!' },
  'p-404-model': { ...REFUSED, failure: 'failed', events: 'session error! end!' },
  'p-529': { ...REFUSED, failure: 'failed', events: 'session error! error! end!' },
  'p-background': {
    turn: 'finished',
    costUsd: 0.016506,
    usage: '3000/150/30/300',
    events: 'session text command… other other command text end other other other session text end',
  },
  'p-background-killed': {
    turn: 'open',
    costUsd: 0.011004,
    usage: '2000/100/20/200',
    events: 'session text command… other other command text end',
    openCalls: 1,
  },
  'p-credit': { ...REFUSED, failure: 'auth', events: 'session error! end!' },
  'p-org-disabled': { ...REFUSED, failure: 'auth', events: 'session error! end!' },
  'p-subagent': {
    turn: 'finished',
    costUsd: 0.022008,
    usage: '4000/200/40/400',
    events:
      'session text subagent… other ~prompt other ~command… ~command other other subagent text end',
  },
  'p-subagent-background': {
    turn: 'finished',
    costUsd: 0.02751,
    usage: '5000/250/50/500',
    events:
      'session text subagent… other other subagent text ~text ~command… other ~command ~text ' +
      'other other other session text end end',
  },
  'p-token-revoked': {
    ...REFUSED,
    failure: 'auth',
    events: 'session error! error! error! error! end!',
  },
};

test('every capture has an expectation', () => {
  const captured = readdirSync(FIXTURES).filter((name) => name.endsWith('.jsonl'));
  expect(captured.map((name) => name.replace('.jsonl', '')).toSorted()).toEqual(
    Object.keys(EXPECTED).toSorted(),
  );
});

test.each(Object.entries(EXPECTED))('%s', (name, expected) => {
  const output = readFileSync(new URL(`${name}.jsonl`, FIXTURES), 'utf8');
  const adapter = claude();
  const parser = newParser();
  const events = output.split('\n').flatMap((line) => parser.line(line));
  const { turn, failure, usage, costUsd, sessionId, denials = [] } = parser.result();
  const tokens =
    usage &&
    [usage.inputTokens, usage.outputTokens, usage.cacheReadTokens, usage.cacheWriteTokens].join(
      '/',
    );

  expect({ turn, failure: failure?.kind, resetsAt: failure?.resetsAt, usage: tokens }).toEqual({
    turn: expected.turn,
    failure: expected.failure,
    resetsAt: expected.resetsAt,
    usage: expected.usage,
  });
  expect(costUsd === undefined ? undefined : Number(costUsd.toFixed(6))).toBe(expected.costUsd);
  expect(events.map(say).join(' ')).toBe(expected.events);
  expect(denials).toHaveLength(expected.denials ?? 0);
  expect(parser.openCalls()).toBe(expected.openCalls ?? 0);
  expect(sessionId).toMatch(/^[0-9a-f-]{36}$/);
  expect(adapter.completionSignalDetected(output)).toBe(expected.turn === 'finished');
  expectWithinLimits(events);
});

function newParser() {
  const parser = claude().createParser?.({ now: () => new Date(), timeZone: 'UTC' });
  if (parser === undefined) throw new Error('the adapter has no parser');
  return parser;
}

function say({ kind, running, ok, child }: AgentEvent): string {
  return `${child ? '~' : ''}${kind}${running ? '…' : ''}${ok === false ? '!' : ''}`;
}

function expectWithinLimits(events: readonly AgentEvent[]): void {
  for (const { summary, file = '', cmd = '', detail = '' } of events) {
    expect(Math.max(summary.length, file.length, cmd.length)).toBeLessThanOrEqual(300);
    expect(summary).not.toContain('\n');
    expect(detail.length).toBeLessThanOrEqual(900);
  }
}
