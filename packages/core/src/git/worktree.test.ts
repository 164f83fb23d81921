import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { known, repositoryForTest, temporaryDirectory } from '../../test/temporary.js';
import { git } from './git.js';
import { findRepository } from './repository.js';
import {
  type NewWorktree,
  addWorktree,
  gitDirOf,
  isWorktreeOf,
  removeCleanWorktree,
  removeWorktree,
  repairWorktree,
  writableRoots,
} from './worktree.js';

async function place() {
  const made = await repositoryForTest({ files: { 'a file': 'content', 'sub/more': '' } });
  const repository = await findRepository(made.root, made.env);
  const base = await made.git('rev-parse', 'HEAD');
  const worktree = (id: string): NewWorktree & { branch: string } => ({
    directory: path.join(made.directory, 'worktrees', id),
    branch: `devflow/${id}/work`,
    commit: base,
    reason: `devflow run ${id}`,
  });
  return { ...made, repository, base, worktree };
}
type Place = Awaited<ReturnType<typeof place>>;

async function expectWhole(
  { env, git: byHand, base }: Place,
  { directory, branch }: NewWorktree & { branch: string },
) {
  const { commit } = await headOf(directory, env);
  expect(commit).toBe(base);
  expect(readFileSync(path.join(directory, 'a file'), 'utf8')).toBe('content');
  const real = realpathSync(directory);
  const listed = (await byHand('worktree', 'list', '--porcelain'))
    .split('\n\n')
    .filter((entry) => entry.startsWith(`worktree ${real}\n`));
  expect(listed).toHaveLength(1);
  expect(listed[0]).toContain(`branch refs/heads/${branch}`);
  expect(listed[0]).toContain('locked devflow run');
}
async function headOf(directory: string, env: Record<string, string>) {
  const [commit, status] = [
    await git(directory, ['rev-parse', 'HEAD'], env),
    await git(directory, ['status', '--porcelain'], env),
  ];
  expect(status).toBe('');
  return { commit: commit.trim() };
}

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

describe('an addition that was cut off', () => {
  type Cut = (used: Place, worktree: NewWorktree & { branch: string }) => Promise<unknown> | void;
  const add = (
    used: Place,
    { directory, branch, commit }: NewWorktree & { branch: string },
    ...more: string[]
  ) => used.git('worktree', 'add', '--quiet', ...more, '-b', branch, directory, commit);
  // prettier-ignore
  const cuts: [when: string, cut: Cut][] = [
    ['before anything was done', () => undefined],
    ['after the directory above was made', (_, { directory }) => void mkdirSync(path.dirname(directory), { recursive: true })],
    ['after its directory was made', (_, { directory }) => void mkdirSync(directory, { recursive: true })],
    ['after the branch was made', (used, { branch, commit }) => used.git('branch', branch, commit)],
    ['after the branch and the directory were made', async (used, { branch, commit, directory }) => {
      await used.git('branch', branch, commit);
      mkdirSync(directory, { recursive: true });
    }],
    ['before the checkout', (used, worktree) => add(used, worktree, '--lock', '--reason', worktree.reason, '--no-checkout')],
    ['within the checkout', async (used, worktree) => {
      await add(used, worktree, '--lock', '--reason', worktree.reason);
      rmSync(path.join(worktree.directory, 'a file'));
      rmSync(path.join(worktree.directory, 'sub'), { recursive: true });
    }],
    ['within the checkout, which left its lock on the index', async (used, worktree) => {
      await add(used, worktree, '--lock', '--reason', worktree.reason, '--no-checkout');
      writeFileSync(path.join(known(gitDirOf(worktree.directory)), 'index.lock'), '');
    }],
    ['and its directory was lost', async (used, worktree) => {
      await add(used, worktree, '--lock', '--reason', worktree.reason);
      rmSync(worktree.directory, { recursive: true });
    }],
    ['before git had a head for it', async (used, worktree) => {
      await add(used, worktree, '--lock', '--reason', worktree.reason, '--no-checkout');
      rmSync(path.join(known(gitDirOf(worktree.directory)), 'HEAD'));
    }],
    ['and what git knew of it was lost', async (used, worktree) => {
      await add(used, worktree, '--no-checkout');
      rmSync(known(gitDirOf(worktree.directory)), { recursive: true });
    }],
  ];

  it.each(cuts)('%s is ended', async (_, cut) => {
    const used = await place();
    const worktree = used.worktree('one');
    await cut(used, worktree);
    await repairWorktree(used.repository, worktree, used.env);
    await expectWhole(used, worktree);
    await repairWorktree(used.repository, worktree, used.env); // and cut off again
    await expectWhole(used, worktree);
  });

  it('is left alone where somebody put something there', async () => {
    const used = await place();
    const worktree = used.worktree('one');
    mkdirSync(worktree.directory, { recursive: true });
    writeFileSync(path.join(worktree.directory, 'mine'), 'x');
    await expect(repairWorktree(used.repository, worktree, used.env)).rejects.toThrow(
      expect.objectContaining({ code: 'GIT_FAILED' }),
    );
    expect(readFileSync(path.join(worktree.directory, 'mine'), 'utf8')).toBe('x');
  });

  it('moves no branch that stands elsewhere', async () => {
    const used = await place();
    const worktree = used.worktree('one');
    const other = await used.commit({ b: '1' });
    await used.git('branch', worktree.branch, other);
    await expect(repairWorktree(used.repository, worktree, used.env)).rejects.toThrow(
      expect.objectContaining({ code: 'GIT_FAILED' }),
    );
    expect(await used.git('rev-parse', worktree.branch)).toBe(other);
  });

  it('takes nothing from other worktrees', async () => {
    const used = await place();
    const mine = path.join(used.directory, 'mine');
    await used.git('worktree', 'add', '--quiet', '--detach', mine);
    writeFileSync(path.join(mine, 'new'), 'x');
    await repairWorktree(used.repository, used.worktree('one'), used.env);
    expect(readFileSync(path.join(mine, 'new'), 'utf8')).toBe('x');
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
