import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunView } from '@devflow/core';
import type { RunStatus } from '@devflow/core/status';
import { giveAnswer, scriptedAgent } from '@devflow/core/testing';
import { type CommandLine, commandLine } from './command-line.js';
import { WORKS, agentBegan, onePhase, waitsFor } from './workflows.js';

describe('devflow status, list and logs', () => {
  let here: CommandLine;
  beforeAll(async () => {
    here = await commandLine({
      profiles: {
        // The second line has a control sequence that must not reach the terminal, and half a character.
        planner: scriptedAgent(
          `echo planning; printf 'red \\033[31mhot\\033[0m \\303\\n'; ${giveAnswer()}`,
        ),
        coder: scriptedAgent(`echo coding; ${WORKS}`),
      },
      phases: [
        { id: 1, name: 'plan', mode: 'review', agent: 'planner', prompt: 'Plan' },
        { id: 2, name: 'code', agent: 'coder', prompt: 'Code' },
      ],
    });
    await here.devflow(['run', 'The first\ntask', '--name', 'first']);
    await here.devflow(['run', 'The second', '--name', 'second', '--until', 'plan']);
  });
  afterAll(() => here.remove());
  const out = async (...args: string[]) => (await here.devflow(args)).stdout;

  test('status shows the last run, or the one that is named', async () => {
    expect(await out('status')).toMatch(/^second {2}completed\n/);
    const text = await out('status', 'first');
    expect(text).toContain('task     The first task');
    expect(text).toContain('phase    2 code, attempt 1');
    expect(text).toContain('branch   devflow/first/work');
  });

  test('status --json is one run, or a list where none is named', async () => {
    expect(JSON.parse(await out('status', 'first', '--json'))).toMatchObject({
      id: 'first',
      state: 'completed',
    });
    expect((JSON.parse(await out('status', '--json')) as RunStatus[]).map(({ id }) => id)).toEqual([
      'second',
    ]);
  });

  test('list shows all, the latest first, one line each', async () => {
    const lines = (await out('list')).trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^second {2}completed {2}1 plan {2}ended .* ago +The second$/);
    expect((JSON.parse(await out('list', '--json')) as RunView[]).map(({ id }) => id)).toEqual([
      'second',
      'first',
    ]);
  });

  test('a run that is not there is an error with exit 2', async () => {
    for (const command of ['status', 'logs', 'resume', 'stop']) {
      const { code, stderr } = await here.devflow([command, 'nope']);
      expect(code).toBe(2);
      expect(stderr).toContain('there is no run "nope" here');
    }
  });

  test('logs shows what agents did, of all phases or of one, without their control sequences', async () => {
    const all = await out('logs', 'first');
    expect(all).toContain('── 1 plan, attempt 1, planner\n');
    expect(all).toContain('── 2 code, attempt 1, coder\n');
    expect(all).not.toContain('\u001B');
    const one = await out('logs', 'first', '--phase', '2');
    expect(one).toMatch(/^── 2 code, attempt 1, coder\n/);
    expect(one).not.toContain('plan');
    expect((await here.devflow(['logs', 'first', '--phase', 'ship'])).stderr).toContain(
      'There are logs of: 1 plan, 2 code.',
    );
  });

  test('logs --raw gives the bytes as they came', async () => {
    const { directory } = JSON.parse(await out('status', 'first', '--json')) as RunStatus;
    const raw = readFileSync(path.join(directory, '01-plan/1/stdout.log'), 'utf8');
    expect(raw).toContain('\u001B[31mhot');
    expect(await out('logs', 'first', '--phase', 'plan', '--raw')).toBe(raw);
  });

  test('logs --follow goes on through the phases and ends when the run does', async () => {
    const there = await commandLine();
    const go = path.join(there.directory, 'follow');
    const first = onePhase(waitsFor(go, `echo went on; ${WORKS}`));
    const later = scriptedAgent(`echo later; ${giveAnswer()}`);
    const workflow = {
      profiles: { ...first.profiles, later },
      phases: [
        ...first.phases,
        { id: 2, name: 'look', mode: 'review', agent: 'later', prompt: 'Look' },
      ],
    };
    there.write({ 'devflow.config.json': JSON.stringify(workflow) });
    const run = there.start(['run', 'x', '--name', 'third']);
    await agentBegan(go);
    const follower = there.start(['logs', '--follow']);
    await follower.says('began');
    expect((await there.devflow(['status'])).stdout).toContain('third  running');
    writeFileSync(go, '');
    const { code, stdout, stderr } = await follower.finished;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^── 1 code, attempt 1, scripted\n/);
    expect(stdout).toContain('── 2 look, attempt 1, later\nlater\n');
    expect(stdout).toContain('went on\nDEVFLOW_RESULT: {"status":"success"');
    expect(stderr).toBe('the run third is completed\n');
    await run.finished;
    there.remove();
  });

  test('logs --follow goes on with an agent whose devflow is gone, and names who judges it', async () => {
    const there = await commandLine();
    try {
      const go = path.join(there.directory, 'cut-off');
      there.write({ 'devflow.config.json': JSON.stringify(onePhase(waitsFor(go))) });
      const run = there.start(['run', 'x', '--name', 'cut']);
      await agentBegan(go);
      run.child.kill('SIGKILL');
      await run.finished;
      const follower = there.start(['logs', '--follow']);
      await follower.says('began');
      writeFileSync(go, '');
      const { stdout, stderr } = await follower.finished;
      expect(stdout).toContain('DEVFLOW_RESULT');
      expect(stderr).toContain(
        'the run cut is interrupted and its agent has ended: `devflow resume cut` judges it\n',
      );
    } finally {
      there.remove();
    }
  });

  test('logs of an agent that prints text is all of that, uncut; of one that prints nothing where to look', async () => {
    const there = await commandLine();
    const long = 'word '.repeat(100).trim();
    try {
      there.write({
        'devflow.config.json': JSON.stringify(
          onePhase(`seq 1 50; echo '${long}'; echo no >&2; printf 'no end'`),
        ),
      });
      await there.devflow(['run', 'x', '--name', 'talks']);
      const lines = (await there.devflow(['logs'])).stdout.split('\n');
      expect(lines.slice(1, 51)).toEqual(Array.from({ length: 50 }, (_, index) => `${index + 1}`));
      expect(lines.slice(51)).toEqual([long, 'stderr: no', 'no end', '']);
      there.write({ 'devflow.config.json': JSON.stringify(onePhase('true')) });
      await there.devflow(['run', 'x', '--name', 'silent']);
      expect((await there.devflow(['logs', 'silent'])).stdout).toMatch(
        /attempt 1, scripted\nnothing to show; what the agent printed: \/.*\/01-code\/1\/stdout\.log, stderr\.log\n$/,
      );
    } finally {
      there.remove();
    }
  });

  test('without a run mean the one under way, or else the last one; others that wait are named below', async () => {
    const there = await commandLine();
    const go = path.join(there.directory, 'go');
    const key = path.join(there.directory, 'key');
    const gate = [{ name: 'the key', command: ['test', '-e', key] }];
    try {
      there.write({ 'devflow.config.json': JSON.stringify(onePhase(WORKS, { preflight: gate })) });
      await there.devflow(['run', 'x', '--name', 'old']); // waits
      there.write({ 'devflow.config.json': JSON.stringify(onePhase(waitsFor(go))) });
      const run = there.start(['run', 'x', '--name', 'new']);
      await run.says('began');
      const during = (await there.devflow(['status'])).stdout;
      expect(during).toMatch(/^new {2}running\n/);
      expect(during).toMatch(/\n\nalso unfinished: old \(waiting\)\n$/);
      writeFileSync(go, '');
      await run.finished;
      const after = (await there.devflow(['status'])).stdout;
      expect(after).toMatch(/^new {2}completed\n/);
      expect(after).toMatch(/\n\nalso unfinished: old \(waiting\)\n$/);
      const json = JSON.parse((await there.devflow(['status', '--json'])).stdout) as RunStatus[];
      expect(json.map(({ id }) => id)).toEqual(['new', 'old']);
      const logs = await there.devflow(['logs']);
      expect(logs.stdout).toContain('began');
      expect(logs.stderr).toBe('this was new; also unfinished: old (waiting)\n');
      await there.devflow(['resume', 'old']); // waits again, and so is the one touched last
      expect((await there.devflow(['status'])).stdout).toMatch(/^old {2}waiting\n/);
    } finally {
      there.remove();
    }
  });

  test('where no run is yet, say so', async () => {
    const empty = await commandLine();
    try {
      expect((await empty.devflow(['status'])).stdout).toContain('There is no run here yet');
      expect((await empty.devflow(['list'])).stdout).toContain('There is no run here yet');
      expect((await empty.devflow(['list', '--json'])).stdout).toBe('[]\n');
      expect((await empty.devflow(['resume'])).code).toBe(2);
    } finally {
      empty.remove();
    }
  });
});
