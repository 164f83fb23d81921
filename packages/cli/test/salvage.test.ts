import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CleanedRun } from '@devflow/core/clean';
import type { Finding } from '@devflow/core/doctor';
import type { Salvaged } from '@devflow/core/salvage';
import type { RunStatus } from '@devflow/core/status';
import { giveAnswer } from '@devflow/core/testing';
import { type CommandLine, commandLine } from './command-line.js';
import { WORKS, onePhase } from './workflows.js';

const HALF = `${WORKS}; printf 'precious' >precious.txt; ${giveAnswer({ status: 'failed' })}`;

describe('devflow clean --force and devflow salvage', () => {
  let here: CommandLine;
  let worktree: string;
  beforeEach(async () => {
    here = await commandLine(onePhase(HALF));
    await here.devflow(['run', 'x', '--name', 'half']);
    const status = JSON.parse(
      (await here.devflow(['status', 'half', '--json'])).stdout,
    ) as RunStatus;
    worktree = status.worktree ?? '';
  });
  afterEach(() => here.remove());

  test('save, remove, and say how to get it back; what is said works', async () => {
    const kept = await here.devflow(['clean', 'half']);
    expect(kept.stdout.replaceAll(/\s+/g, ' ')).toContain('not committed there: precious.txt');
    expect(existsSync(path.join(worktree, 'precious.txt'))).toBe(true);
    const planned = await here.devflow(['clean', 'half', '--force', '--dry-run']);
    expect(planned.stdout.replaceAll(/\s+/g, ' ')).toContain(
      'would save what is not committed in worktree',
    );
    expect((await here.devflow(['salvage', 'list'])).stdout).toContain('Nothing is saved here');
    const { code, stdout } = await here.devflow(['clean', 'half', '--force']);
    expect(code).toBe(0);
    expect(existsSync(worktree)).toBe(false);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('what git ignores is not saved');
    const said = [...stdout.matchAll(/`devflow (salvage restore half \d)`/g)].map(
      ([, words]) => words,
    );
    expect(said).toEqual(['salvage restore half 1', 'salvage restore half 2']);
    for (const words of said) {
      const restored = await here.devflow((words ?? '').split(' '));
      expect(restored).toMatchObject({ code: 0, stderr: '' });
      expect(restored.stdout).toContain('git switch devflow/half/salvaged-');
    }
    await here.git('switch', '--quiet', 'devflow/half/salvaged-1');
    expect(readFileSync(path.join(here.root, 'precious.txt'), 'utf8')).toBe('precious');
    expect(existsSync(path.join(here.root, 'made.txt'))).toBe(true);
  });

  test('the list names what each holds, for people and as JSON', async () => {
    await here.devflow(['clean', 'half', '--force']);
    const { stdout } = await here.devflow(['salvage', 'list']);
    expect(stdout).toMatch(/^half 1 +not committed +.* devflow salvage: what was not committed/m);
    expect(stdout).toMatch(/^half 2 +commits +.* Add made\.txt$/m);
    const list = JSON.parse(
      (await here.devflow(['salvage', 'list', '--json'])).stdout,
    ) as Salvaged[];
    expect(list.map(({ ref, holds }) => `${ref} ${holds}`)).toEqual([
      'refs/devflow/salvage/half/1 files',
      'refs/devflow/salvage/half/2 commits',
    ]);
    const args = ['salvage', 'restore', 'half', '1', '--branch', 'mine', '--json'];
    expect(JSON.parse((await here.devflow(args)).stdout)).toMatchObject([
      { branch: 'mine', commit: list[0]?.commit },
    ]);
    expect(await here.git('rev-parse', 'mine')).toBe(list[0]?.commit);
  });

  test.each([
    [['restore', 'half'], 'SALVAGE_NOT_FOUND', 'devflow salvage list'],
    [['restore', 'half', 'one'], 'OPTION_INVALID', '"one" is no number'],
    [['restore'], 'OPTION_INVALID', 'devflow salvage restore --help'],
    [['restor'], 'OPTION_INVALID', "unknown command 'restor'"],
  ])('salvage %j is refused with exit 2: %s', async (args, code, words) => {
    const { code: exit, stderr } = await here.devflow(['salvage', ...args]);
    expect(exit).toBe(2);
    expect(stderr).toContain(code);
    expect(stderr).toContain(words);
  });

  test('clean exits 1 where something cannot be saved, also where no run is named', async () => {
    await here.git('init', '--quiet', path.join(worktree, 'within'));
    rmSync(path.join(here.root, '.git/devflow/runs/half'), { recursive: true });
    const { code, stdout } = await here.devflow(['clean', '--force']);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('a repository of its own');
    expect(code).toBe(1);
    expect((await here.devflow(['clean'])).code).toBe(0);
    expect(existsSync(path.join(worktree, 'precious.txt'))).toBe(true);
  });

  test('doctor exits 4 for a process of no run, and clean ends it', async () => {
    rmSync(path.join(here.root, '.git/devflow/runs/half'), { recursive: true });
    const marks = {
      DEVFLOW_RUN_DIRECTORY: path.join(here.root, '.git/devflow/runs/half'),
      DEVFLOW_ATTEMPT_TOKEN: 'left',
    };
    const left = spawn('sleep', ['62'], { env: { ...here.env, ...marks }, stdio: 'ignore' });
    const gone = new Promise((resolve) => left.once('exit', resolve));
    try {
      const { code, stdout } = await here.devflow(['doctor']);
      expect(code).toBe(4);
      expect(stdout).toMatch(/✖ orphans +2 found/);
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`process ${left.pid} (sleep 62)`);
      expect(stdout).toContain('`devflow clean half`');
      const cleaned = await here.devflow(['clean', 'half', '--json']);
      const [first] = JSON.parse(cleaned.stdout) as CleanedRun[];
      expect(first?.removed).toEqual([`process ${left.pid} (sleep 62)`]);
      await gone;
    } finally {
      left.kill('SIGKILL');
    }
    const findings = JSON.parse((await here.devflow(['doctor', '--json'])).stdout) as Finding[];
    const orphans = findings.find(({ what }) => what === 'orphans');
    expect(orphans).toMatchObject({ problems: [], notes: [expect.stringContaining(worktree)] });
  });
});
