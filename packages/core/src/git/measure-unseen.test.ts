import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryAt } from '../../test/measured-repository.js';
import { git } from './git.js';
import { measureWorktree } from './measure.js';

/** A repository that names another's commit at `sub`, as a worktree has it: an empty directory. */
async function withSubmodule() {
  const { repository } = await repositoryAt();
  const commit = await repository.git('rev-parse', 'HEAD');
  await repository.git('update-index', '--add', '--cacheinfo', `160000,${commit},sub`);
  await repository.git('commit', '--quiet', '--message', 'Name another repository');
  const sub = path.join(repository.root, 'sub');
  mkdirSync(sub);
  const measure = (confined = false, since = commit) =>
    measureWorktree(repository.root, since, repository.env, { confined });
  const uncommitted = async (confined = false) => (await measure(confined)).uncommitted;
  return { repository, sub, measure, uncommitted };
}

describe('in the place of a repository within that is not there', () => {
  it.each([false, true])(
    'what is written counts as not committed (confined: %s)',
    async (confined) => {
      const { repository, sub, uncommitted } = await withSubmodule();
      expect(await uncommitted(confined)).toEqual([]);
      mkdirSync(path.join(sub, 'deep'));
      writeFileSync(path.join(sub, 'deep', 'work.txt'), 'precious');
      writeFileSync(path.join(sub, 'work.txt'), 'precious');
      expect(await repository.git('status', '--porcelain', '--ignore-submodules=none')).toBe('');
      expect((await uncommitted(confined))?.toSorted()).toEqual(['sub/deep', 'sub/work.txt']);
    },
  );

  it('nothing is looked for once it is one', async () => {
    const { repository, sub, uncommitted } = await withSubmodule();
    rmSync(sub, { recursive: true });
    await git(repository.root, ['clone', '--quiet', '.', 'sub'], repository.env);
    await git(sub, ['checkout', '--quiet', 'HEAD~'], repository.env);
    expect(await uncommitted()).toEqual([]);
    writeFileSync(path.join(sub, 'more'), 'x');
    expect(await uncommitted()).toEqual(['sub']);
  });

  it('there is one after a confined attempt: it is not looked into, and is not committed', async () => {
    const { repository, sub, uncommitted } = await withSubmodule();
    rmSync(sub, { recursive: true });
    await git(repository.root, ['clone', '--quiet', '.', 'sub'], repository.env);
    await git(sub, ['checkout', '--quiet', 'HEAD~'], repository.env);
    expect(await uncommitted(true)).toEqual(['sub']);
  });
});

describe('the commit of a repository within', () => {
  it('is only here where no remote of it has it', async () => {
    const { repository, sub, measure } = await withSubmodule();
    const onlyHere = async (since?: string) => (await measure(false, since)).onlyHere;
    expect(await onlyHere()).toEqual(['sub']); // nobody knows where it is
    rmSync(sub, { recursive: true });
    await git(repository.root, ['clone', '--quiet', '.', 'sub'], repository.env);
    expect(await onlyHere()).toEqual([]);
    const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
    const more = ['commit', '--quiet', '--allow-empty', '--message', 'More'];
    await git(sub, [...who, ...more], repository.env);
    await repository.git('add', 'sub');
    await repository.git('commit', '--quiet', '--message', 'Go on to more');
    expect(await onlyHere()).toEqual(['sub']);
    expect(await onlyHere('HEAD')).toEqual([]); // it was there already
  });
});
