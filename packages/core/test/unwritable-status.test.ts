import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { commitFile, giveAnswer, scriptedAgent } from '../src/testing/index.js';
import { sourceProgram } from './source-program.js';
import { repositoryForTest } from './temporary.js';

const program = sourceProgram(`
    import { command } from 'devflow:command/index';
    import { resume, run } from 'devflow:index';
    const [how, workflow] = process.argv.slice(2);
    const options = { cwd: process.cwd(), env: process.env, adapters: [command()] };
    const over = how === 'run'
      ? run(JSON.parse(workflow), { task: 'x', name: 'test', ...options })
      : resume('test', options);
    const said = await over.then(
      ({ state, attempts }) => ({ state, outcomes: attempts.map(({ outcome }) => outcome) }),
      ({ code, message }) => ({ code, message }),
    );
    process.stdout.write(JSON.stringify(said));
  `);

it('an agent whose exit status cannot be written is not judged and not launched again: the run stops', async () => {
  if (process.getuid?.() !== 0)
    throw new Error('this test starts a process as another user: it can only be run by root');
  const { root, directory, home, env } = await repositoryForTest({ parent: '/tmp' }); // where that user gets to
  const user = 2_000_000 + process.pid; // nobody has it
  const file = path.join(directory, 'program.mjs');
  copyFileSync(program(), file);
  execFileSync('chown', ['-R', `${user}:${user}`, directory]);
  const closing = `[ -e "$HOME/mended" ] || chmod 500 "$DEVFLOW_RUN_DIRECTORY"/*/1`;
  const script = `cat >/dev/null; echo x >>"$HOME/launches"; ${commitFile('done.txt')}; ${giveAnswer()}; ${closing}`;
  const phase = {
    id: 1,
    name: 'one',
    prompt: '{{task}}',
    agent: 'a',
    retries: 1,
    retryDelay: '1ms',
  };
  const workflow = { profiles: { a: scriptedAgent(script) }, phases: [phase] };
  const ask = (how: string): unknown => {
    const as = [`--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
    const args = [...as, process.execPath, file, how, JSON.stringify(workflow)];
    return JSON.parse(execFileSync('setpriv', args, { encoding: 'utf8', env, cwd: root }));
  };
  const launches = () =>
    readFileSync(path.join(home, 'launches'), 'utf8').trim().split('\n').length;

  expect(ask('run')).toMatchObject({
    code: 'STATE_UNWRITABLE',
    message: expect.stringMatching(/your user may not read or write there/),
  });
  expect(launches()).toBe(1);

  const attempt = path.join(root, '.git', 'devflow', 'runs', 'test', '01-one', '1');
  chmodSync(attempt, 0o700);
  execFileSync('touch', [path.join(home, 'mended')]);
  expect(ask('resume')).toEqual({ state: 'completed', outcomes: ['stopped', 'completed'] });
  expect(launches()).toBe(2);
});
