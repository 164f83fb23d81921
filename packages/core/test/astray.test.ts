import { execFileSync } from 'node:child_process';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunResult } from '../src/index.js';
import { leaveAtWork } from './holder-process.js';
import { launches, letGo } from './patient-agent.js';
import {
  type Rig,
  done,
  expectNothingLeft,
  objections,
  outcomes,
  processesOf,
  rig,
  until,
} from './rig.js';

/** A run whose devflow was killed, and whose agent then ended its work, unseen. */
async function endedUnseen(used: Rig): Promise<string> {
  await leaveAtWork(used);
  letGo(used);
  await until(() => existsSync(path.join(used.attempt('test', '01-step-1', 1), 'exit')));
  await until(() => processesOf(used.repository.directory).length === 0);
  return worktreeOf(used);
}

function worktreeOf(used: Rig): string {
  const ready = used.journal('test').find(({ type }) => type === 'worktree-ready');
  return String(ready?.['directory']);
}

/** It waits for a person: the attempt has no verdict, and nothing was tried or paid again. */
function expectWaiting(used: Rig, result: RunResult, code: string): void {
  expect(result).toMatchObject({ state: 'waiting', waitingFor: 'preflight' });
  expect(result.problems.map((problem) => problem.code)).toEqual([code]);
  expect(used.journal('test').filter(({ type }) => type === 'attempt-ended')).toEqual([]);
  expect(launches(used)).toBe(1);
}

async function expectJudged(used: Rig): Promise<void> {
  const result = await used.resume('test');
  expect(outcomes(result)).toEqual(['1 completed']);
  expect(result.commits.map(({ subject }) => subject)).toEqual(['Add done.txt']);
  expect(launches(used)).toBe(1);
  await expectNothingLeft(used);
}

describe('an attempt that ended unseen', { timeout: 60_000 }, () => {
  it('whose worktree is gone waits for a person, and is judged once it is back', async () => {
    const used = await rig();
    const worktree = await endedUnseen(used);
    renameSync(worktree, `${worktree}-aside`);
    expectWaiting(used, await used.resume('test'), 'WORKTREE_MISSING');
    renameSync(`${worktree}-aside`, worktree);
    await expectJudged(used);
  });

  it('whose branch was moved back by hand waits, and loses no commit', async () => {
    const used = await rig();
    const worktree = await endedUnseen(used);
    const { git } = used.repository;
    const head = await git('-C', worktree, 'rev-parse', 'HEAD');
    await git('-C', worktree, 'checkout', '--quiet', '--orphan', 'elsewhere');
    await git('-C', worktree, 'commit', '--quiet', '--allow-empty', '--message', 'Other');
    const other = await git('-C', worktree, 'rev-parse', 'HEAD');
    await git('-C', worktree, 'checkout', '--quiet', 'devflow/test/work');
    await git('-C', worktree, 'reset', '--quiet', '--hard', other);
    expectWaiting(used, await used.resume('test'), 'BRANCH_MOVED');
    await git('-C', worktree, 'reset', '--quiet', '--hard', head);
    await expectJudged(used);
  });

  it('whose worktree is on another branch waits until it is back', async () => {
    const used = await rig();
    const worktree = await endedUnseen(used);
    await used.repository.git('-C', worktree, 'switch', '--quiet', '--create', 'elsewhere');
    expectWaiting(used, await used.resume('test'), 'WORKTREE_BRANCH_CHANGED');
    await used.repository.git('-C', worktree, 'switch', '--quiet', 'devflow/test/work');
    await expectJudged(used);
  });
});

describe('an attempt that nobody launched yet', { timeout: 60_000 }, () => {
  /** As if devflow had been killed between the intent and the launch. */
  async function neverLaunched(used: Rig): Promise<string> {
    const worktree = await endedUnseen(used);
    await used.repository.git('-C', worktree, 'reset', '--quiet', '--hard', 'main');
    for (const name of ['claim', 'room', 'begun', 'exit', 'stdout.log', 'stderr.log', 'launches'])
      rmSync(path.join(used.attempt('test', '01-step-1', 1), name), { force: true });
    return worktree;
  }

  async function expectLaunched(used: Rig): Promise<void> {
    expect(outcomes(await used.resume('test'))).toEqual(['1 completed']);
    expect(launches(used)).toBe(2);
  }

  it('and whose worktree is gone is not launched until it is back', async () => {
    const used = await rig();
    const worktree = await neverLaunched(used);
    renameSync(worktree, `${worktree}-aside`);
    expectWaiting(used, await used.resume('test'), 'WORKTREE_MISSING');
    renameSync(`${worktree}-aside`, worktree);
    await expectLaunched(used);
  });

  it('and whose worktree is on another branch is not launched until it is back', async () => {
    const used = await rig();
    const worktree = await neverLaunched(used);
    await used.repository.git('-C', worktree, 'switch', '--quiet', '--create', 'elsewhere');
    expectWaiting(used, await used.resume('test'), 'WORKTREE_BRANCH_CHANGED');
    await used.repository.git('-C', worktree, 'switch', '--quiet', 'devflow/test/work');
    await expectLaunched(used);
  });
});

describe('an agent that lives where its worktree was', () => {
  it('is ended, since nobody could judge it', async () => {
    const used = await rig();
    await leaveAtWork(used);
    renameSync(worktreeOf(used), `${worktreeOf(used)}-aside`);
    expectWaiting(used, await used.resume('test'), 'WORKTREE_MISSING');
    await until(() => processesOf(used.repository.directory).length === 0);
  });
});

describe('a branch that is only another name', () => {
  it('is told with the ref that it leads to, and how it is a branch again', async () => {
    const used = await rig();
    const named = `git update-ref refs/worktree/foo HEAD; git symbolic-ref refs/heads/devflow/test/work refs/worktree/foo`;
    const result = await used.run([{ script: `test -e "$HOME/ok" || { ${named}; }; ${done}` }]);
    expect(objections(result).join()).toMatch(/the worktree is on refs\/worktree\/foo, not on/);
    writeFileSync(path.join(used.repository.home, 'ok'), '');
    const [wrong] = (await used.resume('test')).problems;
    expect(wrong?.message).toMatch(
      /is on refs\/worktree\/foo, .* only another name for refs\/worktree/,
    );
    const [, mend = ''] = /: (git -C .*)$/.exec(wrong?.hint ?? '') ?? [];
    execFileSync('sh', ['-c', mend], { env: { ...used.repository.env } });
    expect(await used.resume('test')).toMatchObject({ state: 'completed' });
  });
});
