import { chmodSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryAt } from '../../test/measured-repository.js';
import { unmeasured } from './measure.js';
import { type WorktreeState, changesBetween, worktreeState } from './worktree-state.js';

async function stateOf() {
  const { repository, measure } = await repositoryAt({ a: '1', b: '1' });
  const state = async () =>
    worktreeState(repository.root, await measure()) as unknown as WorktreeState;
  return { repository, state, at: (name: string) => path.join(repository.root, name) };
}

describe('a worktree is as it was', () => {
  it('where a file was changed and put back, or written anew as it was', async () => {
    const { state, at } = await stateOf();
    writeFileSync(at('a'), '2');
    writeFileSync(at('new'), 'x');
    const before = await state();
    writeFileSync(at('b'), '2');
    writeFileSync(at('a'), '3');
    rmSync(at('new'));
    expect(changesBetween(before, await state())).toEqual(['a', 'b', 'new']);
    writeFileSync(at('b'), '1');
    writeFileSync(at('a'), '2');
    writeFileSync(at('new'), 'x');
    expect(changesBetween(before, await state())).toEqual([]);
  });

  it('not where a large file was changed, and its time put back', async () => {
    const { state, at } = await stateOf();
    writeFileSync(at('large'), Buffer.alloc(1_000_001, 'a'));
    utimesSync(at('large'), 1, 1);
    const before = await state();
    writeFileSync(at('large'), Buffer.alloc(1_000_001, 'b'));
    utimesSync(at('large'), 1, 1);
    expect(changesBetween(before, await state())).toEqual(['large']);
  });

  it('not where a file became a link', async () => {
    const { state, at } = await stateOf();
    writeFileSync(at('new'), '1');
    const before = await state();
    rmSync(at('new'));
    symlinkSync('a', at('new'));
    const link = await state();
    expect(changesBetween(before, link)).toEqual(['new']);
    rmSync(at('new'));
    symlinkSync('b', at('new'));
    expect(changesBetween(link, await state())).toEqual(['new']);
  });

  it('not where a file may be run that could not', async () => {
    const { state, at } = await stateOf();
    writeFileSync(at('new'), '1', { mode: 0o644 });
    const before = await state();
    chmodSync(at('new'), 0o755);
    expect(changesBetween(before, await state())).toEqual(['new']);
  });

  it('where git wrote for itself in a repository within, not where a file there was changed', async () => {
    const { repository, state, at } = await stateOf();
    await repository.git('init', '--quiet', at('within'));
    writeFileSync(at('within/file'), '1');
    const before = await state();
    writeFileSync(at('within/.git/note'), '1');
    expect(changesBetween(before, await state())).toEqual([]);
    writeFileSync(at('within/file'), '2');
    expect(changesBetween(before, await state())).toEqual(['within/']);
  });

  it('not where a merge is under way that changes nothing', async () => {
    const { repository, state } = await stateOf();
    await repository.git('switch', '--quiet', '--create', 'other');
    await repository.git('commit', '--quiet', '--allow-empty', '--message', 'Nothing');
    await repository.git('switch', '--quiet', 'main');
    const before = await state();
    await repository.git('merge', '--quiet', '--no-commit', '--no-ff', 'other');
    expect(changesBetween(before, await state())).toEqual(['a merge']);
    expect(changesBetween(await state(), before)).toEqual(['no longer a merge']);
  });

  it('nobody knows where git could not be asked', () => {
    expect(worktreeState('/', unmeasured('no git'))).toBeUndefined();
  });
});
