import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Ignoring } from '../src/git/look.js';
import { type Repository, findRepository } from '../src/git/repository.js';
import { type Salvaged, saveWorktree } from '../src/git/salvage.js';
import { addWorktree } from '../src/git/worktree.js';
import type { TemporaryRepository } from '../src/testing/index.js';
import { repositoryForTest } from './temporary.js';

export interface SavedPlace {
  readonly used: TemporaryRepository;
  readonly repository: Repository;
  /** The worktree that is to be saved. */
  readonly directory: string;
  write(files: Readonly<Record<string, string | Buffer>>): void;
  git(...args: string[]): string;
  save(ignoring?: Ignoring): Promise<Salvaged | undefined>;
}

/** A worktree of a run, as `clean` finds it. */
export async function savedPlace(files: Readonly<Record<string, string>>): Promise<SavedPlace> {
  const used = await repositoryForTest({ files });
  const { root, env } = used;
  const repository = await findRepository(root, env);
  const directory = path.join(used.directory, 'worktrees', 'test');
  const commit = await used.git('rev-parse', 'HEAD');
  const worktree = { directory, branch: 'devflow/test/work', commit, reason: 'devflow run test' };
  await addWorktree(repository, worktree, env);
  return {
    used,
    repository,
    directory,
    write(contents) {
      for (const [name, content] of Object.entries(contents)) {
        mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
        writeFileSync(path.join(directory, name), content);
      }
    },
    git: (...args) =>
      execFileSync('git', args, { cwd: directory, env, encoding: 'utf8', stdio: 'pipe' }).trim(),
    save: async (ignoring = 'all-that-git-ignores') =>
      (await saveWorktree(repository, { run: 'test', directory, ignoring }, env)).kept,
  };
}
