import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryAt } from '../../test/measured-repository.js';
import { measureWorktree } from './measure.js';

describe('what could not be measured', () => {
  it('is unknown, never zero: commits since one that is not there', async () => {
    const { measure, start } = await repositoryAt();
    expect(await measure('0'.repeat(40))).toMatchObject({
      head: start,
      uncommitted: [],
      commits: undefined,
      descends: undefined,
      errors: [expect.stringContaining('0000')],
    });
  });

  it('is unknown where git finds no repository', async () => {
    const { repository, start } = await repositoryAt();
    rmSync(path.join(repository.root, '.git'), { recursive: true });
    const facts = await measureWorktree(repository.root, start, {
      ...repository.env,
      GIT_CEILING_DIRECTORIES: repository.directory,
    });
    expect(facts).toMatchObject({
      head: undefined,
      branch: undefined,
      uncommitted: undefined,
      commits: undefined,
      descends: undefined,
    });
    expect(facts.errors).toHaveLength(4);
  });

  it('is unknown where the index is broken, and the rest is known', async () => {
    const { repository, measure } = await repositoryAt();
    const hash = await repository.commit({ a: '1' });
    writeFileSync(path.join(repository.root, '.git', 'index'), 'broken');
    expect(await measure()).toMatchObject({
      head: undefined,
      uncommitted: undefined,
      commits: [{ hash }],
      descends: undefined,
    });
  });
});
