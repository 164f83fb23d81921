import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { known, temporaryDirectory } from '../../test/temporary.js';
import { type Place, expectWhole, headOf, place } from '../../test/worktree-place.js';
import { git } from './git.js';
import {
  addWorktree,
  gitDirOf,
  isWorktreeOf,
  removeCleanWorktree,
  removeWorktree,
  writableRoots,
} from './worktree.js';

describe('a worktree', () => {
  it('is added on a branch of its own, locked and checked out', async () => {
    const used = await place();
    const worktree = used.worktree('one');
    await addWorktree(used.repository, worktree, used.env);
    await expectWhole(used, worktree);
    expect(await used.git('config', '--get-regexp', 'branch.*').catch(() => '')).toBe('');
  });

  it('without a branch has a detached HEAD', async () => {
    const used = await place();
    const { branch: _, ...detached } = used.worktree('review');
    await addWorktree(used.repository, detached, used.env);
    await headOf(detached.directory, used.env);
    expect(await used.git('branch', '--list', 'devflow/*')).toBe('');
  });

  it('is added together with many others, and none fails', async () => {
    const used = await place();
    const worktrees = Array.from({ length: 20 }, (_, index) => used.worktree(`run-${index}`));
    await Promise.all(
      worktrees.map((worktree) => addWorktree(used.repository, worktree, used.env)),
    );
    expect((await used.git('worktree', 'list')).split('\n')).toHaveLength(21);
    for (const { directory } of worktrees)
      expect(existsSync(path.join(directory, 'a file'))).toBe(true);
    expect(existsSync(path.join(used.repository.commonDir, 'devflow', 'worktrees.lock'))).toBe(
      false,
    );
  });

  it('is not added where something is already', async () => {
    const used = await place();
    const worktree = used.worktree('one');
    mkdirSync(worktree.directory, { recursive: true });
    writeFileSync(path.join(worktree.directory, 'mine'), 'x');
    await expect(addWorktree(used.repository, worktree, used.env)).rejects.toThrow(
      expect.objectContaining({ code: 'GIT_FAILED' }),
    );
    expect(readFileSync(path.join(worktree.directory, 'mine'), 'utf8')).toBe('x');
  });

  it("keeps the directory of its branch through a user's housekeeping", async () => {
    const used = await place();
    await addWorktree(used.repository, used.worktree('one'), used.env);
    await used.git('gc', '--quiet', '--prune=now');
    expect(
      readdirSync(path.join(used.repository.commonDir, 'refs', 'heads', 'devflow', 'one')),
    ).toEqual(['.keep']);
    expect(await used.git('for-each-ref', '--format=%(refname)')).toBe(
      'refs/heads/devflow/one/work\nrefs/heads/main',
    );
    expect(await used.git('fsck')).toBe('');
  });

  it('names the git metadata that a commit in it writes to', async () => {
    const used = await place();
    const { directory, ...rest } = used.worktree('one');
    await addWorktree(used.repository, { directory, ...rest }, used.env);
    const { commonDir } = used.repository;
    const gitDir = path.join(commonDir, 'worktrees', 'one');
    expect(gitDirOf(directory)).toBe(gitDir);
    expect(writableRoots(commonDir, directory)).toEqual([
      gitDir,
      `${commonDir}/objects`,
      `${commonDir}/refs`,
      `${commonDir}/logs`,
    ]);
  });

  it('is known as one of this repository, and another in its place is not', async () => {
    const used = await place();
    const worktree = used.worktree('one');
    await addWorktree(used.repository, worktree, used.env);
    const isOne = () => isWorktreeOf(used.repository, worktree.directory);
    expect(isOne()).toBe(true);
    const pointer = path.join(worktree.directory, '.git');
    const real = readFileSync(pointer, 'utf8');
    const other = used.worktree('other');
    await addWorktree(used.repository, other, used.env);
    writeFileSync(pointer, `gitdir: ${known(gitDirOf(other.directory))}\n`); // it names another back
    expect(isOne()).toBe(false);
    writeFileSync(pointer, 'gitdir: ../elsewhere/.git\n');
    expect(isOne()).toBe(false);
    writeFileSync(pointer, real);
    const common = path.join(known(gitDirOf(worktree.directory)), 'commondir');
    const named = readFileSync(common, 'utf8');
    writeFileSync(common, `${used.root}-copy/.git\n`); // branches and settings of a copy
    expect(isOne()).toBe(false);
    writeFileSync(common, named);
    expect(isOne()).toBe(true);
    rmSync(pointer);
    expect(isOne()).toBe(false);
    await git(worktree.directory, ['init', '--quiet'], used.env);
    expect(isOne()).toBe(false);
    rmSync(pointer, { recursive: true });
    writeFileSync(pointer, real);
    expect(isOne()).toBe(true);
  });

  it('has no git metadata where its pointer is gone, or is a repository', async () => {
    const used = await place();
    expect(gitDirOf(used.root)).toBeUndefined();
    const directory = temporaryDirectory();
    expect(gitDirOf(directory)).toBeUndefined();
    expect(() => writableRoots('/x', directory)).toThrow(
      expect.objectContaining({ code: 'GIT_FAILED' }),
    );
    writeFileSync(path.join(directory, '.git'), 'nonsense');
    expect(gitDirOf(directory)).toBeUndefined();
    writeFileSync(path.join(directory, '.git'), 'gitdir: ../with space\nand line\n');
    expect(gitDirOf(directory)).toBe(path.resolve(directory, '../with space\nand line'));
  });
});

describe('the removal of a worktree', () => {
  async function added(): Promise<{
    used: Place;
    directory: string;
    remove(): Promise<string | undefined>;
  }> {
    const used = await place();
    const worktree = used.worktree('one');
    await addWorktree(used.repository, worktree, used.env);
    return {
      used,
      directory: worktree.directory,
      remove: () => removeCleanWorktree(used.repository, worktree.directory, used.env),
    };
  }

  it('takes a clean one away and keeps its branch', async () => {
    const { used, directory, remove } = await added();
    expect(await remove()).toBeUndefined();
    expect(existsSync(directory)).toBe(false);
    expect(await used.git('rev-parse', 'devflow/one/work')).toBe(used.base);
  });

  it.each([
    ['a changed file', 'a file'],
    ['an untracked file', 'new file'],
  ])('leaves one with %s, says why, and keeps it locked', async (_, name) => {
    const { used, directory, remove } = await added();
    writeFileSync(path.join(directory, name), 'precious');
    expect(await remove()).toMatch(/contains modified or untracked files/);
    expect(readFileSync(path.join(directory, name), 'utf8')).toBe('precious');
    expect(await used.git('worktree', 'list', '--porcelain')).toContain('locked devflow run one');
  });

  it('leaves one with an untracked file also where the configuration hides such files', async () => {
    const { used, directory, remove } = await added();
    await used.git('config', 'status.showUntrackedFiles', 'no');
    writeFileSync(path.join(directory, 'new file'), 'precious');
    expect(await remove()).toMatch(/contains modified or untracked files/);
    expect(readFileSync(path.join(directory, 'new file'), 'utf8')).toBe('precious');
  });

  it('takes away one that is disposable whatever it holds', async () => {
    const { used, directory } = await added();
    writeFileSync(path.join(directory, 'new file'), 'x');
    expect(await removeWorktree(used.repository, directory, used.env)).toBeUndefined();
    expect(existsSync(directory)).toBe(false);
    expect((await used.git('worktree', 'list')).split('\n')).toHaveLength(1);
  });
});
