import { readFileSync, readdirSync } from 'node:fs';

import type { AgentEvent } from '@devflow/core/adapter';
import { readCapture } from '@devflow/core/testing';
import { describe, expect, test } from 'vitest';

import { claude } from '../src/index.ts';
import { EXPECTED } from './captures.ts';

const FIXTURES = new URL('../fixtures/2.1.332/', import.meta.url);

test('every capture has an expectation', () => {
  const captured = readdirSync(FIXTURES).filter((name) => name.endsWith('.jsonl'));
  expect(captured.map((name) => name.replace('.jsonl', '')).toSorted()).toEqual(
    Object.keys(EXPECTED).toSorted(),
  );
});

test.each(Object.entries(EXPECTED))('%s', (name, { session, usage, ...expected }) => {
  const reading = readCapture(claude(), { stdout: stdoutOf(name), status: expected.status });
  const { result, events } = reading;
  expect({
    status: expected.status,
    outcome: reading.outcome,
    turn: result.turn,
    events: events.map(say).join(' '),
    ...(result.failure !== undefined && { failure: result.failure.kind }),
    ...(result.failure?.resetsAt !== undefined && { resetsAt: result.failure.resetsAt }),
    ...(result.costUsd !== undefined && { costUsd: Number(result.costUsd.toFixed(6)) }),
    ...('structuredOutput' in result && { structuredOutput: result.structuredOutput }),
    ...(result.denials !== undefined && { denials: result.denials.length }),
    ...(reading.openCalls > 0 && { openCalls: reading.openCalls }),
  }).toEqual(expected);
  expect(tokens(result.usage)).toBe(usage);
  expect(result.sessionId?.replace(/-[0-9a-f-]{27}$/, '')).toBe(session);
  expect(reading.completionSignal).toBe(expected.turn === 'finished');
});

describe('the end of a limit, by the words of its message alone', () => {
  const limits = Object.entries(EXPECTED).filter(([, { resetsAt }]) => resetsAt !== undefined);

  test.each(limits)('is to the minute that of its event: %s', (name, { resetsAt = '' }) => {
    const words = stdoutOf(name).replaceAll('"status":"rejected"', '"status":"allowed"');
    const clock = { now: () => new Date('2026-11-30T10:00:00Z'), timeZone: 'America/New_York' };
    const { result } = readCapture(claude(), { stdout: words, status: 1, clock });
    expect(result.failure?.resetsAt?.slice(0, 16)).toBe(resetsAt.slice(0, 16));
  });
});

function stdoutOf(name: string): string {
  return readFileSync(new URL(`${name}.jsonl`, FIXTURES), 'utf8');
}

function say({ kind, running, ok, child }: AgentEvent): string {
  return `${child ? '~' : ''}${kind}${running ? '…' : ''}${ok === false ? '!' : ''}`;
}

function tokens(usage: AgentEvent['usage']): string | undefined {
  if (usage === undefined) return undefined;
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens].join('/');
}
