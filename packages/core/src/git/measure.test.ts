import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repositoryAt } from '../../test/measured-repository.js';
import { repositoryForTest } from '../../test/temporary.js';
import type { TemporaryRepository } from '../testing/index.js';
import { measureWorktree } from './measure.js';

const ODD = [
  'with space',
  'with "quotes"',
  "it's",
  'new\nline',
  'ta\tb',
  'ünïcödé €😀',
  '-dash',
  '# branch.oid x',
  '? x',
  '1 .M x',
  'a\\b',
  ':(top)',
  '\x01start',
  ' lead',
  'trail ',
];

function write({ root }: TemporaryRepository, name: string, content: string) {
  mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  writeFileSync(path.join(root, name), content);
}

describe('what git says of a worktree', () => {
  it('without a change is that there is none', async () => {
    const { measure, start } = await repositoryAt();
    expect(await measure()).toEqual({
      head: start,
      branch: 'main',
      uncommitted: [],
      commits: [],
      onBranch: [],
      moved: false,
      index: expect.any(String) as string,
      differs: false,
      descends: true,
      tree: expect.stringMatching(/^[0-9a-f]{40}$/),
      onlyHere: [],
      errors: [],
    });
  });

  it('has something that stands for all that is committed, and is the same for the same', async () => {
    const { measure, repository } = await repositoryAt();
    const { tree: first } = await measure();
    await repository.commit({ a: '1' });
    const { tree: second } = await measure();
    expect(second).not.toBe(first);
    await repository.git('commit', '--allow-empty', '-m', 'Nothing');
    expect((await measure()).tree).toBe(second);
    await repository.commit({ a: '2' });
    expect((await measure()).tree).not.toBe(second);
    await repository.commit({ a: '1' });
    expect((await measure()).tree).toBe(second);
  });

  it('has nothing that stands for it where something is not committed', async () => {
    const { measure, repository } = await repositoryAt();
    const treeWith = async (change: (file: string) => void) => {
      change('README.md');
      const { tree } = await measure();
      await repository.git('update-index', '--no-assume-unchanged', 'README.md');
      await repository.git('reset', '--hard');
      await repository.git('clean', '-fd');
      return tree;
    };
    const known = await treeWith(() => undefined);
    const edited = await treeWith((file) => write(repository, file, 'other'));
    const added = await treeWith(() => write(repository, 'new', ''));
    await repository.git('update-index', '--assume-unchanged', 'README.md');
    const hidden = await treeWith((file) => write(repository, file, 'other'));
    expect([known === undefined, edited, added, hidden]).toEqual([
      false,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('has its commits in order', async () => {
    const { measure, repository } = await repositoryAt();
    const one = await repository.commit({ 'a b': '1' }, 'First\n\nwith a body');
    const two = await repository.commit({ 'a b': '2', c: '' }, 'Second "quoted" €');
    const three = await repository.commit({}, 'Empty');
    expect(await measure()).toMatchObject({
      head: three,
      commits: [
        { hash: one, subject: 'First' },
        { hash: two, subject: 'Second "quoted" €' },
        { hash: three, subject: 'Empty' },
      ],
      descends: true,
    });
    expect(await measure(two)).toMatchObject({
      commits: [{ hash: three }],
      descends: true,
    });
  });

  it('has every file that is not committed, whatever it is called', async () => {
    const { measure, repository } = await repositoryAt({
      'tracked file': 'x',
      gone: 'x',
      staged: 'x',
    });
    for (const name of ODD) write(repository, name, 'x');
    write(repository, 'sub/directory/file', 'x');
    write(repository, 'tracked file', 'changed');
    rmSync(path.join(repository.root, 'gone'));
    write(repository, 'staged', 'changed');
    await repository.git('add', 'staged');
    const { uncommitted } = await measure();
    expect(uncommitted?.toSorted()).toEqual(
      [...ODD, 'sub/', 'tracked file', 'gone', 'staged'].toSorted(),
    );
  });

  it('has both names of a file that was renamed', async () => {
    const { measure, repository } = await repositoryAt({
      'old "name"': 'a long enough content\n'.repeat(9),
      other: 'x',
    });
    renameSync(path.join(repository.root, 'old "name"'), path.join(repository.root, '? new\nname'));
    await repository.git('add', '--all');
    write(repository, 'other', 'changed');
    expect((await measure()).uncommitted?.toSorted()).toEqual([
      '? new\nname',
      'old "name"',
      'other',
    ]);
  });

  it('has paths in conflict', async () => {
    const { measure, repository } = await repositoryAt({ 'both sides': 'x' });
    await repository.git('checkout', '--quiet', '-b', 'side');
    await repository.commit({ 'both sides': 'side' });
    await repository.git('checkout', '--quiet', 'main');
    await repository.commit({ 'both sides': 'main' });
    await expect(repository.git('merge', 'side')).rejects.toThrow('git merge side');
    expect((await measure()).uncommitted).toEqual(['both sides']);
  });

  it('has the same files as were written and committed, whatever they are called', async () => {
    const { repository, measure } = await repositoryAt();
    const part = fc.string({
      unit: fc.constantFrom(...'ab "\'\\\n\t€#?-'.split('')),
      minLength: 1,
      maxLength: 6,
    });
    const names = fc.uniqueArray(part, { minLength: 1, maxLength: 8 });
    const [sample = []] = fc.sample(fc.array(names, { minLength: 8, maxLength: 8 }), 1);
    for (const [index, files] of sample.entries()) {
      const paths = files.map((name) => `${index}/${name}`);
      for (const name of paths) write(repository, name, name);
      await repository.git('add', '--all');
      const before = await measure();
      expect(before.uncommitted?.toSorted()).toEqual(paths.toSorted());
      await repository.git('commit', '--quiet', '--message', `Add ${index}`);
      const { uncommitted, descends, commits } = await measure(before.head);
      expect({ uncommitted, descends, count: commits?.length }).toEqual({
        uncommitted: [],
        descends: true,
        count: 1,
      });
    }
  });

  it('counts what a merge brought in', async () => {
    const { measure, repository } = await repositoryAt();
    await repository.git('checkout', '--quiet', '-b', 'side');
    await repository.commit({ side: '1' }, 'On the side');
    await repository.git('checkout', '--quiet', 'main');
    await repository.commit({ main: '1' }, 'On main');
    await repository.git('merge', '--quiet', '--no-edit', 'side');
    const { commits, descends } = await measure();
    expect(commits).toHaveLength(3);
    expect(commits?.at(-1)?.subject).toMatch(/^Merge/);
    expect(descends).toBe(true);
  });

  it('is on no branch where HEAD is detached', async () => {
    const { measure, repository, start } = await repositoryAt();
    await repository.git('checkout', '--quiet', '--detach');
    expect(await measure()).toMatchObject({
      head: start,
      branch: undefined,
      commits: [],
      descends: true,
    });
  });

  it('sees untracked files whatever the configuration says', async () => {
    const { measure, repository } = await repositoryAt();
    await repository.git('config', 'status.showUntrackedFiles', 'no');
    write(repository, 'untracked', 'x');
    expect((await measure()).uncommitted).toEqual(['untracked']);
  });

  it('is read right whatever the configuration says of output', async () => {
    const { measure, repository } = await repositoryAt();
    for (const [key = '', value = ''] of [
      ['color.ui', 'always'],
      ['log.showSignature', 'true'],
      ['log.decorate', 'full'],
      ['core.quotePath', 'true'],
      ['status.branch', 'true'],
      ['status.showStash', 'true'],
      ['status.short', 'true'],
      ['diff.noprefix', 'true'],
      ['format.pretty', 'oneline'],
    ])
      await repository.git('config', key, value);
    const hash = await repository.commit({ 'ü ü': 'x' }, 'Add it');
    write(repository, 'ö', 'x');
    expect(await measure()).toMatchObject({
      commits: [{ hash, subject: 'Add it' }],
      uncommitted: ['ö'],
      descends: true,
      errors: [],
    });
  });

  it('follows nothing of the environment that leads git elsewhere', async () => {
    const { repository, start } = await repositoryAt();
    const other = await repositoryForTest();
    const env = {
      ...repository.env,
      GIT_DIR: `${other.root}/.git`,
      GIT_WORK_TREE: other.root,
      GIT_INDEX_FILE: '/none',
    };
    const hash = await repository.commit({ a: '1' });
    expect(await measureWorktree(repository.root, start, env)).toMatchObject({
      head: hash,
      commits: [{ hash }],
    });
  });
});
