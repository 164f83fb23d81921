import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CleanOptions, clean } from '../src/clean.js';
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
    expect(cleaned.kept[0]).toMatchObject({ what: `review worktree ${mine}` });
    expect(readFileSync(path.join(mine, 'precious.txt'), 'utf8')).toBe('precious');
    expect(existsSync(worktree)).toBe(false);
  });
});
