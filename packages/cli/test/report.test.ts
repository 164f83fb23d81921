import { describe, expect, test } from 'vitest';
import type { RunResult } from '@devflow/core';
import { finalReport } from '../src/reporters/report.js';
import { createStyle } from '../src/text/style.js';

const RESULT: RunResult = {
  runId: 'it',
  state: 'waiting',
  reason: 'phase 1 code rate-limited: too much',
  waitingFor: 'reset',
  until: '2030-01-02T03:04:05.000Z',
  problems: [],
  branch: 'devflow/it/work',
  base: '0123456789abcdef0123456789abcdef01234567',
  head: '0123456789abcdef0123456789abcdef01234567',
  commits: [],
  directory: '/state/it',
  attempts: [
    {
      phase: 1,
      attempt: 1,
      agent: 'claude',
      outcome: 'rate-limited',
      reasons: [{ evidence: 'agent', says: 'no', text: 'too much' }],
      durationMs: 1_500,
    },
  ],
};
const report = (result: RunResult) =>
  finalReport(result, undefined, { style: createStyle(false), width: 80 });

describe('the final report', () => {
  test('of a wait names the instant and what to do then', () => {
    const text = report(RESULT);
    expect(text).toMatch(/^waiting until 2030-01-0\d \d\d:\d4: run it\n/);
    expect(text).toContain('✖ phase 1  rate-limited 1s\n    too much');
    expect(text).toContain('when the limit has ended:\n  devflow resume it');
  });

  test('says what it cost only where that is known', () => {
    expect(report(RESULT)).not.toContain('$');
    expect(report({ ...RESULT, costUsd: 0.125 })).toContain("$0.13 by the agents' own account");
  });

  test('of a login that is missing says so', () => {
    expect(report({ ...RESULT, waitingFor: 'login' })).toContain(
      'when the agent is logged in again:',
    );
  });

  test('quotes nothing of commits that could steer the terminal', () => {
    const commits = [{ hash: 'a'.repeat(40), subject: '\u001B]0;owned\u0007Add it' }];
    expect(report({ ...RESULT, state: 'completed', commits })).toContain('  aaaaaaaaaa Add it\n');
  });
});
