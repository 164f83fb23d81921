import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunStatus } from '@devflow/core/status';
import { commitFile, giveAnswer, scriptedAgent } from '@devflow/core/testing';
import { type CommandLine, commandLine, nobodyIsLeft, parseRun, until } from './command-line.js';
import { startOnTerminal } from './pseudo-terminal.js';
import { WORKS, agentBegan, onePhase, untilThere, waitsFor } from './workflows.js';

let here: CommandLine;
let go: string;
beforeEach(async () => {
  here = await commandLine();
  go = path.join(here.directory, 'go');
});
afterEach(() => here.remove());

const configure = (workflow: object) =>
  here.write({ 'devflow.config.json': JSON.stringify(workflow) });
const began = () => agentBegan(go);
const status = async () =>
  JSON.parse((await here.devflow(['status', 'it', '--json'])).stdout) as RunStatus;

/** Two phases, of which the second waits twice; the run goes on without a terminal once that works. */
async function detachedInSecondPhase(): Promise<void> {
  const first = scriptedAgent(`echo an old word; ${commitFile('first.txt')}; ${giveAnswer()}`);
  // Of plain text, the last line that has come is shown: a word is seen if it stays that.
  const word = `echo a new word; ${untilThere(`${go}-on`)}`;
  const second = onePhase(waitsFor(go, `${word}; ${WORKS}`));
  configure({
    profiles: { ...second.profiles, first },
    phases: [
      { id: 1, name: 'begin', agent: 'first', prompt: 'Begin', retries: 0 },
      { ...second.phases[0], id: 2 },
    ],
  });
  await here.devflow(['run', 'x', '--name', 'it', '--detach']);
  await began();
}

describe('devflow attach', () => {
  test('shows what is over and what goes on, then the report of the run', async () => {
    await detachedInSecondPhase();
    const watcher = here.start(['attach']);
    await watcher.says('2 code: began');
    writeFileSync(go, '');
    await watcher.says('2 code: a new word\n');
    writeFileSync(`${go}-on`, '');
    const { code, stdout, stderr } = await watcher.finished;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^sandbox: none.*\nrun it: x\nbranch devflow\/it\/work/);
    expect(stdout).toMatch(/1 begin: completed in .*, 1 commit\n/);
    expect(stdout).not.toContain('an old word'); // `devflow logs` has it
    expect(stdout).toMatch(/\ncompleted: run it after /);
    expect(stdout).toContain('2 commits on devflow/it/work:');
    await nobodyIsLeft(here.home);
  });

  test('--json gives the same events and the same result as the run', async () => {
    configure(onePhase(waitsFor(go)));
    const run = here.start(['run', 'x', '--name', 'it', '--json']);
    await began();
    const watcher = here.start(['attach', 'it', '--json']);
    await watcher.says('"type":"agent"');
    writeFileSync(go, '');
    const [its, seen] = await Promise.all([run.finished, watcher.finished]);
    expect(seen.code).toBe(0);
    const [own, other] = [parseRun(its.stdout), parseRun(seen.stdout)];
    expect(other.result).toEqual(own.result);
    const devflows = ({ events }: typeof own) => events.filter(({ type }) => type !== 'agent');
    expect(devflows(other)).toEqual(devflows(own));
    const agents = ({ events }: typeof own) =>
      events.flatMap((event) => (event.type === 'agent' ? [event.event.summary] : []));
    expect(agents(other)).toEqual(agents(own));
  });

  test('--quiet gives the report alone', async () => {
    configure(onePhase(waitsFor(go)));
    await here.devflow(['run', 'x', '--name', 'it', '--detach']);
    const watcher = here.start(['attach', '--quiet']);
    await watcher.says('sandbox');
    writeFileSync(go, '');
    expect((await watcher.finished).stdout).toMatch(/^completed: run it after /);
    await nobodyIsLeft(here.home);
  });

  test('on two terminals at once shows the live view on both', async () => {
    await detachedInSecondPhase();
    const watchers = [1, 2].map(() => startOnTerminal(['attach', 'it'], here));
    for (const watcher of watchers) {
      await watcher.shows('2 code · scripted · ');
      await watcher.shows('began');
    }
    for (const file of [go, `${go}-on`]) writeFileSync(file, '');
    for (const watcher of watchers) {
      expect(await watcher.ended).toBe(0);
      expect(watcher.screen()).toContain('1 begin: completed');
      expect(watcher.screen()).toContain('2 commits on devflow/it/work:');
    }
    await nobodyIsLeft(here.home);
  });

  test('is left by Ctrl-C, which the run does not notice', async () => {
    configure(onePhase(waitsFor(go)));
    await here.devflow(['run', 'x', '--name', 'it', '--detach']);
    await began();
    const watcher = startOnTerminal(['attach'], here);
    await watcher.shows('began');
    watcher.type('\x03');
    expect(await watcher.ended).toBe(130);
    expect(watcher.screen()).toContain('the run it goes on; `devflow stop it` ends it');
    expect(await status()).toMatchObject({ state: 'running' });
    const closed = startOnTerminal(['attach'], here);
    await closed.shows('began');
    closed.close();
    await closed.ended;
    expect(await status()).toMatchObject({ state: 'running' });
    writeFileSync(go, '');
    await nobodyIsLeft(here.home);
    expect(await status()).toMatchObject({ state: 'completed', attempts: [{ attempt: 1 }] });
  });

  test('ends as a run does that is stopped meanwhile', async () => {
    configure(onePhase(waitsFor(go)));
    await here.devflow(['run', 'x', '--name', 'it', '--detach']);
    await began();
    const watcher = here.start(['attach']);
    await watcher.says('began');
    await here.devflow(['stop']);
    const { code, stdout } = await watcher.finished;
    expect(code).toBe(1);
    expect(stdout).toContain('stopped: run it');
    await nobodyIsLeft(here.home);
  });

  test('notices that the devflow is killed, and says what goes on', async () => {
    configure(onePhase(waitsFor(go)));
    await here.devflow(['run', 'x', '--name', 'it', '--detach']);
    await began();
    const watcher = here.start(['attach']);
    await watcher.says('began');
    const { heldBy } = await status();
    process.kill(heldBy ?? 0, 'SIGKILL');
    const { code, stderr } = await watcher.finished;
    expect(code).toBe(1);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      'the run "it" is interrupted: its devflow is gone; its agent works on, watched by nobody',
    );
    expect(stderr).toContain('`devflow resume it` picks it up');
    expect(stderr).toContain('(RUN_INTERRUPTED)');
    writeFileSync(go, '');
    expect((await here.devflow(['resume'])).code).toBe(0);
  });
});

describe('devflow attach to a run that nobody holds', () => {
  test.each([
    ['completed', WORKS, 0],
    ['failed', giveAnswer({ status: 'failed', reason: 'no' }), 1],
  ] as const)('shows what a %s one came to, and exits as it did', async (state, script, code) => {
    configure(onePhase(script));
    const run = await here.devflow(['run', 'x', '--name', 'it']);
    expect(run.code).toBe(code);
    const watched = await here.devflow(['attach']);
    expect(watched.code).toBe(code);
    expect(watched.stdout).toContain(`${state}: run it after`);
    const report = ({ stdout }: typeof run) => stdout.slice(stdout.indexOf(`\n${state}: run`));
    expect(report(watched).replaceAll(/after \S+/g, '')).toBe(
      report(run).replaceAll(/after \S+/g, ''),
    );
    const json = await here.devflow(['attach', '--json']);
    expect(parseRun(json.stdout).result).toMatchObject({ runId: 'it', state });
  });

  test('says of one that waits that nobody works at it, what for, and what to do', async () => {
    configure({ ...onePhase(WORKS), worktree: { dir: 'here' } });
    await here.devflow(['run', 'x', '--name', 'it']);
    const { code, stdout, stderr } = await here.devflow(['attach']);
    expect(code).toBe(4);
    expect(stderr).toBe('the run it is waiting: no devflow works at it\n');
    expect(stdout).toContain('the preflight of phase 1 code found problems');
    expect(stdout).toContain('devflow resume it');
  });

  test('says of one that was cut off that it is interrupted, and exits 1', async () => {
    configure(onePhase(waitsFor(go)));
    const run = here.start(['run', 'x', '--name', 'it']);
    await began();
    run.child.kill('SIGKILL');
    await run.finished;
    writeFileSync(go, '');
    await nobodyIsLeft(here.home);
    const { code, stdout, stderr } = await here.devflow(['attach']);
    expect(code).toBe(1);
    expect(stdout).toContain('1 code: scripted begins, attempt 1');
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain('its devflow is gone; no agent works at it');
    expect(stderr).toContain('`devflow resume it`');
    const json = await here.devflow(['attach', '--json']);
    expect(JSON.parse(json.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
      type: 'error',
      code: 'RUN_INTERRUPTED',
    });
  });
});

describe('a terminal that is closed', () => {
  test('takes devflow with it and not the agent, whose work resume judges', async () => {
    configure(onePhase(waitsFor(go)));
    const terminal = startOnTerminal(['run', 'x', '--name', 'it'], here);
    await terminal.shows('began');
    const { heldBy } = await status();
    terminal.close();
    await terminal.ended;
    await until(
      () => !existsSync(`/proc/${heldBy}`),
      () => 'the end of devflow',
    );
    expect(await status()).toMatchObject({ state: 'interrupted', agentLives: true });
    writeFileSync(go, '');
    await nobodyIsLeft(here.home);
    expect(await status()).toMatchObject({ state: 'interrupted', agentLives: false });
    const { code, stdout } = await here.devflow(['resume', '--json']);
    expect(code).toBe(0);
    expect(parseRun(stdout).result.attempts).toMatchObject([{ outcome: 'completed' }]);
    expect(readFileSync(`${go}.began`, 'utf8')).toBe('began\n');
  });
});
