import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { processForTest, temporaryDirectory } from '../../test/temporary.js';
import { sourceProgram } from '../../test/source-program.js';
import { identify } from './identity.js';

const program = sourceProgram(`
    import { openSync } from 'node:fs';
    import { gitDirOf } from 'devflow:git/worktree';
    import { bootId, isAlive, readProcess } from 'devflow:process/identity';
    import { findTree, processTree, readTable } from 'devflow:process/tree';
    import { readClaim, readExit } from 'devflow:process/wrapper';
    import { readHolder } from 'devflow:state/lock';
    import { clearRequests } from 'devflow:state/inbox';
    const [directory, identity] = process.argv.slice(2);
    const asked = {
      isAlive: () => isAlive(JSON.parse(identity)),
      findTree: (table) => findTree(processTree(undefined, 'token'), table),
      readClaim: () => readClaim(directory),
      readExit: () => readExit(directory),
      readHolder: () => readHolder(directory + '/lock'),
      gitDirOf: () => gitDirOf(directory),
      clearRequests: () => clearRequests(directory),
    };
    bootId();
    const table = readTable();
    try { for (;;) openSync('/dev/null', 'r'); } catch { /* none is left */ }
    const said = Object.entries(asked).map(([name, ask]) => {
      try { return [name, 'answers ' + ask(table)]; } catch (error) { return [name, error.code]; }
    });
    process.stdout.write(JSON.stringify(Object.fromEntries(said)));
  `);

const wrapperProgram = sourceProgram(`
    import { execFileSync } from 'node:child_process';
    import { readdirSync, writeFileSync } from 'node:fs';
    import { giveUpClaim, readClaim, readExit, startWrapper, wasNotStarted } from 'devflow:process/wrapper';
    const [dir] = process.argv.slice(2);
    writeFileSync(dir + '/stdin', '');
    const most = readdirSync('/proc/self/task').length + 1; // the wrapper itself, and no more
    execFileSync('prlimit', ['--pid=' + process.pid, '--nproc=' + most + ':' + most]);
    const command = { dir, stdin: dir + '/stdin', program: '/bin/true', args: [], cwd: dir, env: { PATH: process.env.PATH }, timeoutMs: 60_000 };
    await (await startWrapper(command)).exited;
    const facts = { notStarted: wasNotStarted(dir), claimed: typeof readClaim(dir) === 'object', exit: readExit(dir) };
    giveUpClaim(dir);
    process.stdout.write(JSON.stringify({ ...facts, left: readdirSync(dir).filter((name) => name !== 'stdin') }));
  `);

it('an attempt whose wrapper has no process left for its command says that nothing was run', async () => {
  if (process.getuid?.() !== 0)
    throw new Error('this test starts a process as another user: it can only be run by root');
  const directory = temporaryDirectory();
  const user = 2_000_000 + process.pid; // nobody has it
  const rights = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
  const as = [`--reuid=${user}`, `--regid=${user}`, '--clear-groups', ...rights];
  const args = [...as, process.execPath, wrapperProgram(), directory];
  const said = execFileSync('setpriv', args, { encoding: 'utf8' });
  expect(JSON.parse(said)).toEqual({
    notStarted: true,
    claimed: true,
    left: ['stderr.log', 'stdout.log'],
  });
});

it('without a file handle, nothing that is there passes for gone', () => {
  const directory = temporaryDirectory();
  const living = processForTest('sleep', ['60']);
  for (const name of ['claim', 'exit', 'lock', '.git'])
    writeFileSync(path.join(directory, name), '');
  const args = [program(), directory, JSON.stringify(identify(living.pid))];
  const said = execFileSync('prlimit', ['--nofile=64', process.execPath, ...args], {
    encoding: 'utf8',
  });
  const names = [
    'isAlive',
    'findTree',
    'readClaim',
    'readExit',
    'readHolder',
    'gitDirOf',
    'clearRequests',
  ];
  expect(JSON.parse(said)).toEqual(Object.fromEntries(names.map((name) => [name, 'EMFILE'])));
});
