import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunResult } from '@devflow/core';
import { exitCodeOf, exitCodeOfError } from '../src/exit-codes.js';
import { rootHelp, schemaText } from '../src/generated.js';
import { type CommandLine, commandLine } from './command-line.js';

const file = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
const COMMANDS = [
  'init', 'run', 'resume', 'stop', 'status', 'attach', 'list', 'logs', 'doctor', 'clean', 'salvage', 'conform',
]; // prettier-ignore

describe('the command line', () => {
  let here: CommandLine;
  beforeAll(async () => {
    here = await commandLine();
  });
  afterAll(() => here.remove());

  test('help.txt is what the parser generates, and is what --help, -h and help print', async () => {
    expect(file('help.txt')).toBe(rootHelp());
    for (const args of [['--help'], ['-h'], ['help']]) {
      expect(await here.devflow(args)).toEqual({ code: 0, stdout: file('help.txt'), stderr: '' });
    }
  });

  test('schema.json is the schema of the core', () => {
    expect(JSON.parse(file('schema.json'))).toEqual(JSON.parse(schemaText()));
  });

  test('--version prints the version of the package', async () => {
    const { version } = JSON.parse(file('package.json')) as { version: string };
    expect((await here.devflow(['--version'])).stdout).toBe(`${version}\n`);
  });

  test('every command has help with examples, and it fits 80 columns', async () => {
    const helps = await Promise.all(COMMANDS.map((name) => here.devflow([name, '--help'])));
    for (const [index, { code, stdout }] of helps.entries()) {
      expect(code).toBe(0);
      expect(stdout).toContain(`Usage: devflow ${COMMANDS[index]}`);
      expect(stdout).toContain('Examples:\n  $ devflow');
      expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    }
    expect(helps[1]?.stdout).toContain('130  interrupted');
  });

  test.each([
    [['lsit'], "unknown command 'lsit' (Did you mean list?)"],
    [['help', 'lsit'], "unknown command 'lsit' (Did you mean list?)"],
    [['run', '--frm', '2'], "unknown option '--frm' (Did you mean --from?)"],
    [['status', 'one', 'two'], 'too many arguments'],
    [['run', '--from'], "option '--from <phase>' argument missing"],
    [['run', 'x', '--json', '--quiet', '--cwd', '/nowhere'], '--cwd: /nowhere does not exist'],
    [['run', 'x', '--model', ''], '--model: the value is empty'],
    [['run', 'x', '--agent='], '--agent: the value is empty'],
    [['run', 'x', '--agent', 'claude,'], '--agent: a name is missing in "claude,"'],
    [['run', 'x', '--agent', 'a', '--agent', 'b'], '--agent is given twice: "a" and "b"'],
    [['adapters', '--accept', 'a', ''], '--accept: the value is empty'],
  ])('%j is refused with exit 2: %s', async (args, message) => {
    const { code, stdout, stderr } = await here.devflow(args);
    expect(code).toBe(2);
    expect(stdout + stderr).toContain(message);
    expect(stdout + stderr).toContain('OPTION_INVALID');
  });

  test('a hint names the command that was typed, and what to type instead', async () => {
    const said = async (...args: string[]) => (await here.devflow(args)).stderr;
    expect(await said('run', '--frm', '2')).toContain('See `devflow run --help`.');
    expect(await said('conform', 'adapter')).toContain('See `devflow conform adapter --help`.');
    expect(await said('lsit')).toContain('See `devflow --help`.');
    expect(await said('run', 'a', 'b', '--json', '--name', 'c')).toBe('');
    expect(await said('run', 'fix', 'the', 'login', '--name', 'c')).toContain(
      'Quote a task of several words: `devflow run "fix the login"`.',
    );
    expect(await said('run', 'say', '"hi"')).toContain('`devflow run "…"`');
    expect(await said('status', 'a', 'b')).toContain('See `devflow status --help`.');
  });

  test('the exit code tells what a run waits for', () => {
    const code = (result: Partial<RunResult>) =>
      exitCodeOf({ state: 'waiting', ...result } as RunResult); // the rest is not looked at
    expect([
      code({ state: 'completed' }), code({ state: 'failed' }), code({ state: 'stopped' }),
      code({ waitingFor: 'reset' }), code({ waitingFor: 'login' }), code({ waitingFor: 'preflight' }),
    ]).toEqual([0, 1, 1, 3, 3, 4]); // prettier-ignore
    expect(exitCodeOfError('GIT_NOT_FOUND')).toBe(2); // nothing waits
  });

  test('no command at all prints the help on stderr and exits 2', async () => {
    expect(await here.devflow([])).toEqual({ code: 2, stdout: '', stderr: file('help.txt') });
  });

  test('with --json an error is one JSON object on stdout, and stderr stays empty', async () => {
    const { code, stdout, stderr } = await here.devflow(['run', '', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      type: 'error',
      code: 'TASK_EMPTY',
      message: 'the task is empty',
    });
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
  });
});
