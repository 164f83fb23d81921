import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { fail, judged, skip } from '../src/testing/conformance/case.js';
import type { CaseContext, ConformanceCase } from '../src/testing/conformance/case.js';
import { processesIn } from '../src/testing/conformance/leftovers.js';
import { type SuiteOptions, runSuite } from '../src/testing/conformance/suite.js';
import {
  type ConformanceReport,
  exitCodeOfReport,
  jsonReport,
  markdownReport,
  notPassed,
  terminalReport,
} from '../src/testing/index.js';
import { processForTest } from './temporary.js';

type Case = Partial<ConformanceCase<string>> & Pick<ConformanceCase<string>, 'run'>;
const facts = { subject: 'it', capabilities: { pty: null } };
const runCases = (cases: Record<string, Case>, options?: SuiteOptions) => {
  const named = Object.entries(cases).map(([name, one]) => ({ name, ...one }));
  return runSuite({ name: 'some suite', cases: named }, 'subject', facts, {
    graceMs: 100,
    ...options,
  });
};
const pass = () => judged([], 'it held');
/** Its context, kept to look at it when the case is over. */
async function contextOf(run: Case['run'], more: Partial<Case> = {}) {
  const kept: CaseContext<string>[] = [];
  const { cases } = await runCases({
    one: { ...more, run: (context) => (kept.push(context), run(context)) },
  });
  const [context] = kept;
  if (context === undefined) throw new Error('the case was not run');
  return { context, result: cases[0] };
}
const never = () => new Promise<never>(() => undefined);

describe('a verdict', () => {
  test.each([
    ['PASS', { run: pass }, 'it held'],
    ['FAIL', { run: () => judged(['one', undefined, 'two'], 'it held') }, 'one; two'],
    ['SKIP', { run: () => skip('not Windows') }, 'not Windows'],
    ['UNSUPPORTED', { run: pass, unsupported: () => 'it claims no PTY' }, 'it claims no PTY'],
    ['ERROR', { run: () => Promise.reject(new Error('it broke')) }, 'it broke'],
    ['ERROR', { run: pass, unsupported: () => { throw new Error('no word'); } }, 'no word'],
    ['ERROR', { run: never, deadlineMs: 20 }, 'the deadline of 0.02 s passed'],
    ['ERROR', { run: ({ onCleanup }) => (onCleanup(() => { throw new Error('stuck'); }), pass()) }, 'cleaning up: stuck'],
  ] satisfies [string, Case, string][])('%s', async (verdict, one, summary) => {
    const { cases, counts } = await runCases({ one });
    expect(cases).toMatchObject([{ name: 'one', verdict, summary }]);
    expect(counts).toEqual({ PASS: 0, FAIL: 0, UNSUPPORTED: 0, SKIP: 0, ERROR: 0, [verdict]: 1 });
  }); // prettier-ignore

  test('comes with what was observed until then', async () => {
    const { cases } = await runCases({
      one: {
        run: ({ observe }) => {
          observe('pid 7');
          throw new Error('it broke');
        },
      },
    });
    expect(cases).toMatchObject([{ verdict: 'ERROR', evidence: ['pid 7'] }]);
  });
});

describe('a case', () => {
  test('has a directory of its own, which is gone afterwards', async () => {
    const seen: string[] = [];
    const run: Case['run'] = ({ directory }) => {
      expect(existsSync(path.join(directory, 'file'))).toBe(false);
      writeFileSync(path.join(directory, 'file'), '');
      seen.push(directory);
      return pass();
    };
    const { cases } = await runCases({ one: { run }, two: { run } });
    expect(cases.map(({ verdict }) => verdict)).toEqual(['PASS', 'PASS']);
    expect(new Set(seen).size).toBe(2);
    expect(seen.filter((directory) => existsSync(directory))).toEqual([]);
  });

  test.each([
    ['passes', pass, {}],
    ['fails', () => fail('no'), {}],
    ['throws', () => Promise.reject(new Error('no')), {}],
    ['hangs', never, { deadlineMs: 20 }],
  ])(
    'cleans up where it %s, the last thing first',
    async (_, run, more) => {
      const order: string[] = [];
      await contextOf(({ onCleanup }) => {
        onCleanup(() => void order.push('first'));
        onCleanup(async () => void order.push('second'));
        return run();
      }, more);
      expect(order).toEqual(['second', 'first']);
    },
    30_000,
  );

  test('is told that its deadline has passed', async () => {
    const { context, result } = await contextOf(
      ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(pass()))),
      { deadlineMs: 20 },
    ); // prettier-ignore
    expect(context.signal.aborted).toBe(true);
    expect(result).toMatchObject({ verdict: 'ERROR' });
  });

  test('leaves no process: what works in its directory is ended', async () => {
    const { context, result } = await contextOf(({ directory }) => {
      const env = { PATH: process.env['PATH'] ?? '' };
      processForTest('sleep', ['600'], { cwd: directory, env, detached: true });
      return pass();
    });
    expect(processesIn(context.directory)).toEqual([]);
    expect(result).toMatchObject({
      evidence: ['processes that were left and had to be ended: 1'],
    });
  });

  test('is rerun by name, and a name that is none is refused with those that are', async () => {
    const one = { run: pass };
    const { cases } = await runCases({ one, two: one }, { only: 'two' });
    expect(cases.map(({ name }) => name)).toEqual(['two']);
    await expect(runCases({ one, two: one }, { only: 'three' })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      hint: 'Its cases are: one, two.',
    });
  });

  test('is ended by an interruption, and none is begun after it', async () => {
    const over = new AbortController();
    const run = () => {
      over.abort();
      return never();
    };
    const { cases } = await runCases({ one: { run }, two: { run: pass } }, { signal: over.signal });
    expect(cases).toMatchObject([
      { name: 'one', verdict: 'ERROR', summary: 'the suite was interrupted' },
    ]);
  });
});

describe('the exit code', () => {
  const counts = { PASS: 1, FAIL: 0, UNSUPPORTED: 1, SKIP: 1, ERROR: 0 };
  test.each([
    [counts, 0],
    [{ ...counts, FAIL: 1 }, 1],
    [{ ...counts, ERROR: 1 }, 1],
  ])('of %j is %i', (given, code) => {
    expect(exitCodeOfReport({ counts: given })).toBe(code);
  });
});

describe('a report', () => {
  const report: ConformanceReport = {
    suite: 'some suite',
    subject: 'it',
    capabilities: { pty: null, modes: ['work'], platform: 'linux' },
    platform: 'linux 6.8.0 x64',
    versions: { node: '20.19.0', it: '1.2.3' },
    counts: { PASS: 1, FAIL: 1, UNSUPPORTED: 1, SKIP: 0, ERROR: 0 },
    cases: [
      { name: 'first', verdict: 'PASS', summary: 'it held', evidence: ['seen'], durationMs: 1234 },
      { name: 'second', verdict: 'FAIL', summary: `one broke; ${'and more words '.repeat(9)}`, evidence: [`a ${'x'.repeat(150)}`, '\u001B[31m<b>|red\u001B[0m\nline'], durationMs: 2 },
      { name: 'third', verdict: 'UNSUPPORTED', summary: 'it claims no PTY', evidence: [], durationMs: 0 },
    ],
  }; // prettier-ignore

  test('for a terminal fits its columns, and says why where a case was not passed', () => {
    for (const width of [80, 40]) {
      const text = terminalReport(report, { width });
      expect(text.split('\n').filter((line) => line.length > width)).toEqual([]);
      expect(text).toContain('3 cases: 1 PASS, 1 FAIL, 1 UNSUPPORTED');
    }
    const text = terminalReport(report);
    expect(text).toMatch(/^PASS +first +1\.2 s$/m);
    expect(text).toMatch(/^UNSUPPORTED +third +0\.0 s\n +it claims no PTY$/m);
    expect(text).toContain('one broke; and more words');
    expect(text).not.toContain('\u001B');
    expect(text).not.toContain('seen');
  });

  test('for a terminal is coloured by its verdicts', () => {
    const text = terminalReport(report, { paint: (verdict, words) => `<${verdict}>${words}` });
    expect(text).toMatch(/^<PASS>PASS +first/m);
    expect(text).toMatch(/^<FAIL>FAIL +second/m);
  });

  test('as JSON is all of it', () => {
    expect(JSON.parse(jsonReport(report))).toEqual(report);
  });

  test('as Markdown holds every case with its evidence, and nothing of it is markup', () => {
    const text = markdownReport(report);
    expect(text).toContain('| first | PASS | it held | 1.2 s |');
    expect(text).toContain('- platform: linux 6.8.0 x64');
    expect(text).toContain('- versions: node 20.19.0, it 1.2.3');
    expect(text).toContain('### first\n\n- seen');
    expect(text).toContain(String.raw`\<b\>\|red`);
    expect(text).not.toContain('### third');
  });

  test('names what did not pass, with its verdict', () => {
    expect(notPassed(report)).toEqual({
      second: expect.stringMatching(/^FAIL: one broke/),
      third: 'UNSUPPORTED: it claims no PTY',
    });
  });
});
