import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { RunStatus } from '@devflow/core/status';
import {
  type CommandLine,
  PROGRAM,
  commandLine,
  nobodyIsLeft,
  processesOf,
  until,
} from './command-line.js';
import { KEEPS, OWN } from './own-adapters.js';
import { startOnTerminal } from './pseudo-terminal.js';
import { WORKS, agentBegan, onePhase, waitsFor } from './workflows.js';

let here: CommandLine;
let go: string;
beforeEach(async () => {
  here = await commandLine();
  go = path.join(here.directory, 'go');
});
afterEach(() => here.remove());

const configure = (workflow: object) =>
  here.write({ 'devflow.config.json': JSON.stringify(workflow) });
const status = async (run = 'it') =>
  JSON.parse((await here.devflow(['status', run, '--json'])).stdout) as RunStatus;
const stateIs = async (state: string) => {
  for (let seen = await status(); seen.state !== state; seen = await status())
    if (seen.state !== 'running') throw new Error(`${seen.state}: ${seen.reason}`);
};
const began = () => agentBegan(go);
/** The process that holds the run. */
const holder = async () => {
  const { heldBy } = await status();
  if (heldBy === undefined) throw new Error('nobody holds it');
  return heldBy;
};
const isGone = (pid: number) =>
  until(
    () => !existsSync(`/proc/${pid}`),
    () => `the end of ${pid}`,
  );
const detached = (...args: string[]) =>
  here.devflow(['run', 'x', '--name', 'it', '--detach', ...args]);
const inRun = (file: string) => path.join(here.root, '.git/devflow/runs/it', file);
const log = () => readFileSync(inRun('devflow.log'), 'utf8');

describe('devflow run --detach', () => {
  test('gives back the prompt, the id and what can be done with it; the run goes on to its end', async () => {
    configure(onePhase(waitsFor(go)));
    const { code, stdout, stderr } = await detached();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^sandbox: none/);
    const pid = await holder();
    expect(stdout).toContain(`run it goes on without this terminal, in process ${pid}:\n`);
    for (const command of ['attach', 'status', 'stop'])
      expect(stdout).toContain(`  devflow ${command} it`);
    await began();
    expect(await status()).toMatchObject({ state: 'running', reason: 'scripted works' });
    expect((await here.devflow(['status'])).stdout).toContain(`devflow  process ${pid}\n`);
    writeFileSync(go, '');
    await stateIs('completed');
    await isGone(pid);
  });

  test('holds it in a session of its own, with no terminal, no input, and its output in a file', async () => {
    configure(onePhase(waitsFor(go)));
    const terminal = startOnTerminal(['run', 'x', '--name', 'it', '--detach'], here);
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toContain('devflow attach it');
    const pid = await holder();
    const [, , group, session, tty] =
      readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    expect({ group, session, tty }).toEqual({ group: `${pid}`, session: `${pid}`, tty: '0' });
    const file = (descriptor: number) => readlinkSync(`/proc/${pid}/fd/${descriptor}`);
    expect([file(0), file(1), file(2)]).toEqual([
      '/dev/null',
      inRun('devflow.log'),
      inRun('devflow.log'),
    ]);
    writeFileSync(go, '');
    await stateIs('completed');
    await isGone(pid);
  });

  test('--json is one object; --quiet is the id', async () => {
    configure(onePhase(waitsFor(go)));
    const { stdout } = await detached('--json');
    const directory = path.dirname(inRun('lock'));
    expect(JSON.parse(stdout)).toEqual({
      type: 'detached',
      v: 1,
      run: 'it',
      pid: await holder(),
      directory,
    });
    writeFileSync(go, '');
    await stateIs('completed');
    const quiet = await here.devflow(['run', 'x', '--name', 'other', '--detach', '--quiet']);
    expect(quiet.stdout).toBe('other\n');
    await until(
      () => existsSync(inRun('../other/ended')) && processesOf(here.home).length === 0,
      () => 'the end',
    );
  });

  test('outlives the script that started it, its group and its terminal: HUP means nothing to it', async () => {
    configure(onePhase(waitsFor(go)));
    const command = `node '${PROGRAM}' run x --name it --detach && sleep 600`;
    const script = spawn('sh', ['-c', command], {
      cwd: here.root,
      env: here.env,
      detached: true,
      stdio: 'ignore',
    });
    onTestFinished(() => void script.kill('SIGKILL'));
    const ended = new Promise((resolve) => script.once('exit', resolve));
    await began();
    const pid = await holder();
    process.kill(-(script.pid ?? 0), 'SIGHUP');
    await ended;
    process.kill(pid, 'SIGHUP');
    expect((await status()).heldBy).toBe(pid);
    writeFileSync(go, '');
    await stateIs('completed');
    await isGone(pid);
    expect(log()).toBe('');
  });

  test('takes a task of any length from standard input', async () => {
    configure(onePhase(`cat >prompt.txt; ${WORKS}`));
    const input = 'a long task '.repeat(20_000);
    const args = ['run', '-', '--name', 'it', '--detach'];
    expect((await here.devflow(args, { input })).code).toBe(0);
    await stateIs('completed');
    expect((await status()).task).toBe(input.trim());
    await nobodyIsLeft(here.home);
  });

  test('asks a person about code of their own here, before anything goes on elsewhere', async () => {
    here.write({ [`${OWN}/mine/run`]: KEEPS });
    chmodSync(path.join(here.root, OWN, 'mine/run'), 0o755);
    configure({ phases: [{ id: 1, name: 'code', agent: 'mine', prompt: 'x', retries: 0 }] });
    const args = ['run', 'x', '--name', 'it', '--detach'];
    const refused = startOnTerminal(args, here);
    await refused.shows('[y/N]');
    refused.type('n\n');
    expect(await refused.ended).toBe(2);
    expect(processesOf(here.home)).toEqual([]);
    expect((await here.devflow(args)).stderr).toContain('(ADAPTER_UNCONFIRMED)');
    const asked = startOnTerminal(args, here);
    await asked.shows('[y/N]');
    asked.type('y\n');
    expect(await asked.ended).toBe(0);
    await stateIs('completed');
    await nobodyIsLeft(here.home);
  });
});

const INSTANT = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

describe('what goes wrong before a detached run is under way', () => {
  const outside = { worktree: { dir: 'here' } };
  const shown = (text: string, run: string) =>
    text
      .replaceAll(run, 'RUN')
      .replaceAll(INSTANT, 'AT')
      .replaceAll(/"gate":"[0-9a-f]+"/g, '"gate":"ONE"')
      .replaceAll(/ *(?:<0\.1s|\d\.?\d?s)/g, ' TIME');

  test.each([[[]], [['--quiet']], [['--json']]])(
    'is shown as without --detach, with the same exit code, and leaves no process: %j',
    async (more) => {
      configure({ ...onePhase(WORKS), ...outside });
      const there = await here.devflow(['run', 'x', '--name', 'there', ...more]);
      const gone = await here.devflow(['run', 'x', '--name', 'gone', '--detach', ...more]);
      expect(processesOf(here.home)).toEqual([]);
      expect(shown(gone.stdout, 'gone')).toBe(shown(there.stdout, 'there'));
      expect(gone.stderr).toBe(there.stderr);
      expect([there.code, gone.code]).toEqual([4, 4]);
    },
  );

  test.each([
    ['of the configuration', [], 'CONFIG_INVALID', '{"phases": 1}'],
    ['of an option', ['--from', 'nowhere'], 'OPTION_INVALID', JSON.stringify(onePhase(WORKS))],
  ])('%s starts nothing', async (_, args, code, configuration) => {
    here.write({ 'devflow.config.json': configuration });
    const failed = await detached(...args);
    expect(failed).toEqual(await here.devflow(['run', 'x', '--name', 'it', ...args]));
    expect(failed.stderr).toContain(`(${code})`);
    expect(failed.code).toBe(2);
    expect(existsSync(path.join(here.root, '.git/devflow'))).toBe(false);
  });

  test('of the holder itself is told with its code, and leaves no file', async () => {
    configure(onePhase(WORKS));
    await here.devflow(['run', 'x', '--name', 'it']);
    const again = await detached();
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('there is a run "it" already');
    expect(again.stderr).toContain('`devflow status it`');
    expect(readdirSync(path.join(here.root, '.git/devflow'))).toEqual(['runs']);
    const done = await here.devflow(['resume', 'it', '--detach', '--json']);
    expect(done.code).toBe(2);
    expect(JSON.parse(done.stdout)).toMatchObject({ type: 'error', code: 'RUN_FINISHED' });
    expect(processesOf(here.home)).toEqual([]);
  });

  const whilePreflightWaits = async () => {
    const script = waitsFor(go, 'true');
    configure(onePhase(WORKS, { preflight: [{ command: ['sh', '-c', script] }] }));
    const run = here.start(['run', 'x', '--name', 'it', '--detach']);
    await began();
    return run;
  };

  test('is also Ctrl-C: the run is stopped, exit 130', async () => {
    const run = await whilePreflightWaits();
    run.child.kill('SIGINT'); // ends the condition that waits, too
    const { code, stdout } = await run.finished;
    expect(code).toBe(130);
    expect(stdout).toContain('stopped: run it');
    expect(processesOf(here.home)).toEqual([]);
  });

  test('does not come from a command that is killed: the run goes on', async () => {
    const run = await whilePreflightWaits();
    run.child.kill('SIGKILL');
    await run.finished;
    writeFileSync(go, '');
    await stateIs('completed');
    await nobodyIsLeft(here.home);
  });
});

describe('a devflow without a terminal', () => {
  test('that is killed leaves the agent at work; status says so, and resume --detach goes on with it', async () => {
    configure(onePhase(waitsFor(go)));
    await detached();
    await began();
    const first = await holder();
    process.kill(first, 'SIGKILL');
    await isGone(first);
    const seen = await status();
    expect(seen).toMatchObject({ state: 'interrupted', agentLives: true });
    expect(seen.reason).toContain('its agent still works');
    expect(seen).not.toHaveProperty('heldBy');
    expect(seen).not.toHaveProperty('lastWords');
    const { code, stdout } = await here.devflow(['resume', '--detach']);
    expect(code).toBe(0);
    expect(stdout).toContain('run it goes on without this terminal');
    const second = await holder();
    expect(second).not.toBe(first);
    writeFileSync(go, '');
    await stateIs('completed');
    await isGone(second);
    expect(readFileSync(`${go}.began`, 'utf8')).toBe('began\n');
    expect((await status()).attempts).toHaveLength(1);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('is told to stop the run by %s', async (signal) => {
    configure(onePhase(waitsFor(go)));
    await detached();
    await began();
    const pid = await holder();
    process.kill(pid, signal);
    await stateIs('stopped');
    await isGone(pid);
    expect(processesOf(here.home)).toEqual([]);
    expect(log()).toMatch(new RegExp(`^\\d{4}-.*Z ${signal}: stopping the run; .*\n$`));
  });

  test('is let go by SIGTERM while it stays at a gate: the run waits on, and is answered', async () => {
    const config = onePhase(waitsFor(go));
    configure({ ...config, phases: config.phases.map((one) => ({ ...one, gate: 'after' })) });
    await detached();
    const pid = await holder();
    writeFileSync(go, '');
    await stateIs('waiting');
    process.kill(pid, 'SIGTERM');
    await isGone(pid);
    expect(log()).toContain('SIGTERM: the run keeps waiting for an answer');
    const { state, gate } = await status();
    expect([state, gate?.kind]).toEqual(['waiting', 'after']);
    expect((await here.devflow(['approve', 'it', '--no-run'])).code).toBe(0);
    expect((await here.devflow(['resume', '--due'])).code).toBe(0);
    expect((await status()).state).toBe('completed');
  });

  test('leaves its last words where it dies of an error, and status and attach show them', async () => {
    const { profiles, phases } = onePhase(waitsFor(go));
    const later = { ...phases[0], id: 2, name: 'later', preflight: [{ hook: 'boom' }] };
    here.write({
      'devflow.config.mjs': `
        const boom = () => new Promise(() => setTimeout(() => { throw new Error('the hook broke'); }));
        export default { ...${JSON.stringify({ profiles, phases: [...phases, later] })}, hooks: { boom } };`,
    });
    await detached();
    const pid = await holder();
    writeFileSync(go, '');
    await isGone(pid);
    const seen = await status();
    expect(seen).toMatchObject({ state: 'interrupted', agentLives: false });
    expect(seen.lastWords).toMatch(/^\d{4}-.*Z Error: the hook broke \(INTERNAL\)$/);
    expect((await here.devflow(['status'])).stdout.replaceAll(/\s+/g, ' ')).toContain(
      `the last that it said: ${seen.lastWords}`,
    );
    const { code, stderr } = await here.devflow(['attach']);
    expect(code).toBe(1);
    expect(stderr).toContain('the hook broke (INTERNAL)');
  });
});
