import { describe, expect, test } from 'vitest';
import type { RunResult } from '@devflow/core';
import { phaseLabel, rememberFacts } from '../src/reporters/facts.js';
import { finalReport } from '../src/reporters/report.js';
import { waitingLine } from '../src/reporters/lines.js';
import { createStyle } from '../src/text/style.js';

const ATTEMPT: RunResult['attempts'][number] = {
  phase: 1,
  attempt: 1,
  agent: 'claude',
  outcome: 'rate-limited',
  reasons: [{ evidence: 'agent', says: 'no', text: 'too much' }],
  checks: [],
  directory: '/state/it/01-code/1',
  durationMs: 1_500,
};
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
  attempts: [ATTEMPT],
  skipped: [],
};
const report = (result: RunResult) =>
  finalReport(result, undefined, { style: createStyle(false), width: 80 });

describe('the final report', () => {
  test('of a wait names the instant and what to do then', () => {
    const text = report(RESULT);
    expect(text).toMatch(/^waiting until 2030-01-0\d \d\d:\d4 UTC\S*: run it\n/);
    expect(text).toContain('✖ 1 code  claude  rate-limited 1s\n    agent: too much');
    expect(text).toContain('when the limit has ended:\n  devflow resume it');
  });

  test.each([
    ['unknown', 'incomplete', 'what is on devflow/it/work is not known here'],
    ['no', 'rejected', 'what is on devflow/it/work is not known here'],
    ['no', 'no-change', 'no commits on devflow/it/work'],
  ] as const)('with a git that says %s of an attempt that is %s: %s', (says, outcome, words) => {
    const reasons = [{ evidence: 'git' as const, says, text: 'so it is' }];
    expect(report({ ...RESULT, attempts: [{ ...ATTEMPT, outcome, reasons }] })).toContain(words);
  });

  test('shows the end of what a failed check printed, without what steers a terminal', () => {
    const output = Array.from({ length: 12 }, (_, index) => `  line\u001B[2J ${index}\n`).join('');
    const check = { name: 'it', command: ['it'], passed: false, ended: 'exit 1', durationMs: 1 };
    const attempts = [{ ...ATTEMPT, checks: [{ ...check, output }] }];
    const text = report({ ...RESULT, attempts });
    expect(text).toContain('    check "it" printed (last 10 lines):\n        line 2\n');
    expect(text).toContain('        line 11\n');
    expect(text).not.toContain('line 1\n');
  });

  test('shows what was changed that may not be, and tells what a phase made pass', () => {
    const detail = Array.from({ length: 25 }, (_, index) => `+line\u001B[2J ${index}\n`).join('');
    const reasons = [
      { evidence: 'protected' as const, says: 'no' as const, text: 'changed: a', detail },
    ];
    const check = { command: ['it'], passed: true, ended: 'exit 0', output: '', durationMs: 1 };
    const checks = [
      { ...check, name: 'new', before: 'failed' as const },
      { ...check, name: 'old', before: 'passed' as const },
      { ...check, name: 'other' },
    ];
    const rejected = { ...ATTEMPT, outcome: 'rejected' as const, reasons };
    const done = { ...ATTEMPT, outcome: 'completed' as const, reasons: [], checks };
    const text = report({ ...RESULT, attempts: [rejected, done] });
    expect(text).toContain('    protected: changed: a\n      +line 0\n');
    expect(text).toContain('      +line 19\n      and 5 more lines\n');
    expect(text).toContain('    checks made to pass: "new"; passed before too: "old"\n');
  });

  test('of a preflight shows problems as they were printed, and says that the configuration is a copy', () => {
    const problems = [{ code: 'NO', message: 'exit 1: one\n  two', hint: 'Mend it.' }];
    const text = report({ ...RESULT, waitingFor: 'preflight', problems });
    expect(text).toContain('✖ exit 1: one\n    two (NO)\n  Mend it.\n');
    expect(text).toContain('after a change of the\nconfiguration start a new run.');
  });

  test('and the lines before it know the names of phases that were not announced', () => {
    const common = { v: 1, at: '2030-01-02T03:04:05.000Z', run: 'it' } as const;
    const facts = { runId: 'it', startedAt: 0, baseBranch: 'main', phases: [{ id: 2, name: 'b' }] };
    const entered = { type: 'phase-entered', phase: 1, name: 'a', because: 'gaps' } as const;
    const known = rememberFacts(facts, { ...common, ...entered });
    expect([1, 2, 3].map((id) => phaseLabel(known, id))).toEqual(['1 a', '2 b', 'phase 3']);
  });

  test('says what it cost only where that is known', () => {
    expect(report(RESULT)).not.toContain('$');
    expect(report({ ...RESULT, costUsd: 0.125 })).toContain("$0.13 by the agents' own account");
  });

  test('says which agent did what, and what each and all of them used, where they state it', () => {
    const usage = { inputTokens: 2_000, outputTokens: 1_200, cacheReadTokens: 10_300 };
    const one = { ...ATTEMPT, usage, costUsd: 0.004 };
    const other = { ...one, attempt: 2, agent: 'opencode' };
    const text = report({ ...RESULT, attempts: [one, other] });
    const lines = text.split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.slice(0, 2).join('')).toContain('run it, 24.6k in (20.6k cached), 2.4k out');
    expect(text).toContain('✖ 1 code  claude    rate-limited 1s\n');
    expect(text).toContain('✖ 1 code  opencode  rate-limited 1s\n');
    expect(text.split('    12.3k in (10.3k cached), 1.2k out, <$0.01\n')).toHaveLength(3);
    const unknown = report({ ...RESULT, attempts: [one, ATTEMPT] });
    expect(unknown).toContain('run it\n'); // what is unknown of one is unknown of all
    expect(unknown).not.toMatch(/\b0 (in|out)/);
  });

  test('says the end of a wait once, as people here read it', () => {
    const until = '2030-01-02T03:04:05.000Z';
    const reason = `phase 1 code: too much (until ${until})`;
    const text = report({ ...RESULT, reason, attempts: [{ ...ATTEMPT, reasons: [] }] });
    expect(text).toContain('\nphase 1 code: too much\n');
    expect(waitingLine({ reason, until })).toMatch(
      /^waiting until 2030-.* UTC\S* \(in \d+d\): phase 1 code: too much$/,
    );
    const [, other] = /other ends (.*)$/.exec(waitingLine({ reason: `other ends ${until}` })) ?? [];
    expect(other).toMatch(/^2030-01-0\d \d\d:\d4 UTC/);
  });

  test('in a log folds what an agent said of its work', () => {
    const summary = 'a word and '.repeat(20).trim();
    const attempt = { ...ATTEMPT, outcome: 'completed', summary } as const;
    const result = { ...RESULT, state: 'completed', attempts: [attempt] } as const;
    const text = finalReport(result, undefined, { style: createStyle(false), width: Infinity });
    expect(text.replace(/\s+/g, ' ')).toContain(summary);
    expect(text.split('\n').filter((line) => line.length > 100)).toEqual([]);
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
