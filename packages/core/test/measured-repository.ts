import { measureWorktree } from '../src/git/measure.js';
import { repositoryForTest } from './temporary.js';

/** A repository, its first commit, and the facts of it since then. */
export async function repositoryAt(files?: Record<string, string>) {
  const repository = await repositoryForTest(files === undefined ? {} : { files });
  const start = await repository.git('rev-parse', 'HEAD');
  const measure = (since = start) => measureWorktree(repository.root, since, repository.env);
  return { repository, start, measure };
}
