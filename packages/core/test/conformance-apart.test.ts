import { readdirSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isAlive, identify } from '../src/process/identity.js';
import { type WatchedOptions, runWatched } from '../src/process/watched.js';
import { type ApartOptions, runSuiteApart } from '../src/testing/conformance/apart.js';
import { judged } from '../src/testing/conformance/case.js';
import { readSaid } from '../src/testing/conformance/said.js';
import { known, temporaryDirectory } from './temporary.js';

const one = { run: () => judged([], 'it held') };
const suite = {
  name: 'some suite',
  cases: ['first', 'second', 'third'].map((name) => ({ name, ...one })),
};
const facts = { facts: { subject: 'it', capabilities: { modes: ['work'] } } };
const begun = (name: string) => ({ begun: name });
const result = (name: string) => ({
  result: { name, verdict: 'PASS', summary: 'it held', evidence: [], durationMs: 1 },
});
/** Long enough for every deadline here, and no longer, in case that nobody ends it. */
const LOOP = 'for (const over = Date.now() + 15_000; Date.now() < over; );';
/** A program that says this, and then does something else. */
const program = (said: readonly object[], then = '') => `
const { appendFileSync, mkdirSync } = require('node:fs');
const { spawn } = require('node:child_process');
const file = process.argv[1];
for (const one of ${JSON.stringify(said)}) appendFileSync(file, JSON.stringify(one) + '\\n');
${then}`;

async function askApart(script: string, more: Partial<ApartOptions> = {}) {
  const directory = temporaryDirectory();
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = directory;
  onTestFinished(() => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  });
  const report = await runSuiteApart(suite, {
    command: [process.execPath, '-e', script],
    name: './it.mjs',
    cwd: directory,
    env: { PATH: process.env['PATH'] },
    onOutput: () => undefined,
    ...more,
  });
  expect(readdirSync(directory)).toEqual([]);
  return report;
}
const shortly = (cases: Awaited<ReturnType<typeof askApart>>['cases']) =>
  cases.map(({ name, verdict, summary }) => `${name} ${verdict}: ${summary}`);

describe('a suite in a process of its own', () => {
  test('is what the process says of it', async () => {
    const said = [facts, ...suite.cases.flatMap(({ name }) => [begun(name), result(name)])];
    const seen: string[] = [];
    const report = await askApart(program(said), { onCase: (name) => seen.push(name) });
    expect(report).toMatchObject({ suite: 'some suite', subject: 'it', counts: { PASS: 3 } });
    expect(seen).toEqual(['first', 'second', 'third']);
  });

  test('lacks no case where the process ends before its time', async () => {
    const said = [facts, begun('first'), result('first'), begun('second')];
    const then = `console.log('a word'); console.error('Error: boom'); process.exit(3);`;
    const printed: string[] = [];
    const onOutput = (text: string) => void printed.push(text);
    const { cases } = await askApart(program(said, then), { onOutput });
    expect(shortly(cases)).toEqual([
      'first PASS: it held',
      'second ERROR: the adapter ended the process (exit 3)',
      'third ERROR: not asked: the adapter ended the process (exit 3) in second',
    ]);
    const evidence = [...known(cases[1]).evidence].toSorted();
    expect(evidence).toEqual(['it printed: Error: boom', 'it printed: a word']);
    expect(printed.join('')).toContain('a word\n');
  });

  test('that hangs before it says anything is ended', async () => {
    const report = await askApart(program([], LOOP), { deadlineMs: 300 });
    expect(report).toMatchObject({ subject: './it.mjs', capabilities: {}, counts: { ERROR: 3 } });
    expect(known(report.cases[0]).summary).toBe(
      'not asked: the deadline of 0.3 s passed while it was loaded',
    );
  });

  test('that hangs in a case is ended, and the case names its deadline', async () => {
    const { cases } = await askApart(program([facts, begun('first')], LOOP), {
      deadlineMs: 300,
    });
    expect(shortly(cases)[0]).toBe('first ERROR: the deadline of 0.3 s passed');
    expect(known(cases[0]).durationMs).toBeGreaterThan(300);
  });

  test('is ended by an interruption', async () => {
    const over = new AbortController();
    const script = program([facts, begun('first')], LOOP);
    const onCase = () => over.abort();
    const { cases } = await askApart(script, { signal: over.signal, onCase });
    expect(shortly(cases)[0]).toBe('first ERROR: the suite was interrupted');
    expect(known(cases[0]).durationMs).toBeLessThan(10_000);
  });

  test('ends what hides in its directory', async () => {
    // It has lost its parent, its group and its environment before anybody looks.
    const then = `
      const home = require('node:path').dirname(file) + '/deep';
      mkdirSync(home);
      const options = { cwd: home, env: {}, detached: true, stdio: 'ignore' };
      const hidden = spawn('/bin/sleep', ['600'], options);
      require('node:fs').writeSync(1, String(hidden.pid));
      process.kill(process.pid, 'SIGKILL');`; // at once: a look in between would know it as its child
    let pid = 0;
    await askApart(program([facts], then), { onOutput: (text) => (pid = Number(text)) });
    expectGone(pid);
  });

  test('tells of processes that are left where all was asked', async () => {
    const said = [facts, begun('third'), result('third')];
    const then = `spawn('/bin/sleep', ['20'], { detached: true, stdio: 'ignore' }).unref();`;
    const { cases } = await askApart(program(said, then), { only: 'third' });
    expect(shortly(cases)).toEqual([
      'third PASS: it held',
      'leaves-nothing FAIL: processes that the adapter had started, and that had to be ended: 1',
    ]);
    const unasked = await askApart(program([facts], then));
    expect(unasked.cases.map(({ name }) => name)).toEqual(['first', 'second', 'third']);
  });

  test('passes on what the process refuses', async () => {
    const refused = { code: 'ADAPTER_INVALID', message: 'no', hint: 'do', problems: ['a', 'b'] };
    await expect(askApart(program([{ refused }]))).rejects.toMatchObject(refused);
  });

  test('is not begun for a case that is none', async () => {
    await expect(askApart('', { only: 'fourth' })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
  });

  test('reads nothing from a line that was cut short', () => {
    expect(readSaid('{"begun":"fi')).toEqual({});
  });
});

describe('a program that is watched', () => {
  const watched = (script: string, more: Partial<WatchedOptions> = {}) =>
    runWatched(['/bin/sh', '-c', script], {
      cwd: '/',
      env: { PATH: process.env['PATH'] },
      onOutput: () => undefined,
      isOver: () => false,
      ...more,
    });

  test('says how it ended, also where it was over at the same time', async () => {
    expect(await watched('exit 7')).toEqual({ how: 'exit 7', left: 0 });
    expect(await watched('kill -s SEGV $$')).toEqual({ how: 'SIGSEGV', left: 0 });
    expect(await watched(':', { isOver: () => true })).toEqual({ how: 'exit 0', left: 0 });
  });

  test('says why it could not be started', async () => {
    expect((await watched(':', { cwd: '/nowhere' })).how).toContain('ENOENT');
  });

  test('is ended with what has left its group and its environment', async () => {
    let pid = 0;
    const script = 'env -i /usr/bin/setsid /bin/sleep 20 & echo $!; sleep 0.5';
    const onOutput = (text: string) => void (pid = Number(text));
    expect(await watched(script, { onOutput })).toEqual({ how: 'exit 0', left: 1 });
    expectGone(pid);
  });

  test('is ended also where whoever watches it fails', async () => {
    let pid = 0;
    const onOutput = (text: string) => void (pid = Number(text));
    const isOver = () => {
      if (pid !== 0) throw new Error('no');
      return false;
    };
    const end = watched('echo $$; exec sleep 600', { onOutput, isOver });
    await expect(end).rejects.toThrow('no');
    expectGone(pid);
  });
});

function expectGone(pid: number): void {
  expect(pid).toBeGreaterThan(1);
  const left = identify(pid);
  const isLeft = left !== undefined && isAlive(left);
  if (isLeft) process.kill(pid, 'SIGKILL');
  expect(isLeft).toBe(false);
}
