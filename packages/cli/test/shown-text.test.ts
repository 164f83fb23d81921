/** What others have written, as people are shown it. */
import type { GateFacts, RunEvent, RunResult } from '@devflow/core';
import type { RunStatus } from '@devflow/core/status';
import { describe, expect, test } from 'vitest';
import type { Restored } from '@devflow/core/salvage';
import { restoredText } from '../src/commands/salvage.js';
import { jsonReporter } from '../src/reporters/json.js';
import { decidedLine, openingLines, waitingLine } from '../src/reporters/lines.js';
import { plainReporter } from '../src/reporters/plain.js';
import { finalReport } from '../src/reporters/report.js';
import { skippedLine, checkLines } from '../src/text/attempts.js';
import { findingsText } from '../src/text/findings.js';
import { gateText } from '../src/text/gate.js';
import { statusText } from '../src/text/run.js';
import { block, createStyle, fit, oneLine, printedLine, wrap } from '../src/text/style.js';
import type { Terminal } from '../src/terminal.js';

const UNSEEN = [
  0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069, 0x200b, 0x200e, 0x200f,
  0x061c, 0xfeff, 0x2060, 0x00ad, 0xfff9, 0xe0001, 0xe0041, 0xe007f,
].map((code) => String.fromCodePoint(code)); // prettier-ignore
const HOSTILE = `a${UNSEEN.join('')}\u2028\u2029b`;
const ANY_UNSEEN = new RegExp(`[${UNSEEN.join('')}\u2028\u2029\u001b]`, 'u');

const terminal = { style: createStyle(false), width: 80 } as Terminal;
const long = 'word '.repeat(12_000);
const attempt = {
  phase: 1, attempt: 1, directory: '/runs/01-plan/1', agent: 'one', outcome: 'rejected',
  durationMs: 1, summary: HOSTILE, commits: [], reasons: [{ evidence: 'answer', says: 'no', text: HOSTILE }],
  checks: [{ name: HOSTILE, command: ['x'], passed: false, ended: HOSTILE, output: HOSTILE, durationMs: 1 }],
}; // prettier-ignore
const gate = { gate: 'abc', kind: 'after', phase: 1, reason: HOSTILE, message: HOSTILE, openedAt: '2026-01-01T00:00:00Z', visits: 1, attempts: 1 }; // prettier-ignore
const facts = {
  run: 'it', task: HOSTILE, gate, phase: { id: 1, name: 'plan' }, waysBack: ['plan'], branch: `x/${HOSTILE}`,
  base: '0'.repeat(40), head: '1'.repeat(40), commits: [{ hash: '1'.repeat(40), subject: HOSTILE }],
  diffstat: ` ${HOSTILE} | 1 +\n ${'f'.repeat(60)} | 999 ${'+'.repeat(34)}`, lastWords: HOSTILE,
  attempt, attempts: [attempt], problems: [{ code: 'X', message: HOSTILE, hint: HOSTILE }],
} as unknown as GateFacts; // prettier-ignore
const run = {
  id: 'it', state: 'failed', reason: HOSTILE, task: HOSTILE, branch: `x/${HOSTILE}`, lastWords: HOSTILE, gate,
  attempts: [attempt], skipped: [{ phase: 2, name: HOSTILE, reason: HOSTILE }],
} as unknown as RunStatus; // prettier-ignore

describe('what cannot be seen', () => {
  test.each(UNSEEN)('is gone from a line: %j', (character) => {
    expect(oneLine(`a${character}b`)).toBe('ab');
    expect(printedLine(`  a${character}b`)).toBe('  ab');
  });

  test('is a space where it would end a line', () => {
    expect(oneLine('a\u2028b\u2029c')).toBe('a b c');
    expect(printedLine('a\u2028b\u2029c')).toBe('a b c');
  });

  test('stays where emoji and words are made of it', () => {
    for (const made of ['👩\u200d💻', '❤\ufe0f', 'می\u200cخواهم'])
      expect([oneLine(made), printedLine(made)]).toEqual([made, made]);
  });

  test('of agents, persons and repositories is shown by no view of a run', () => {
    const result = { ...facts, ...run, runId: 'it' } as unknown as RunResult;
    const base = { branch: 'main', commit: '0'.repeat(40) };
    const opened = {
      ...run,
      type: 'run-started',
      run: 'it',
      workflow: 'workflow',
      base,
      phases: [],
      sandbox: 'own',
    };
    const told = [
      ...openingLines(opened as unknown as Extract<RunEvent, { type: 'run-started' }>),
      decidedLine({ decision: 'reject', by: 'person', note: HOSTILE }),
      waitingLine({ reason: HOSTILE, gate: facts.gate }),
      waitingLine({ reason: HOSTILE }),
    ]
      .map((line) => wrap(line, 80))
      .join('\n'); // as the reporters print them
    const report = finalReport(result, undefined, terminal);
    const finding = { what: HOSTILE, found: HOSTILE, problems: facts.problems, notes: [HOSTILE] };
    const restored = restoredText({ branch: HOSTILE, holds: 'files', ref: HOSTILE } as Restored, terminal); // prettier-ignore
    const views = [
      gateText(facts, terminal),
      statusText(run, terminal),
      findingsText([finding], terminal),
      restored,
      report,
      told,
      ...said(),
    ];
    for (const shown of views) {
      expect(shown).toMatch(/a  ?b/);
      expect(shown).not.toMatch(ANY_UNSEEN);
    }
  });
});

/** What devflow says beside the run, for people and for programs. */
function said(): string[] {
  return [jsonReporter, plainReporter].map((reporter) => {
    let shown = '';
    const on = { ...terminal, errWidth: 80, err: (text: string) => void (shown += text) };
    reporter(on).say(HOSTILE);
    return shown;
  });
}

describe('what is long', () => {
  test('is cut, and says so, also where there is no terminal', () => {
    for (const width of [80, Infinity]) {
      for (const shown of [wrap(long, width), block(long, width), fit(long.trim(), width)]) {
        expect(shown.length).toBeLessThanOrEqual(2_000);
        expect(shown).toMatch(/word…$/);
      }
    }
    const lines = Array.from({ length: 102 }, () => 'x').join('\n');
    expect(block(lines, 80).split('\n').slice(99)).toEqual(['x', 'and 2 more lines']);
  });

  test('of a phase that was skipped, and of a check, is cut', () => {
    const skipped = [{ phase: 2, name: 'code', reason: long }];
    expect(wrap(skippedLine({ phase: 2, name: 'code', reason: long }), 80).length).toBeLessThan(
      2_001,
    );
    const shown = statusText(
      { ...run, skipped, reason: long, task: long },
      { ...terminal, width: Infinity },
    );
    expect(shown.length).toBeLessThan(8_000);
    const checks = [
      { ...attempt.checks[0], output: long },
    ] as unknown as RunStatus['attempts'][number]['checks'];
    expect(checkLines({ checks }, createStyle(false)).join('\n').length).toBeLessThan(2_100);
  });

  test('in a diffstat fits the terminal', () => {
    for (const width of [60, 80]) {
      const stat = gateText(facts, { ...terminal, width })
        .split('\n')
        .filter((line) => line.includes('fff'));
      expect(stat).toHaveLength(1);
      expect(stat[0]?.length).toBeLessThanOrEqual(width);
    }
  });
});
