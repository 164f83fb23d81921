import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CleanedRun } from '@devflow/core/clean';
import type { RunStatus } from '@devflow/core/status';
import { giveAnswer } from '@devflow/core/testing';
import { type CommandLine, commandLine } from './command-line.js';
import { WORKS, agentBegan, onePhase, waitsFor } from './workflows.js';

describe('devflow clean', () => {
  let here: CommandLine;
  beforeEach(async () => {
    here = await commandLine();
  });
  afterEach(() => here.remove());

  const run = async (
    name: string,
    script: string,
    keep: 'always' | 'unfinished' = 'unfinished',
  ) => {
    const workflow = { ...onePhase(script), worktree: { keep } };
    here.write({ 'devflow.config.json': JSON.stringify(workflow) });
    await here.devflow(['run', 'x', '--name', name]);
  };
  const clean = async (...args: string[]) => {
    const { stdout } = await here.devflow(['clean', '--json', ...args]);
    return new Map((JSON.parse(stdout) as CleanedRun[]).map(({ run: id, ...rest }) => [id, rest]));
  };
  const runs = async () =>
    (JSON.parse((await here.devflow(['list', '--json'])).stdout) as RunStatus[])
      .map(({ id }) => id)
      .toSorted();
  const worktree = async (name: string) => {
    const status = JSON.parse((await here.devflow(['status', name, '--json'])).stdout) as RunStatus;
    if (status.worktree === undefined) throw new Error(`${name} has no worktree`);
    return status.worktree;
  };
  const branches = async () => (await here.git('branch', '--format=%(refname:short)')).split('\n');

  test('removes all of a run whose commits are merged, down to its directories', async () => {
    await run('merged', WORKS, 'always');
    const directory = await worktree('merged');
    await here.git('merge', '--quiet', 'devflow/merged/work');
    const planned = await clean('--dry-run');
    expect(existsSync(directory)).toBe(true);
    const done = await clean();
    expect(done).toEqual(planned);
    expect(done.get('merged')).toEqual({
      removed: [`worktree ${directory}`, 'branch devflow/merged/work', 'record of the run merged'],
      saved: [],
      kept: [],
    });
    expect(existsSync(path.dirname(directory))).toBe(false);
    expect(existsSync(path.join(here.root, '.git/refs/heads/devflow'))).toBe(false);
    expect(await runs()).toEqual([]);
    expect(await branches()).toEqual(['main']);
  });

  test('keeps a branch whose commits are nowhere else, and the record that says so', async () => {
    await run('unmerged', WORKS);
    const { removed, kept } = (await clean()).get('unmerged') ?? {};
    expect(removed).toEqual([]);
    expect(kept?.[0]).toMatchObject({
      what: 'branch devflow/unmerged/work',
      why: expect.stringContaining('no other branch has its commits') as string,
    });
    expect(await branches()).toContain('devflow/unmerged/work');
    expect(await runs()).toEqual(['unmerged']);
  });

  test('keeps both of two branches that have only each other', async () => {
    await run('one', WORKS);
    await run('two', WORKS);
    await here.git('branch', '--force', 'devflow/two/work', 'devflow/one/work');
    const planned = await clean('--dry-run');
    expect(await clean()).toEqual(planned);
    expect((await branches()).filter((name) => name !== 'main')).toHaveLength(2);
    expect(await runs()).toHaveLength(2);
  });

  test('keeps a worktree with anything that is not committed, and its branch', async () => {
    await run('dirty', 'echo precious > precious.txt');
    const directory = await worktree('dirty');
    const { removed, kept } = (await clean('dirty')).get('dirty') ?? {};
    expect(removed).toEqual([]);
    expect(kept?.map(({ why }) => why)).toEqual([
      'not committed there: precious.txt',
      `it is checked out at ${directory}`,
      'something of the run is left, and this says what it is',
    ]);
    expect(existsSync(path.join(directory, 'precious.txt'))).toBe(true);
  });

  test('keeps a worktree that was switched to another branch', async () => {
    await run('switched', giveAnswer({ status: 'failed' }), 'always');
    const directory = await worktree('switched');
    await here.git('-C', directory, 'switch', '--quiet', '--create', 'mine');
    expect((await clean('switched')).get('switched')?.kept[0]?.why).toContain(
      "it is on mine, not on the run's",
    );
    expect(existsSync(directory)).toBe(true);
  });

  test('removes what git still knows of a worktree that somebody deleted, and a left-over review', async () => {
    await run('gone', giveAnswer({ status: 'failed' }));
    const directory = await worktree('gone');
    const locked = ['--lock', '--reason', 'devflow run gone, review'];
    await here.git('worktree', 'add', '--quiet', '--detach', ...locked, `${directory}.review-1-1`);
    await here.git('-C', here.root, 'worktree', 'unlock', directory);
    await here.git('worktree', 'remove', '--force', directory);
    expect((await clean()).get('gone')?.kept[0]?.why).toContain('it is failed and can be resumed');
    await clean('gone');
    expect(existsSync(`${directory}.review-1-1`)).toBe(false);
    expect(await here.git('worktree', 'list')).not.toContain('gone');
    expect(await runs()).toEqual([]);
  });

  test('touches no run that runs or was cut off, and nothing that is not of devflow', async () => {
    const go = path.join(here.directory, 'go');
    here.write({ 'devflow.config.json': JSON.stringify(onePhase(waitsFor(go))) });
    const running = here.start(['run', 'x', '--name', 'running']);
    await agentBegan(go);
    await here.git('branch', 'devflow/mine');
    expect((await clean()).get('running')?.kept[0]?.why).toContain('it is running');
    running.child.kill('SIGKILL');
    await running.finished;
    expect((await clean()).get('running')?.kept[0]?.why).toContain('it is interrupted');
    writeFileSync(go, '');
    expect((await here.devflow(['resume'])).code).toBe(0);
    const foreign = path.join(here.directory, 'foreign');
    mkdirSync(foreign);
    await clean();
    expect(await branches()).toEqual(['devflow/mine', 'devflow/running/work', 'main']);
    expect(existsSync(foreign)).toBe(true);
  });
});
