import { describe, expect, it } from 'vitest';
import { repositoryAt } from '../../test/measured-repository.js';

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
});
