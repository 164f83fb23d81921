import { readFileSync, readdirSync } from 'node:fs';

import type { AgentEvent, Usage } from '@devflow/core/adapter';
import { readCapture } from '@devflow/core/testing';
import { expect, test } from 'vitest';

import { codex } from '../src/index.ts';

const FIXTURES = new URL('../fixtures/0.171.0/', import.meta.url);

interface Expected {
  /** Exit status of the program, as a shell sees it. */
  readonly status: number;
  readonly outcome: string;
  readonly turn: 'finished' | 'failed' | 'open';
  readonly failure?: 'failed' | 'rate-limited' | 'auth';
  readonly resetsAt?: string;
  /** Tokens of the session in, out, read from the cache, written to the cache. */
  readonly usage?: string;
  /** `…` in flight, `!` not ok. */
  readonly events: string;
  readonly denials?: number;
  readonly openCalls?: number;
  /** The program ended before a session began. */
  readonly noSession?: true;
}

const DONE = { status: 0, outcome: 'completed', turn: 'finished' } as const;
const refused = <Kind extends 'auth' | 'rate-limited' | 'failed'>(kind: Kind) =>
  ({ status: 1, outcome: kind, turn: 'failed', failure: kind }) as const;
const AUTH = refused('auth');
const LIMITED = refused('rate-limited');
const FAILED = refused('failed');
const NEVER_BEGAN = {
  status: 1,
  outcome: 'failed',
  turn: 'open',
  events: '',
  noSession: true,
} as const;

const WORK = 'session other other text command… command text git… git text end';
const WORDS = 'session other other text end';
const AT_ONCE = 'session other other error! end!';
const RETRIED_ONCE = 'session other other error! error! end!';
const RETRIED = `session other other ${'error! '.repeat(6)}end!`;

/** What devflow must make of each capture; README.md there says how each was made. */
const EXPECTED: Readonly<Record<string, Expected>> = {
  'a-success': { ...DONE, usage: '3000/135/600/0', events: WORK },
  'b-401': { ...AUTH, events: RETRIED },
  'b-403': { ...AUTH, events: RETRIED },
  'b-nokey': { ...AUTH, events: AT_ONCE },
  'c-429': { ...LIMITED, events: AT_ONCE },
  'c-429ra5': { ...LIMITED, events: RETRIED },
  'c-quota': { ...LIMITED, resetsAt: '2026-03-11T10:23:00.000Z', events: AT_ONCE },
  'd-500-noretry': { ...FAILED, events: AT_ONCE },
  'd-500': { ...FAILED, events: RETRIED },
  'e-refused-bounded': { ...FAILED, events: RETRIED_ONCE },
  'e-refused': {
    status: 124,
    outcome: 'failed',
    turn: 'open',
    events: 'session other other error! error! error! error! error! error! error!',
  },
  'f-INT': {
    status: 1,
    outcome: 'failed',
    turn: 'open',
    events: 'session other other text command…',
    openCalls: 1,
  },
  'f-KILL': {
    status: 137,
    outcome: 'crashed',
    turn: 'finished',
    usage: '2000/90/400/0',
    events: 'session other other text command… command! text end',
  },
  'f-TERM': {
    status: 143,
    outcome: 'crashed',
    turn: 'open',
    events: 'session other other text command…',
    openCalls: 1,
  },
  'g-ephemeral': {
    ...DONE,
    usage: '3000/135/600/0',
    events: 'session other other text command… command text text end',
  },
  'g-resume-othercwd': {
    ...DONE,
    usage: '15000/675/3000/0',
    events: 'session other other text text text end',
  },
  'g-resume-unknown': NEVER_BEGAN,
  'g-resume': { ...DONE, usage: '6000/270/1200/0', events: WORK },
  'h-readonly': {
    ...DONE,
    usage: '3000/135/600/0',
    events: 'session other other text text command… command text end',
  },
  'i-config-typo-strict': NEVER_BEGAN,
  'i-flag-unknown': { ...NEVER_BEGAN, status: 2 },
  'i-model-unknown': {
    ...DONE,
    usage: '3000/135/600/0',
    events: 'session other other text command… command text text end',
  },
  'i-nogit': NEVER_BEGAN,
  'i-provider-unknown': NEVER_BEGAN,
  'j-stdin': { ...DONE, usage: '1000/45/200/0', events: WORDS },
  'k-hooks-bypass': {
    ...DONE,
    usage: '3000/135/600/0',
    events: 'session other other other other text command… command text git… git! text end',
  },
  'k-hooks-stopblock': {
    ...DONE,
    usage: '6000/270/1200/0',
    events:
      'session other other other other text command… command text git… git! text text command… command text git… git text end',
  },
  'k-mcp': {
    ...DONE,
    usage: '3000/135/600/0',
    events: 'session other other text command… command text git… git! text end',
  },
  'k-output-schema-violated': { ...DONE, usage: '1000/45/200/0', events: WORDS },
  'k-output-schema': { ...DONE, usage: '1000/45/200/0', events: WORDS },
  'l-denied-Q1': {
    ...DONE,
    usage: '3000/135/600/0',
    events: 'session other other text command… command text text end',
  },
  'l-home-in-tmp': {
    ...DONE,
    usage: '3000/135/600/0',
    events: 'session other other text text text end',
  },
  'l-net': {
    ...DONE,
    usage: '2000/90/400/0',
    events: 'session other other text command… command text end',
  },
  'l-nobwrap': {
    ...DONE,
    usage: '2000/90/400/0',
    events: 'session other other text command… command text end',
  },
  'm-gpt-5.5': {
    ...DONE,
    usage: '3000/135/600/0',
    events: 'session other text edit… edit text git… git text end',
  },
  'n-nonroot': { ...DONE, usage: '3000/135/600/0', events: WORK },
  'n-nouserns': {
    status: 0,
    outcome: 'failed',
    turn: 'failed',
    failure: 'failed',
    usage: '3000/135/600/0',
    events: 'session other other text command… command! text git… git! text end!',
  },
  'p-402': { ...AUTH, events: RETRIED_ONCE },
  'p-context': { ...FAILED, events: AT_ONCE },
  'p-cut': { ...DONE, usage: '890/50/10/100', events: 'session other other error! text end' },
  'p-empty': { ...DONE, usage: '890/50/10/100', events: 'session other other end' },
  'p-fork': { ...DONE, usage: '1780/100/20/200', events: WORDS },
  'p-limit-date': { ...LIMITED, resetsAt: '2026-12-03T10:23:00.000Z', events: AT_ONCE },
  'p-limit-later': { ...LIMITED, events: AT_ONCE },
  'p-mcp-refused': {
    ...DONE,
    usage: '1780/100/20/200',
    events: 'session other other other… other! text end',
    denials: 1,
  },
  'p-mcp': {
    ...DONE,
    usage: '1780/100/20/200',
    events: 'session other other other… other text end',
  },
  'p-model-unknown': { ...FAILED, events: AT_ONCE },
  'p-overloaded': { ...FAILED, events: AT_ONCE },
  'p-patch-readonly': { ...DONE, usage: '1780/100/20/200', events: 'session other text end' },
  'p-patch': { ...DONE, usage: '1780/100/20/200', events: 'session other edit… edit text end' },
  'p-quota': { ...AUTH, events: AT_ONCE },
  'p-resume': { ...DONE, usage: '1780/100/20/200', events: WORDS },
  'p-stream-limit': { ...LIMITED, events: RETRIED_ONCE },
  'p-stream-usage-limit': { ...FAILED, events: RETRIED_ONCE },
  'p-subagent': {
    ...DONE,
    usage: '1780/100/20/200',
    events: 'session other other subagent… subagent text end',
  },
  'roots-none': {
    ...DONE,
    usage: '5000/225/1000/0',
    events: 'session other other text text text git… git text git… git text end',
  },
};

test('every capture has an expectation', () => {
  const captured = readdirSync(FIXTURES).filter((name) => name.endsWith('.jsonl'));
  expect(captured.map((name) => name.replace('.jsonl', '')).toSorted()).toEqual(
    Object.keys(EXPECTED).toSorted(),
  );
});

test.each(Object.entries(EXPECTED))('%s', (name, expected) => {
  const stdout = readFileSync(new URL(`${name}.jsonl`, FIXTURES), 'utf8');
  const { status } = expected;
  const { outcome, result, events, openCalls, completionSignal } = readCapture(codex(), {
    stdout,
    status,
  });
  const { turn, failure, sessionUsage, sessionId, denials } = result;
  const read = {
    status,
    outcome,
    turn,
    failure: failure?.kind,
    resetsAt: failure?.resetsAt,
    usage: sessionUsage && sayUsage(sessionUsage),
    events: events.map(say).join(' '),
    denials: denials?.length,
    openCalls: openCalls === 0 ? undefined : openCalls,
    noSession: sessionId === undefined ? true : undefined,
  };
  expect(read).toEqual({ ...blank, ...expected });
  expect(completionSignal).toBe(expected.turn === 'finished');
  // Codex states the sum of its session only.
  expect(result.usage).toBeUndefined();
  expect(result.costUsd).toBeUndefined();
});

/** What an expectation leaves out is not there. */
const blank = {
  failure: undefined,
  resetsAt: undefined,
  usage: undefined,
  denials: undefined,
  openCalls: undefined,
  noSession: undefined,
};

function say({ kind, running, ok }: AgentEvent): string {
  return `${kind}${running ? '…' : ''}${ok === false ? '!' : ''}`;
}

function sayUsage(usage: Usage): string {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens].join('/');
}
