import type { AgentEvent, AgentFailure, AgentResult } from '@devflow/core/adapter';
import { readCapture } from '@devflow/core/testing';
import { expect, test } from 'vitest';

import { opencode } from '../src/index.ts';
import { CLOCK, capture, captured } from './read.ts';

interface Expected {
  readonly outcome: string;
  readonly turn: AgentResult['turn'];
  /** Exit status; else 0. */
  readonly status?: number;
  readonly failure?: AgentFailure['kind'];
  readonly resetsAt?: string;
  readonly costUsd?: number;
  /** Tokens in, out, read from the cache, written to the cache. */
  readonly usage?: string;
  /** `…` in flight, `!` not ok, `~` of a sub-agent. */
  readonly events: string;
  readonly denials?: number;
}

const DONE = { outcome: 'completed', turn: 'finished' } as const;
const THREE_STEPS = { ...DONE, usage: '3000/135/600/0', costUsd: 0.00327 } as const;
const ONE_STEP = {
  ...DONE,
  usage: '1000/45/200/0',
  costUsd: 0.00109,
  events: 'session text end',
} as const;
const WORKED = {
  ...THREE_STEPS,
  events: 'session text edit usage other text git usage other text end',
} as const;
const NOTHING_TO_COMMIT = {
  ...THREE_STEPS,
  events: 'session text edit usage other text git! usage other text end',
} as const;
const WROTE_BY_SHELL = {
  ...THREE_STEPS,
  events: 'session text edit usage other text command usage other text end',
} as const;
const failed = (failure: AgentFailure['kind'], events = 'error!') =>
  ({ outcome: failure, turn: 'failed', status: 1, failure, events }) as const;
const GAVE_UP = 'error! error! error! error!';
const killed = (status: number) =>
  ({ outcome: 'crashed', turn: 'open', status, events: 'session text' }) as const;

/** What devflow must make of each capture; README.md there says how each was made. */
const EXPECTED: Readonly<Record<string, Expected>> = {
  'a-success': WORKED,
  'b-401': failed('auth'),
  'c-429': failed('rate-limited'),
  'c-429ra5': { ...failed('rate-limited'), resetsAt: '2026-11-30T09:00:05.000Z' },
  'd-500': failed('failed'),
  'e-refused': failed('failed'),
  'f-INT': killed(130),
  'f-KILL': killed(137),
  'f-TERM': killed(143),
  'g-resume': WORKED,
  'g-resume-othercwd-dir': WORKED,
  'h-agent-readonly': ONE_STEP,
  'h-build-noperm': WROTE_BY_SHELL,
  'h-plan': WROTE_BY_SHELL,
  // What devflow must never let happen: an agent that does not exist works as the default one.
  'i-agent-unknown': WORKED,
  'i-model-unknown': failed('failed'),
  'i-provider-unknown': failed('failed'),
  'j-stdin': ONE_STEP,
  'j-stdin-300k': ONE_STEP,
  'k-config-content': WORKED,
  // It ends with status 0 and says nothing more.
  'k-perm-ask': {
    outcome: 'incomplete',
    turn: 'open',
    usage: '1000/45/200/0',
    costUsd: 0.00109,
    denials: 1,
    events: 'session text command! usage',
  },
  'k-perm-ask-auto': {
    ...THREE_STEPS,
    events: 'session text command usage other text git usage other text end',
  },
  'k-plugin-file': NOTHING_TO_COMMIT,
  'k-plugin-instr': WORKED,
  'l-project-opencode-dir': WORKED,
  'n-nonroot': WORKED,
  'p-401': failed('auth'),
  'p-429': failed('rate-limited', GAVE_UP),
  'p-429-retry-after': { ...failed('rate-limited'), resetsAt: '2026-11-30T10:00:00.000Z' },
  'p-500': failed('failed', GAVE_UP),
  'p-command': {
    ...DONE,
    usage: '1980/100/20/0',
    costUsd: 0.00218,
    events: 'command… session text command usage other text end',
  },
  // Its exit status is 0, and there is no answer: the evidence that a phase requires decides.
  'p-empty': { ...DONE, usage: '990/50/10/0', costUsd: 0.00109, events: 'session end' },
  'p-fork': { ...DONE, usage: '990/50/10/0', costUsd: 0.00109, events: 'session text end' },
  'p-no-credit': failed('auth', GAVE_UP),
  'p-refused': failed('failed', GAVE_UP),
  'p-review': {
    ...DONE,
    usage: '1980/100/20/0',
    costUsd: 0.00218,
    denials: 1,
    events: 'read… session command! text read! usage other text end',
  },
  'p-subagent': {
    ...DONE,
    usage: '3960/200/40/0',
    costUsd: 0.00436,
    events: 'subagent… session text ~command… ~command ~usage ~usage subagent usage other text end',
  },
  'p-work': {
    ...DONE,
    usage: '2970/150/30/0',
    costUsd: 0.00327,
    events: 'edit… session text edit usage git… other text git usage other text end',
  },
  'pwd-mismatch-dir': NOTHING_TO_COMMIT,
};

test('every capture has an expectation', () => {
  expect(captured().toSorted()).toEqual(Object.keys(EXPECTED).toSorted());
});

test.each(Object.entries(EXPECTED))('%s', (name, { status = 0, denials = 0, ...expected }) => {
  const stdout = capture(name);
  const reading = readCapture(opencode(), { stdout, status, clock: CLOCK });
  const { outcome, result, events, completionSignal, openCalls } = reading;
  const { turn, failure, usage, costUsd } = result;

  expect({
    outcome,
    turn,
    failure: failure?.kind,
    resetsAt: failure?.resetsAt,
    usage: usage && sayUsage(usage),
    costUsd: costUsd === undefined ? undefined : Number(costUsd.toFixed(6)),
    events: events.map(sayEvent).join(' '),
  }).toEqual({
    failure: undefined,
    resetsAt: undefined,
    usage: undefined,
    costUsd: undefined,
    ...expected,
  });
  expect(result.denials ?? []).toHaveLength(denials);
  expect(result.sessionId).toMatch(/^ses_\w{26}$/);
  expect(completionSignal).toBe(turn === 'finished');
  expect(openCalls).toBe(0);
});

function sayUsage(usage: NonNullable<AgentResult['usage']>): string {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens].join('/');
}

function sayEvent({ kind, running, ok, child }: AgentEvent): string {
  return `${child ? '~' : ''}${kind}${running ? '…' : ''}${ok === false ? '!' : ''}`;
}
