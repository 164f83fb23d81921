import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { clean } from '../src/clean/clean.js';
import { stop } from '../src/index.js';
import { giveAnswer } from '../src/testing/index.js';
import { restoreSalvaged, salvaged } from '../src/clean/salvage.js';
import { expectError, rig } from './rig.js';
import { listCommit, listFiles } from './tree-listing.js';
import { leaveAtWork } from './holder-process.js';

/** Commits, then leaves a file changed and one untracked, and does not finish. */
const half = [
  `printf 'committed' >mine.txt && git add . && git commit --quiet --message 'Add mine.txt'`,
  `printf 'changed' >mine.txt; printf 'new' >'not added.txt'; ${giveAnswer({ status: 'failed' })}`,
].join('; ');

async function unfinished(script = half) {
  const used = await rig();
  const { worktree = '' } = await used.run([{ script }]);
  const { root: cwd, env } = used.repository;
  return { used, worktree, cwd, env, paths: path.join(cwd, '.git', 'devflow', 'runs', 'test') };
}

describe('what is not safe to remove', () => {
  it('is kept without force, also where the run is named', async () => {
    const { used, worktree, cwd, env } = await unfinished();
    const before = listFiles(worktree);
    const [cleaned] = await clean({ cwd, env, runs: ['test'] });
    expect(cleaned).toMatchObject({ removed: [], saved: [] });
    expect(listFiles(worktree)).toEqual(before);
    expect(await salvaged({ cwd, env })).toEqual([]);
    expect(await used.repository.git('branch', '--list', 'devflow/*')).toContain('devflow/test');
  });

  it('goes by force once it is saved, and all of it is restored', async () => {
    const { used, worktree, cwd, env, paths } = await unfinished();
    const { git } = used.repository;
    const files = listFiles(worktree);
    const tip = await git('rev-parse', 'devflow/test/work');
    const [cleaned] = await clean({ cwd, env, runs: ['test'], force: true });
    expect(cleaned).toEqual({
      run: 'test',
      removed: [`worktree ${worktree}`, 'branch devflow/test/work', 'record of the run test'],
      saved: [
        {
          what: `worktree ${worktree}`,
          restore: 'devflow salvage restore test 1',
          ref: 'refs/devflow/salvage/test/1',
        },
        {
          what: 'branch devflow/test/work',
          restore: 'devflow salvage restore test 2',
          ref: 'refs/devflow/salvage/test/2',
        },
      ],
      kept: [],
    });
    expect([existsSync(worktree), existsSync(paths)]).toEqual([false, false]);
    expect(await git('branch', '--format=%(refname:short)')).toBe('main');
    // A user's housekeeping takes what nothing names.
    await git('reflog', 'expire', '--expire=now', '--all');
    await git('gc', '--quiet', '--prune=now');

    const restored = await restoreSalvaged('test', { cwd, env });
    expect(restored.map(({ branch, holds }) => `${branch} ${holds}`)).toEqual([
      'devflow/test/salvaged-1 files',
      'devflow/test/salvaged-2 commits',
    ]);
    expect(listCommit(used.repository, 'devflow/test/salvaged-1')).toEqual(files);
    expect(await git('rev-parse', 'devflow/test/salvaged-2')).toBe(tip);
    expect(await git('status', '--porcelain')).toBe('');
    expect(await salvaged({ cwd, env })).toHaveLength(2);
  });

  it('is what a dry run says, and that changes nothing', async () => {
    const { worktree, cwd, env } = await unfinished();
    const options = { cwd, env, runs: ['test'], force: true };
    const [planned] = await clean({ ...options, dryRun: true });
    expect(existsSync(worktree)).toBe(true);
    expect(await salvaged({ cwd, env })).toEqual([]);
    const [done] = await clean(options);
    expect(planned?.removed).toEqual(done?.removed);
    expect(planned?.saved.map(({ what }) => what)).toEqual(done?.saved.map(({ what }) => what));
  });

  it('stays where it cannot be saved, down to the record', async () => {
    const { used, worktree, cwd, env, paths } = await unfinished();
    const before = listFiles(worktree);
    mkdirSync(path.join(cwd, '.git/refs/devflow'));
    writeFileSync(path.join(cwd, '.git/refs/devflow/salvage'), '');
    const [cleaned] = await clean({ cwd, env, runs: ['test'], force: true });
    expect(cleaned).toMatchObject({ removed: [], saved: [] });
    expect(cleaned?.kept[0]?.why).toContain('update-ref');
    expect(listFiles(worktree)).toEqual(before);
    await used.repository.git('rev-parse', '--verify', 'devflow/test/work');
    expect(existsSync(paths)).toBe(true);
  });

  it('stays where only the branch cannot be saved', async () => {
    const { used, worktree, cwd, env } = await unfinished();
    const { git } = used.repository;
    await git('-C', worktree, 'add', '.');
    await git('-C', worktree, 'commit', '--quiet', '--message', 'Add the rest');
    mkdirSync(path.join(cwd, '.git/refs/devflow'));
    writeFileSync(path.join(cwd, '.git/refs/devflow/salvage'), '');
    const [cleaned] = await clean({ cwd, env, runs: ['test'], force: true });
    expect(cleaned?.removed).toEqual([`worktree ${worktree}`]);
    expect(cleaned?.kept[0]).toMatchObject({ what: 'branch devflow/test/work' });
    await git('rev-parse', '--verify', 'devflow/test/work');
  });

  it('stays where a repository is in it', async () => {
    const { worktree, cwd, env } = await unfinished(`git init --quiet vendor; ${half}`);
    const [cleaned] = await clean({ cwd, env, runs: ['test'], force: true });
    expect(cleaned?.removed).toEqual([]);
    expect(cleaned?.kept[0]?.why).toMatch(/a repository of its own/);
    expect(existsSync(path.join(worktree, 'vendor', '.git'))).toBe(true);
  });

  it('is seen also where the agent told git to ignore it, and saved by force', async () => {
    const hides = `cat >/dev/null; echo precious >hidden.txt; echo hidden.txt >>"$(git rev-parse --git-common-dir)/info/exclude"; ${giveAnswer({ status: 'failed' })}`;
    const { used, worktree, cwd, env } = await unfinished(hides);
    const [kept] = await clean({ cwd, env, runs: ['test'] });
    expect(kept?.kept[0]?.why).toBe('not committed there: hidden.txt');
    await clean({ cwd, env, runs: ['test'], force: true });
    expect(existsSync(worktree)).toBe(false);
    const ref = 'refs/devflow/salvage/test/1:hidden.txt';
    expect(await used.repository.git('show', ref)).toBe('precious');
  });

  it('of a run that failed is not taken by force that names no run', async () => {
    const { worktree, cwd, env } = await unfinished();
    const [cleaned] = await clean({ cwd, env, force: true });
    expect(cleaned?.kept[0]?.why).toContain('it is failed and can be resumed');
    expect(existsSync(worktree)).toBe(true);
  });

  it('of a run that was cut off is not taken by force at all, and is told how it ends', async () => {
    const used = await rig();
    await leaveAtWork(used);
    const { root: cwd, env } = used.repository;
    const [cleaned] = await clean({ cwd, env, runs: ['test'], force: true });
    expect(cleaned).toMatchObject({ removed: [], saved: [] });
    expect(cleaned?.kept[0]?.why).toMatch(/it is interrupted: .*`devflow stop test` ends it/);
    await stop('test', { cwd, env });
  });
});

describe('restoring', () => {
  it('refuses where a branch of that name is there, and makes none of the others', async () => {
    const { used, cwd, env } = await unfinished();
    const { git } = used.repository;
    await clean({ cwd, env, runs: ['test'], force: true });
    await git('branch', 'devflow/test/salvaged-2');
    await expectError(
      restoreSalvaged('test', { cwd, env }),
      'BRANCH_EXISTS',
      /"devflow\/test\/salvaged-2"/,
    );
    expect(await git('branch', '--list', 'devflow/test/salvaged-1')).toBe('');
    await git('branch', '--move', 'devflow/test/salvaged-2', 'devflow/test/salvaged-2/below');
    const error = await expectError(
      restoreSalvaged('test', { cwd, env }),
      'BRANCH_EXISTS',
      /salvaged-2\/below" in the way/,
    );
    expect(error.hint).toContain('`devflow salvage restore test <number> --branch <name>`');
    expect(await git('branch', '--list', 'devflow/test/salvaged-1')).toBe('');
    const [one] = await restoreSalvaged('test', { cwd, env, number: 1, branch: 'mine' });
    expect(await git('rev-parse', 'mine')).toBe(one?.commit);
  });

  it('refuses what was not saved, one name for two, and what is no name', async () => {
    const { used, cwd, env } = await unfinished();
    await expectError(restoreSalvaged('test', { cwd, env }), 'SALVAGE_NOT_FOUND', /run "test"/);
    await clean({ cwd, env, runs: ['test'], force: true });
    const of = (more: object) => restoreSalvaged('test', { cwd, env, ...more });
    await expectError(of({ number: 3 }), 'SALVAGE_NOT_FOUND', /number 3/);
    await expectError(of({ branch: 'mine' }), 'OPTION_INVALID', /one branch can hold one/);
    for (const branch of ['a..b', '-d', 'HEAD', '@{-1}'])
      await expectError(of({ number: 1, branch }), 'OPTION_INVALID', /no name for a branch/);
    expect(await used.repository.git('branch', '--format=%(refname:short)')).toBe('main');
  });
});

it('a lock that a dead devflow left on an ended run goes, and the run stays', async () => {
  const { cwd, env, paths } = await unfinished();
  const dead = { pid: 1, startTime: '1', bootId: 'before', host: hostname() };
  writeFileSync(path.join(paths, 'lock'), JSON.stringify({ ...dead, pidNamespace: 'pid:[1]' }));
  const [cleaned] = await clean({ cwd, env });
  expect(cleaned?.removed).toEqual([`stale lock ${path.join(paths, 'lock')}`]);
  expect(existsSync(path.join(paths, 'lock'))).toBe(false);
  expect(existsSync(path.join(paths, 'journal.jsonl'))).toBe(true);
});
