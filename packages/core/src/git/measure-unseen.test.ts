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
  const uncommitted = async (confined = false) =>
    (await measureWorktree(repository.root, commit, repository.env, { confined })).uncommitted;
  return { repository, sub, uncommitted };
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
