import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryForTest } from '../../test/temporary.js';
import { deleteBranch, readBranch } from './branch.js';
import { findRepository } from './repository.js';

async function withBranch() {
  const used = await repositoryForTest({ files: { 'a.txt': 'x' } });
  const { root, env, git } = used;
  await git('branch', 'devflow/test/work');
  const commit = await git('rev-parse', 'HEAD');
  await git('commit', '--quiet', '--allow-empty', '--message', 'later');
  const later = await git('rev-parse', 'HEAD');
  return { used, git, env, commit, later, repository: await findRepository(root, env) };
}

const branch = 'devflow/test/work';

describe('a branch that is deleted', () => {
  it('goes with its settings, and with those of no other', async () => {
    const { git, env, commit, repository } = await withBranch();
    await git('config', `branch.${branch}.remote`, 'origin');
    await git('config', 'branch.devflow/test/worker.remote', 'origin');
    const judged = { branch, commit, judge: () => undefined };
    expect(await deleteBranch(repository, judged, env)).toBeUndefined();
    expect(await git('branch', '--list', branch)).toBe('');
    expect(await git('config', '--local', '--name-only', '--get-regexp', '^branch')).toBe(
      'branch.devflow/test/worker.remote',
    );
  });

  it('stays where it has moved since it was judged', async () => {
    const { git, env, commit, later, repository } = await withBranch();
    await git('branch', '--force', branch, later);
    const judged = { branch, commit, judge: () => undefined };
    expect(await deleteBranch(repository, judged, env)).toBe('it has moved meanwhile');
    expect(await git('rev-parse', branch)).toBe(later);
  });

  it('stays where it moves in the very moment', async () => {
    const { used, git, env, commit, later, repository } = await withBranch();
    const judge = () => {
      execFileSync('git', ['branch', '--force', branch, later], { cwd: used.root, env });
      return undefined;
    };
    expect(await deleteBranch(repository, { branch, commit, judge }, env)).toContain(commit);
    expect(await git('rev-parse', branch)).toBe(later);
  });

  it('stays where the second judgement says so', async () => {
    const { git, env, commit, repository } = await withBranch();
    const judged = { branch, commit, judge: () => 'no' };
    expect(await deleteBranch(repository, judged, env)).toBe('no');
    expect(await git('rev-parse', branch)).toBe(commit);
  });
});

it('a branch that is being rebased is known to be in use', async () => {
  const { used, git, env, repository } = await withBranch();
  expect((await readBranch(repository, branch, env))?.inUse).toBeUndefined();
  const directory = path.join(used.directory, 'elsewhere');
  await git('worktree', 'add', '--quiet', directory, branch);
  await git('-C', directory, 'commit', '--quiet', '--allow-empty', '--message', 'own');
  const rebase = ['rebase', '--quiet', '--force-rebase', '--exec', 'false', 'main'];
  await git('-C', directory, ...rebase).catch(() => undefined);
  const facts = await readBranch(repository, branch, env);
  expect(facts?.inUse).toBe(
    `git is in the middle of a rebase of it in ${directory}: end or abort that there`,
  );
});
