import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunStatus } from '@devflow/core/status';
import { giveAnswer } from '@devflow/core/testing';
import { type CommandLine, commandLine, parseRun, processesOf } from './command-line.js';
import { agentBegan, onePhase, waitsFor } from './workflows.js';

describe('a run that is interrupted', () => {
  let here: CommandLine;
  let go: string;
  const workAtHand = async (script?: string) => {
    here.write({ 'devflow.config.json': JSON.stringify(onePhase(script ?? waitsFor(go))) });
    const run = here.start(['run', 'x', '--name', 'it', '--json']);
    await agentBegan(go);
    return run;
  };
  const state = async () =>
    (JSON.parse((await here.devflow(['status', 'it', '--json'])).stdout) as RunStatus).state;
  const agents = () => processesOf(here.home);
  beforeEach(async () => {
    here = await commandLine();
    go = path.join(here.directory, 'go');
  });
  afterEach(() => here.remove());

  test('by Ctrl-C once says how to leave it, and goes on', async () => {
    const run = await workAtHand();
    run.child.kill('SIGINT');
    await run.says('Ctrl-C once more stops the run.');
    await run.says('devflow resume it');
    writeFileSync(go, '');
    const { code, stdout } = await run.finished;
    expect(code).toBe(0);
    expect(parseRun(stdout).result.state).toBe('completed');
  });

  test('by Ctrl-C twice is stopped: exit 130, and no process is left', async () => {
    const run = await workAtHand();
    run.child.kill('SIGINT');
    await run.says('Ctrl-C once more stops the run.');
    run.child.kill('SIGINT');
    const { code, stdout } = await run.finished;
    expect(code).toBe(130);
    expect(parseRun(stdout).result).toMatchObject({
      state: 'stopped',
      attempts: [{ outcome: 'stopped' }],
    });
    expect(agents()).toEqual([]);
  });

  test('by SIGTERM is stopped: exit 130, and can be resumed', async () => {
    const run = await workAtHand();
    run.child.kill('SIGTERM');
    expect((await run.finished).code).toBe(130);
    expect(await state()).toBe('stopped');
    writeFileSync(go, '');
    const { code, stdout } = await here.devflow(['resume', 'it', '--json']);
    expect(code).toBe(0);
    expect(parseRun(stdout).result.attempts.map(({ outcome }) => outcome)).toEqual([
      'stopped',
      'completed',
    ]);
  });

  test.each(['SIGQUIT', 'SIGHUP', 'SIGKILL'] as const)(
    'by %s leaves the agent at work; resume follows it, and launches nothing again',
    async (signal) => {
      const run = await workAtHand();
      run.child.kill(signal);
      expect((await run.finished).code).toBe(signal === 'SIGKILL' ? undefined : 130);
      expect(await state()).toBe('interrupted');
      expect(agents()).not.toEqual([]);
      const resumed = here.start(['resume', '--json']);
      await resumed.says('"adopted":true');
      writeFileSync(go, '');
      const { code, stdout } = await resumed.finished;
      expect(code).toBe(0);
      expect(parseRun(stdout).result.attempts).toMatchObject([
        { attempt: 1, outcome: 'completed' },
      ]);
      expect(readFileSync(`${go}.began`, 'utf8')).toBe('began\n');
    },
  );

  test('by devflow stop elsewhere ends with exit 1, and a grandchild in a session of its own ends too', async () => {
    const child = `setsid sh -c 'echo began >${go}.began; sleep 600' & sleep 600; ${giveAnswer()}`;
    const run = await workAtHand(child);
    const stopped = await here.devflow(['stop', '--json']);
    expect({ code: stopped.code, ...(JSON.parse(stopped.stdout) as RunStatus) }).toMatchObject({
      code: 0,
      id: 'it',
      state: 'stopped',
    });
    expect((await run.finished).code).toBe(1);
    expect(agents()).toEqual([]);
  });

  test('can be stopped after devflow was killed, and stopping twice is no error', async () => {
    const run = await workAtHand();
    run.child.kill('SIGKILL');
    await run.finished;
    expect((await here.devflow(['stop'])).stdout).toContain('stopped');
    expect(agents()).toEqual([]);
    expect((await here.devflow(['stop', 'it'])).code).toBe(0);
    const none = await here.devflow(['stop']);
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('no run is unfinished; the last one, it, is stopped');
  });

  test('is not the one that is meant where there are two', async () => {
    const first = await workAtHand();
    const second = here.start(['run', 'x', '--name', 'other']);
    await second.says('scripted begins');
    for (const command of ['resume', 'stop', 'logs']) {
      const { code, stderr } = await here.devflow([command]);
      expect(code).toBe(2);
      expect(stderr).toContain('2 runs are unfinished');
      expect(stderr).toContain('- other (running)');
    }
    const held = await here.devflow(['resume', 'it']);
    expect(held.code).toBe(2);
    expect(held.stderr).toContain('(RUN_HELD)');
    expect(held.stderr).toContain('`devflow attach it`');
    writeFileSync(go, '');
    await Promise.all([first.finished, second.finished]);
  });

  test('is named where it is not the last one and the last is completed', async () => {
    const run = await workAtHand();
    await here.devflow(['stop']);
    await run.finished;
    writeFileSync(go, '');
    await here.devflow(['run', 'x', '--name', 'later']);
    const { code, stderr } = await here.devflow(['resume']);
    expect(code).toBe(2);
    expect(stderr).toContain('the last run, later, is completed; an earlier one, it, is stopped');
    expect(stderr).toContain('`devflow resume it`');
  });

  test('goes on though its configuration was broken since, unless it needs the code there', async () => {
    const run = await workAtHand();
    run.child.kill('SIGKILL');
    await run.finished;
    here.write({ 'devflow.config.json': '{' });
    writeFileSync(go, '');
    expect((await here.devflow(['resume'])).code).toBe(0);
  });
});
