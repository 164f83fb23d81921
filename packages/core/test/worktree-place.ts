import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { git } from '../src/git/git.js';
import { findRepository } from '../src/git/repository.js';
import type { NewWorktree } from '../src/git/worktree.js';
import type { TemporaryRepositoryOptions } from '../src/testing/index.js';
import { repositoryForTest } from './temporary.js';

/** A repository and the worktrees that it may get. */
export async function place(options?: TemporaryRepositoryOptions) {
  const files = { 'a file': 'content', 'sub/more': '' };
  const made = await repositoryForTest({ files, ...options });
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
export type Place = Awaited<ReturnType<typeof place>>;

/** It is there, filled, on its branch, and locked. */
export async function expectWhole(
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

/** What is checked out there, without a change. */
export async function headOf(directory: string, env: Record<string, string>) {
  const [commit, status] = [
    await git(directory, ['rev-parse', 'HEAD'], env),
    await git(directory, ['status', '--porcelain'], env),
  ];
  expect(status).toBe('');
  return { commit: commit.trim() };
}
