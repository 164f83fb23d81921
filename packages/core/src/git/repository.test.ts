import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryForTest, temporaryDirectory } from '../../test/temporary.js';
import {
  conflictingRefs,
  findRepository,
  openRepository,
  operationUnderWay,
  realPath,
  readConfig,
} from './repository.js';

const env = { PATH: process.env['PATH'], HOME: '/nonexistent' };
const coded = (code: string, words = /./) =>
  expect.objectContaining({ code, message: expect.stringMatching(words) });

describe('a repository', () => {
  it('is found from any directory within it', async () => {
    const { root, env: own } = await repositoryForTest({ files: { 'a/b/c': '' } });
    const real = realpathSync(root);
    const expected = {
      root: real,
      commonDir: `${real}/.git`,
      gitDir: `${real}/.git`,
      userSettings: { home: own['HOME'], config: `${own['HOME']}/.config/git` },
    };
    expect(await findRepository(root, own)).toEqual(expected);
    expect(await findRepository(path.join(root, 'a', 'b'), own)).toEqual(expected);
    const elsewhere = await findRepository(root, { ...own, XDG_CONFIG_HOME: '/config' });
    expect(elsewhere.userSettings.config).toBe('/config/git');
  });

  it.each([
    'with space',
    'with "quotes" and \'more\'',
    'new\nline',
    'ünïcödé €',
    '-dash',
    '--devflow-separator',
    'end\n',
    '%s $(id)',
  ])('may be called %j', async (name) => {
    const { root, env: own, git } = await repositoryForTest({ name });
    const real = realpathSync(root);
    const { repository, base } = await openRepository(root, 'HEAD', own);
    expect(repository).toMatchObject({
      root: real,
      commonDir: `${real}/.git`,
      gitDir: `${real}/.git`,
    });
    expect(base).toEqual({ commit: await git('rev-parse', 'HEAD'), branch: 'main' });
    expect(await findRepository(root, own)).toEqual(repository);
  });

  it('is the same for a linked worktree, which has a git directory of its own', async () => {
    const { root, directory, env: own, git } = await repositoryForTest();
    const linked = path.join(directory, 'linked');
    await git('worktree', 'add', '--quiet', linked, '-b', 'side');
    const real = realpathSync(root);
    expect(await openRepository(linked, 'HEAD', own)).toMatchObject({
      repository: {
        root: realpathSync(linked),
        commonDir: `${real}/.git`,
        gitDir: `${real}/.git/worktrees/linked`,
      },
      base: { branch: 'side' },
    });
  });

  it('is not the one that the environment of the caller names', async () => {
    const { root, env: own } = await repositoryForTest();
    const other = await repositoryForTest();
    const misled = {
      ...own,
      GIT_DIR: `${other.root}/.git`,
      GIT_WORK_TREE: other.root,
      GIT_COMMON_DIR: '/x',
    };
    expect((await findRepository(root, misled)).root).toBe(realpathSync(root));
  });

  it('is none where there is none, and where there is no directory', async () => {
    const directory = temporaryDirectory();
    await expect(findRepository(directory, env)).rejects.toThrow(
      coded('NOT_A_REPOSITORY', /is in no git repository/),
    );
    await expect(findRepository(path.join(directory, 'none'), env)).rejects.toThrow(
      coded('NOT_A_REPOSITORY', /does not exist/),
    );
  });

  it('is of no use where it is bare', async () => {
    const { git, directory, env: own } = await repositoryForTest();
    await git('clone', '--quiet', '--bare', '.', path.join(directory, 'bare'));
    await expect(findRepository(path.join(directory, 'bare'), own)).rejects.toThrow(
      coded('BARE_REPOSITORY'),
    );
  });

  it('is not its own git directory', async () => {
    const { root, env: own } = await repositoryForTest();
    await expect(findRepository(path.join(root, '.git'), own)).rejects.toThrow(
      coded('NOT_A_REPOSITORY', /inside a git directory/),
    );
    await expect(findRepository(path.join(root, '.git', 'objects'), own)).rejects.toThrow(
      coded('NOT_A_REPOSITORY'),
    );
  });

  it('cannot be looked at without git', async () => {
    const { root } = await repositoryForTest();
    await expect(findRepository(root, { PATH: '/nonexistent' })).rejects.toThrow(
      coded('GIT_NOT_FOUND'),
    );
  });
});

describe('the commit a run starts from', () => {
  it('may be named by a branch, a tag or a part of its hash', async () => {
    const { root, env: own, git, commit } = await repositoryForTest();
    const first = await git('rev-parse', 'HEAD');
    await git('tag', '--annotate', 'v1', '--message', 'One');
    await git('branch', 'old');
    await commit({ a: '1' });
    for (const base of ['v1', 'old', first, first.slice(0, 8), 'HEAD~1', 'refs/heads/old'])
      expect((await openRepository(root, base, own)).base).toEqual({
        commit: first,
        branch: 'main',
      });
  });

  it('has no branch where HEAD is detached', async () => {
    const { root, env: own, git } = await repositoryForTest();
    await git('checkout', '--quiet', '--detach');
    expect((await openRepository(root, 'HEAD', own)).base).toEqual({
      commit: await git('rev-parse', 'HEAD'),
      branch: undefined,
    });
  });

  it('may be on a branch with any name', async () => {
    const { root, env: own, git } = await repositoryForTest();
    await git('checkout', '--quiet', '-b', 'feature/ünï.code-x');
    expect((await openRepository(root, 'HEAD', own)).base.branch).toBe('feature/ünï.code-x');
  });

  it.each([
    'nothing',
    '',
    '-',
    '--all',
    '-n',
    '--devflow-separator',
    '^main',
    'main..HEAD',
    'old...main',
    'main^@',
    'main^!',
    'HEAD:README.md',
    'HEAD^{tree}',
    'a b',
    'HEAD\nHEAD',
    '@{99}',
    '0'.repeat(40),
  ])('cannot be %j', async (base) => {
    const { root, env: own, git, commit } = await repositoryForTest();
    await git('branch', 'old');
    await commit({ a: '1' });
    await expect(openRepository(root, base, own)).rejects.toThrow(coded('BASE_NOT_FOUND'));
  });

  it('is not there in a repository without commits', async () => {
    const { root, env: own } = await repositoryForTest({ files: {} });
    await expect(openRepository(root, 'HEAD', own)).rejects.toThrow(coded('NO_COMMITS'));
    expect(await findRepository(root, own)).toMatchObject({ root: realpathSync(root) });
  });
});

describe('what must be known before a run begins', () => {
  it('is who commits, and what git does that devflow does not know', async () => {
    const { root, env: own, git } = await repositoryForTest();
    expect(await readConfig(root, own)).toEqual({
      userName: 'Test Person',
      userEmail: 'person@example.com',
      unknownExtensions: [],
    });
    await git('config', 'user.name', 'Two\nLines');
    await git('config', '--unset', 'user.email');
    await git('config', 'extensions.worktreeConfig', 'true');
    await git('config', 'extensions.unheardOf', 'true');
    expect(await readConfig(root, own)).toEqual({
      userName: 'Two\nLines',
      userEmail: undefined,
      unknownExtensions: ['unheardof'],
    });
  });

  it('is which refs stand in the way of a branch', async () => {
    const { root, env: own, git } = await repositoryForTest();
    const repository = await findRepository(root, own);
    const inTheWay = (branch: string) => conflictingRefs(repository, branch, own);
    await git('branch', 'devflow/other/work');
    expect(await inTheWay('devflow/x/work')).toEqual([]);
    expect(await inTheWay('devflow/other/work')).toEqual(['refs/heads/devflow/other/work']);
    expect(await inTheWay('devflow/other')).toEqual(['refs/heads/devflow/other/work']);
    expect(await inTheWay('devflow/other/work/more')).toEqual(['refs/heads/devflow/other/work']);
    expect(await inTheWay('devflow/oth')).toEqual([]);
    await git('pack-refs', '--all');
    expect(await inTheWay('devflow/other')).toEqual(['refs/heads/devflow/other/work']);
    expect(await inTheWay('devflow/other/work/more')).toEqual(['refs/heads/devflow/other/work']);
    expect(await inTheWay('devflow/x/work')).toEqual([]);
  });

  it.each([
    ['MERGE_HEAD', 'a merge'],
    ['rebase-merge/', 'a rebase'],
    ['rebase-apply/', 'a rebase'],
    ['CHERRY_PICK_HEAD', 'a cherry-pick'],
    ['REVERT_HEAD', 'a revert'],
    ['BISECT_LOG', 'a bisect'],
  ])('is whether git is in the middle of something: %s', (name, operation) => {
    const gitDir = temporaryDirectory();
    expect(operationUnderWay(gitDir)).toBeUndefined();
    if (name.endsWith('/')) mkdirSync(path.join(gitDir, name));
    else writeFileSync(path.join(gitDir, name), '');
    expect(operationUnderWay(gitDir)).toBe(operation);
  });

  it('is where a path really leads', () => {
    const directory = realpathSync(temporaryDirectory());
    symlinkSync(directory, path.join(directory, 'link'));
    expect(realPath(path.join(directory, 'link'))).toBe(directory);
    expect(realPath(path.join(directory, 'none'))).toBe(path.join(directory, 'none'));
  });
});
