import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { known } from '../../test/temporary.js';
import { type Place, expectWhole, place } from '../../test/worktree-place.js';
import { type NewWorktree, gitDirOf, repairWorktree } from './worktree.js';

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
