import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { listRuns, status, stop } from '../src/index.js';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import { leaveAtWork } from './holder-process.js';
import { launches, letGo, patient } from './patient-agent.js';
import { expectNothingLeft, outcomes, processesOf, rig, until } from './rig.js';

describe('after kill -9 of devflow', () => {
  it('the agent works on, status says interrupted, and resume follows it without launching it again', async () => {
    const used = await rig();
    await leaveAtWork(used);
    const { root: cwd, env } = used.repository;
    expect(await status('test', { cwd, env })).toMatchObject({ state: 'interrupted' });
    expect(await listRuns({ cwd, env })).toMatchObject([{ id: 'test', state: 'interrupted' }]);
    const resumed = used.resume('test');
    await until(() =>
      used.events.some((event) => event.type === 'attempt-started' && event.adopted),
    );
    letGo(used);
    const result = await resumed;
    expect(result.state).toBe('completed');
    expect(result.commits.map(({ subject }) => subject)).toEqual(['Add done.txt']);
    expect(launches(used)).toBe(1);
    await expectNothingLeft(used);
  });

  it('resume judges what an agent left that ended unseen', async () => {
    const used = await rig();
    await leaveAtWork(used);
    letGo(used);
    await until(() => existsSync(path.join(used.attempt('test', '01-step-1', 1), 'exit')));
    expect(await used.resume('test')).toMatchObject({ state: 'completed' });
    expect(launches(used)).toBe(1);
  });

  it('an intent that nobody claimed is launched, once', async () => {
    const used = await rig();
    await leaveAtWork(used);
    const { root: cwd, env } = used.repository;
    await stop('test', { cwd, env });
    // As it is when devflow dies between the intent and the launch.
    const directory = used.attempt('test', '01-step-1', 1);
    for (const name of ['claim', 'room', 'begun', 'exit', 'stdout.log', 'stderr.log'])
      rmSync(path.join(directory, name), { recursive: true, force: true });
    letGo(used);
    expect(await used.resume('test')).toMatchObject({ state: 'completed' });
    expect(launches(used)).toBe(2);
    expect(used.journal('test').filter(({ type }) => type === 'attempt-intended')).toHaveLength(1);
  });

  it('a wrapper that is gone without a status makes the attempt crashed, not done', async () => {
    const used = await rig();
    await leaveAtWork(used, [{ script: patient(used.repository), retries: 0 }]);
    const owner = readFileSync(path.join(used.attempt('test', '01-step-1', 1), 'claim'), 'utf8');
    process.kill(Number.parseInt(owner.split('\n')[1] ?? '', 10), 'SIGKILL');
    const result = await used.resume('test');
    expect(outcomes(result)).toEqual(['1 crashed']);
    expect(processesOf(used.repository.directory)).toEqual([]);
  });

  it.each([
    ['before the worktree is filled', '"worktree-adding"'],
    ['before the phase is entered', '"preflight"'],
    ['before the attempt', '"phase-entered"'],
    ['before the verdict', '"attempt-intended"'],
    ['before the end', '"attempt-ended"'],
  ])('%s, resume comes to the same end', async (_, last) => {
    const used = await rig();
    const script = `test -e done.txt || { ${commitFile('done.txt')}; }; ${giveAnswer()}`;
    const { base, worktree = '' } = await used.run([{ script }], {
      workflow: { worktree: { keep: 'always' } },
    });
    // Before the agent began, it had committed nothing.
    if (last !== '"attempt-intended"' && last !== '"attempt-ended"')
      await used.repository.git('-C', worktree, 'reset', '--quiet', '--hard', base);
    const journal = path.join(used.repository.root, '.git/devflow/runs/test/journal.jsonl');
    const lines = readFileSync(journal, 'utf8').trim().split('\n');
    const cut = lines.findIndex((line) => line.includes(`"type":${last}`));
    writeFileSync(journal, `${lines.slice(0, cut + 1).join('\n')}\n{"v":1,"seq":`);
    const result = await used.resume('test');
    expect(result.state).toBe('completed');
    expect(result.commits.map(({ subject }) => subject)).toEqual(['Add done.txt']);
    expect(
      used.events.some(
        (event) => event.type === 'note' && event.text.includes('not written whole'),
      ),
    ).toBe(true);
  });
});
