import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ConformanceReport } from '@devflow/core/testing';
import { type CommandLine, commandLine, nobodyIsLeft, processesOf, until } from './command-line.js';

const CASES = 16;

/** An adapter whose members are replaced, or whose module does something first. */
const module = (members: string, first = '') => `${first}
export const adapter = {
  name: 'mine',
  capabilities: { modes: ['work'] },
  execCommand: ({ prompt }) => ({ program: 'parrot', args: [], stdin: prompt }),
  completionSignalDetected: (output) => output.includes('DEVFLOW_RESULT'),
  ${members}
};
`;
const parser = (line: string) =>
  `createParser: () => ({ line: () => { ${line} }, openCalls: () => 0, result: () => ({ turn: 'unknown' }) }),`;
const LOOP = 'for (;;);';

/** What a module does, what becomes of which case, and how the others are said not to have been asked. */
const HOSTILE: readonly [what: string, code: string, name: string, summary: string][] = [
  ['turns in a circle when it is imported', module('', LOOP),
    'names-itself', 'not asked: the deadline of 1 s passed while it was loaded'],
  ['waits for ever when it is imported', module('', 'await new Promise(() => {});'),
    'names-itself', 'not asked: the deadline of 1 s passed while it was loaded'],
  ['ends the process when it is imported', module('', 'process.exit(0);'),
    'names-itself', 'not asked: the adapter ended the process (exit 0) while it was loaded'],
  ['turns in a circle when it is asked for a command', module(`execCommand() { ${LOOP} },`),
    'names-itself', 'not asked: the deadline of 1 s passed while it was asked for its command and its version'],
  ['ends the process when it is asked for a command', module('execCommand() { process.exit(0); },'),
    'names-itself', 'not asked: the adapter ended the process (exit 0) while it was asked for its command and its version'],
  ['turns in a circle at a line', module(parser(LOOP)),
    'reads-any-output', 'the deadline of 1 s passed'],
  ['turns in a circle at an output', module(`completionSignalDetected() { ${LOOP} },`),
    'reads-any-output', 'the deadline of 1 s passed'],
  ['kills the process at a line', module(parser(`process.kill(process.pid, 'SIGKILL'); ${LOOP}`)),
    'reads-any-output', 'the adapter ended the process (SIGKILL)'],
  ['never answers in preflight', module(`${parser('return [];')} preflight: () => new Promise(() => {}),`),
    'preflight-answers', 'the deadline of 1 s passed'],
]; // prettier-ignore

/** A process that nobody has looked after yet is dead: it has no words any more. */
function isAlive(pid: string): boolean {
  const file = `/proc/${pid}/cmdline`;
  return existsSync(file) && readFileSync(file, 'latin1') !== '';
}

describe('devflow conform adapter, asked about a module that', () => {
  let here: CommandLine;
  beforeEach(async () => {
    here = await commandLine();
  });
  afterEach(() => here.remove());

  const start = (code: string, ...args: string[]) => {
    here.write({ 'mine.mjs': code });
    const env = { TMPDIR: here.directory };
    return here.start(['conform', 'adapter', './mine.mjs', ...args], { env });
  };
  const conform = async (code: string, ...args: string[]) => {
    const { code: exit, stdout, stderr } = await start(code, '--json', ...args).finished;
    return { exit, stderr, report: JSON.parse(stdout) as ConformanceReport };
  };
  const expectNothingLeft = () => {
    expect(processesOf(here.home)).toEqual([]);
    expect(directories()).toEqual([]);
  };
  const directories = () =>
    readdirSync(here.directory).filter((name) => name.startsWith('devflow-conformance-'));

  test.each(HOSTILE)('%s', async (_, code, name, summary) => {
    const { exit, report } = await conform(code, '--deadline', '1');
    expect(report.cases).toHaveLength(CASES);
    expect(report.cases.find((one) => one.name === name)).toMatchObject({
      verdict: 'ERROR',
      summary,
    });
    expect(exit).toBe(1);
    expectNothingLeft();
  });

  test('ends the process keeps what came before, and says why the rest is missing', async () => {
    const code = module(parser(`console.error('I am off'); process.exit(7);`));
    const { report, stderr } = await conform(code);
    const [first, second, third] = report.cases;
    expect(first).toMatchObject({ name: 'names-itself', verdict: 'PASS' });
    const summary = 'the adapter ended the process (exit 7)';
    expect(second).toMatchObject({ verdict: 'ERROR', summary, evidence: ['it printed: I am off'] });
    expect(third).toMatchObject({ summary: `not asked: ${summary} in reads-any-output` });
    expect(report).toMatchObject({ subject: 'mine', counts: { PASS: 1, ERROR: CASES - 1 } });
    expect(stderr).toBe('I am off\n');
    expectNothingLeft();
  });

  test('starts a process when it is imported: once, and it is ended and told of', async () => {
    const ran = path.join(here.directory, 'ran');
    const code = module('', `
      import { spawn } from 'node:child_process';
      import { appendFileSync } from 'node:fs';
      const options = { detached: true, stdio: 'ignore', cwd: '/', env: {} };
      const child = spawn('/bin/sleep', ['600'], options);
      child.unref();
      appendFileSync(${JSON.stringify(ran)}, child.pid + '\\n');`); // prettier-ignore
    const { exit, report } = await conform(code);
    const pids = readFileSync(ran, 'utf8').trim().split('\n');
    expect(pids).toHaveLength(1);
    expect(isAlive(pids[0] ?? '')).toBe(false);
    expect(report.cases.filter(({ verdict }) => verdict === 'FAIL')).toMatchObject([
      { name: 'leaves-nothing', summary: expect.stringMatching(/had to be ended: 1$/) },
    ]);
    expect(exit).toBe(1);
    expectNothingLeft();
  });

  test.each([
    ['a member', `get execCommand() { throw new Error('boom'); },`, 'execCommand: cannot be read: Error: boom'],
    ['a capability', `capabilities: { get modes() { throw new Error('boom'); } },`, 'capabilities: cannot be read: Error: boom'],
  ])('throws when %s is read is refused', async (_, members, problem) => {
    here.write({ 'mine.mjs': module(members) });
    const { code, stderr } = await here.devflow(['conform', 'adapter', './mine.mjs']);
    expect(code).toBe(2);
    expect(stderr).toContain(problem);
    expect(stderr).toContain('(ADAPTER_INVALID)');
    expect(stderr).not.toContain('INTERNAL');
  }); // prettier-ignore

  test.each([
    ['of an adapter', 'export const adapter = HOSTILE;'],
    ['of all exports', 'module.exports = HOSTILE;'],
    ['of its conformance', `${module('')} export const conformance = HOSTILE;`],
  ])('puts a proxy that throws in the place %s is refused', async (_, code) => {
    const throws = `() => { throw new Error('boom'); }`;
    const proxy = `const HOSTILE = new Proxy({}, { get: ${throws}, has: ${throws}, ownKeys: ${throws} });\n`;
    const file = code.includes('module.exports') ? 'mine.cjs' : 'mine.mjs';
    here.write({ [file]: proxy + code });
    const { code: exit, stderr } = await here.devflow(['conform', 'adapter', `./${file}`]);
    expect(stderr).toContain('(ADAPTER_INVALID)');
    expect(stderr).toContain('boom');
    expect(exit).toBe(2);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'turns in a circle ends at once by %s, with its report',
    async (signal) => {
      const started = start(module(parser(LOOP)), '--json');
      await until(hasBegun, () => 'the case');
      started.child.kill(signal);
      const { code, stdout } = await started.finished;
      const { cases } = JSON.parse(stdout) as ConformanceReport;
      expect(cases).toHaveLength(CASES);
      expect(cases[1]).toMatchObject({ verdict: 'ERROR', summary: 'the suite was interrupted' });
      expect(code).toBe(130);
      expectNothingLeft();
    },
  );

  test('turns in a circle ends as well where devflow is killed', async () => {
    const started = start(module(parser(LOOP)));
    await until(hasBegun, () => 'the case');
    expect(processesOf(here.home)).toHaveLength(2);
    started.child.kill('SIGKILL');
    await nobodyIsLeft(here.home);
  });

  /** Is it at the case that hangs? */
  function hasBegun(): boolean {
    const files = directories().map((name) => path.join(here.directory, name, 'said.jsonl'));
    return files.some(
      (file) =>
        existsSync(file) && readFileSync(file, 'utf8').includes('"begun":"reads-any-output"'),
    );
  }
});
