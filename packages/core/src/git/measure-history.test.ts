import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryAt } from '../../test/measured-repository.js';
import { measureWorktree } from './measure.js';

describe('a history that was rewritten', () => {
  it.each([
    ['amended', ['commit', '--quiet', '--amend', '--allow-empty', '--message', 'Another']],
    ['reset to its parent', ['reset', '--quiet', '--hard', 'HEAD~1']],
    ['another altogether', ['checkout', '--quiet', '--orphan', 'new']],
  ])('because it was %s no longer descends', async (_, args) => {
    const { repository, measure } = await repositoryAt();
    const since = await repository.commit({ a: '1' });
    await repository.git(...args);
    if (args[0] === 'checkout') await repository.commit({ b: '1' });
    expect(await measure(since)).toMatchObject({ descends: false, errors: [] });
  });

  it('cannot be made to look whole by names of files or subjects', async () => {
    const { repository, measure } = await repositoryAt();
    const since = await repository.commit({ a: '1' });
    const fake = 'f'.repeat(40);
    await repository.git('reset', '--quiet', '--hard', 'HEAD~1');
    await repository.commit(
      { [`\x01${fake}`]: '', [since]: '', [`x\x01${fake}`]: '' },
      `Add\x01${fake}`,
    );
    await repository.git(
      'commit',
      '--quiet',
      '--allow-empty',
      '--message',
      `\x01${fake}\x01${since}`,
    );
    const { descends, commits } = await measure(since);
    expect(descends).toBe(false);
    expect(commits).toHaveLength(2);
  });

  it('cannot be made to look whole by replacing commits', async () => {
    const { repository, measure } = await repositoryAt();
    const since = await repository.commit({ a: '1' });
    await repository.git('reset', '--quiet', '--hard', 'HEAD~1');
    await repository.commit({ b: '1' });
    await repository.git('replace', '--graft', 'HEAD', since);
    expect(await measure(since)).toMatchObject({ descends: false });
  });

  it('cannot be made to look whole by grafts', async () => {
    const { repository, measure } = await repositoryAt();
    const since = await repository.commit({ a: '1' });
    await repository.git('reset', '--quiet', '--hard', 'HEAD~1');
    const anew = await repository.commit({ b: '1' });
    const info = path.join(repository.root, '.git', 'info');
    mkdirSync(info, { recursive: true });
    writeFileSync(path.join(info, 'grafts'), `${anew} ${since}\n`);
    expect(await repository.git('rev-parse', 'HEAD~1')).toBe(since);
    expect(await measure(since)).toMatchObject({ descends: false });
  });
});

describe('commits that another branch has too', () => {
  const base = async () => {
    const { repository, start } = await repositoryAt();
    await repository.git('switch', '--quiet', '--create', 'work');
    const facts = () => measureWorktree(repository.root, start, repository.env, { base: 'main' });
    const measure = async () => {
      const { commits, onBranch } = await facts();
      const subjects = (of: typeof commits) => of?.map(({ subject }) => subject);
      return { counted: subjects(commits), onBranch: subjects(onBranch) };
    };
    return { repository, facts, measure };
  };

  it('are not counted, and are on the branch', async () => {
    const { repository, measure } = await base();
    await repository.commit({ a: '1' }, 'One');
    await repository.git('update-ref', 'refs/heads/main', 'HEAD');
    expect(await measure()).toEqual({ counted: [], onBranch: ['One'] });
    await repository.commit({ a: '2' }, 'Two');
    expect(await measure()).toEqual({ counted: ['Two'], onBranch: ['One', 'Two'] });
  });

  it('are not named one by one where they were merged', async () => {
    const { repository, measure } = await base();
    await repository.commit({ a: '1' }, 'One');
    await repository.git('switch', '--quiet', 'main');
    await repository.commit({ b: '1' }, 'Of others');
    await repository.git('switch', '--quiet', 'work');
    await repository.git('merge', '--quiet', '--no-ff', '--message', 'Merge', 'main');
    expect(await measure()).toEqual({ counted: ['One', 'Merge'], onBranch: ['One', 'Merge'] });
  });

  it('are not named one by one where it took them in after it had given its own', async () => {
    const { repository, measure } = await base();
    await repository.commit({ a: '1' }, 'One');
    await repository.git('switch', '--quiet', 'main');
    await repository.git('merge', '--quiet', 'work');
    await repository.commit({ b: '1' }, 'Of others');
    await repository.git('switch', '--quiet', 'work');
    await repository.git('merge', '--quiet', '--no-ff', '--message', 'Merge', 'main');
    expect(await measure()).toEqual({ counted: ['Merge'], onBranch: ['One', 'Merge'] });
  });

  it('leave it to git what the others make of the content', async () => {
    const { repository, facts } = await base();
    await repository.commit({ a: '1' }, 'One');
    await repository.git('update-ref', 'refs/heads/main', 'HEAD');
    await repository.git('rm', '--quiet', 'a');
    await repository.git('commit', '--quiet', '--message', 'Take it back');
    expect(await facts()).toMatchObject({ differs: false, descends: true });
    await repository.commit({ b: '1' }, 'Two');
    expect(await facts()).toMatchObject({ differs: true, descends: true });
  });

  it('are on the branch also where it goes round them', async () => {
    const { repository, measure } = await base();
    await repository.commit({ a: '1' }, 'One');
    await repository.git('switch', '--quiet', '--detach', 'main');
    await repository.commit({ b: '1' }, 'Of others');
    await repository.git('update-ref', 'refs/heads/main', 'HEAD');
    await repository.git('merge', '--quiet', '--no-ff', '--message', 'Merge', 'work');
    const { onBranch } = await measure();
    expect(onBranch?.toSorted()).toEqual(['Merge', 'Of others', 'One']);
  });
});
