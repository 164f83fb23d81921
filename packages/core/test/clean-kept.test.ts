import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CleanOptions, clean } from '../src/clean/clean.js';
import { forgetMissing } from '../src/git/missing-worktree.js';
import { findRepository } from '../src/git/repository.js';
import { withRepositoryLock } from '../src/git/repository-lock.js';
import { giveAnswer } from '../src/testing/index.js';
import { rig } from './rig.js';

const FAILS = giveAnswer({ status: 'failed' });

async function ended(script = FAILS) {
  const used = await rig();
  const { worktree = '' } = await used.run([{ script }]);
  const { root: cwd, env, git } = used.repository;
  const cleanTest = async (more: Partial<CleanOptions> = {}) => {
    const [cleaned] = await clean({ cwd, env, runs: ['test'], ...more });
    return cleaned ?? { removed: [], saved: [], kept: [] };
  };
  return { used, worktree, cwd, env, git, cleanTest };
}

describe('what is not of devflow', () => {
  it.each([
    ['by another name', 'review-mine', ['--lock', '--reason', 'devflow run test, review']],
    ['not locked', 'review-1-1', []],
    ['locked by other words', 'review-1-1', ['--lock', '--reason', 'mine']],
  ])('is kept in the place of a review: %s', async (_, name, lock) => {
    const { worktree, git, cleanTest } = await ended();
    const mine = `${worktree}.${name}`;
    await git('worktree', 'add', '--quiet', '--detach', ...lock, mine);
    writeFileSync(path.join(mine, 'precious.txt'), 'precious');
    const cleaned = await cleanTest({ force: true });
    // One that has not even the form of a review's name is nothing of the run.
    const named = name === 'review-1-1' ? [`review worktree ${mine}`] : [];
    expect(cleaned.kept.map(({ what }) => what).filter((what) => what.includes(name))).toEqual(
      named,
    );
    expect(readFileSync(path.join(mine, 'precious.txt'), 'utf8')).toBe('precious');
    expect(existsSync(worktree)).toBe(false);
  });
});

describe('a worktree whose directory is gone', () => {
  const detached = `git switch --quiet --detach; git commit --quiet --allow-empty --message 'On no branch'; ${FAILS}`;

  it('is kept while only the entry of git of it names a commit, and is mended by git', async () => {
    const { worktree, git, cleanTest } = await ended(detached);
    const moved = `${worktree}-moved`;
    renameSync(worktree, moved);
    const cleaned = await cleanTest();
    expect(cleaned.kept[0]?.why).toMatch(/is on no branch: .*`git worktree repair/);
    await git('worktree', 'repair', moved);
    expect(await git('-C', moved, 'log', '-1', '--format=%s')).toBe('On no branch');
  });

  it('is kept while only its index has what was staged', async () => {
    const { worktree, cleanTest } = await ended(`echo x >new; git add new; ${FAILS}`);
    rmSync(worktree, { recursive: true });
    expect((await cleanTest()).kept[0]?.why).toContain('has what was staged');
  });

  it('goes by force once what only the entry has is saved', async () => {
    const { worktree, git, cleanTest } = await ended(`echo x >new; git add new; ${detached}`);
    await git('-C', worktree, 'reset', '--quiet', '--soft', 'HEAD');
    writeFileSync(path.join(worktree, 'more'), 'more');
    await git('-C', worktree, 'add', 'more');
    rmSync(worktree, { recursive: true });
    const planned = await cleanTest({ force: true, dryRun: true });
    const cleaned = await cleanTest({ force: true });
    expect(cleaned.kept).toEqual([]);
    expect(planned.removed).toEqual(cleaned.removed);
    expect(await git('show', 'refs/devflow/salvage/test/1:more')).toBe('more');
    expect(await git('log', '-1', '--format=%s', 'refs/devflow/salvage/test/1^')).toBe(
      'On no branch',
    );
  });

  it('is kept where somebody puts the directory back before the entry goes', async () => {
    const { used, worktree, cwd, env } = await ended();
    const repository = await findRepository(cwd, env);
    renameSync(worktree, `${worktree}-moved`);
    const back = withRepositoryLock(repository.commonDir, async () =>
      renameSync(`${worktree}-moved`, worktree),
    );
    // Stands in line behind that.
    expect(await forgetMissing(repository, worktree, env)).toBe('it is there again');
    await back;
    expect(await used.repository.git('-C', worktree, 'status', '--porcelain')).toBe('');
  });

  it('is kept by force too where submodules have repositories in the entry', async () => {
    const { worktree, git, cleanTest } = await ended();
    const gitDir = await git('-C', worktree, 'rev-parse', '--absolute-git-dir');
    mkdirSync(path.join(gitDir, 'modules', 'vendor'), { recursive: true });
    rmSync(worktree, { recursive: true });
    const cleaned = await cleanTest({ force: true });
    expect(cleaned.kept[0]).toMatchObject({ failed: true });
    expect(existsSync(path.join(gitDir, 'modules', 'vendor'))).toBe(true);
  });
});

describe('what cannot be removed', () => {
  it('is the directory that its user stands in', async () => {
    const { worktree, git, cleanTest } = await ended(`echo x >new; ${FAILS}`);
    mkdirSync(path.join(worktree, 'below'));
    const cleaned = await cleanTest({ force: true, cwd: path.join(worktree, 'below') });
    expect(cleaned.removed).toEqual([]);
    expect(cleaned.kept[0]?.why).toContain('you stand in it');
    expect(await git('for-each-ref', 'refs/devflow')).toBe('');
    expect(existsSync(path.join(worktree, 'new'))).toBe(true);
  });

  it('is said by a dry run as well', async () => {
    const { worktree, git, cleanTest } = await ended(`echo x >new; ${FAILS}`);
    await git('init', '--quiet', path.join(worktree, 'vendor'));
    const planned = await cleanTest({ force: true, dryRun: true });
    const cleaned = await cleanTest({ force: true });
    expect(planned).toEqual(cleaned);
    expect(planned.kept[0]).toMatchObject({ failed: true });
  });

  it('is a branch in the middle of a rebase, which is not saved again and again', async () => {
    const script = `git commit --quiet --allow-empty --message own; ${FAILS}`;
    const { worktree, git, cleanTest } = await ended(script);
    await git('commit', '--quiet', '--allow-empty', '--message', 'main goes on');
    await git('-C', worktree, 'rebase', '--quiet', '--exec', 'false', 'main').catch(
      () => undefined,
    );
    for (const _ of [1, 2]) {
      const { kept, removed } = await cleanTest({ force: true });
      expect(kept.map(({ why }) => why).join('\n')).toMatch(
        /middle of a rebase[^]*middle of a rebase of it|checked out/,
      );
      expect(removed).toEqual([]);
    }
    expect(await git('for-each-ref', 'refs/devflow')).toBe('');
  });
});
