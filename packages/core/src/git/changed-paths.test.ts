import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryAt } from '../../test/measured-repository.js';
import { changedPaths } from './changed-paths.js';
import { unmeasured } from './measure.js';

async function changing(files: Record<string, string> = { 'a/old.txt': 'old\n'.repeat(20) }) {
  const { repository, start, measure } = await repositoryAt(files);
  const at = (name: string) => path.join(repository.root, name);
  return {
    repository,
    start,
    at,
    write(name: string, content = 'new\n') {
      mkdirSync(path.dirname(at(name)), { recursive: true });
      writeFileSync(at(name), content);
    },
    async changed(since = start) {
      const found = await changedPaths(repository.root, since, await measure(), repository.env);
      return 'error' in found ? found : { paths: found.paths };
    },
    /** What of it is known to be what. */
    async known() {
      const found = await changedPaths(repository.root, start, await measure(), repository.env);
      return 'error' in found ? found : { files: found.files, within: found.repositories };
    },
  };
}

describe('the paths that changed since a commit', () => {
  it('are none where nothing did', async () => {
    const { changed } = await changing();
    expect(await changed()).toEqual({ paths: [] });
  });

  it('are those committed, staged, not staged and untracked, each by its own name', async () => {
    const { repository, write, changed } = await changing({ 'a/one': '1', two: '2' });
    await repository.commit({ 'committed/file': 'x' }, 'Add it');
    write('staged');
    await repository.git('add', 'staged');
    write('a/one', 'changed');
    write('new/deep/er/file');
    write('.hidden/x');
    expect(await changed()).toEqual({
      paths: ['.hidden/x', 'a/one', 'committed/file', 'new/deep/er/file', 'staged'],
    });
  });

  it.each([true, false])('name both sides of a renaming, committed: %s', async (commits) => {
    const { repository, at, changed } = await changing();
    await repository.git('config', 'status.renames', 'copies');
    await repository.git('config', 'diff.renames', 'copies');
    renameSync(at('a/old.txt'), at('a/new.txt'));
    await repository.git('add', '-A');
    if (commits) await repository.git('commit', '-qm', 'Move it');
    expect(await changed()).toEqual({ paths: ['a/new.txt', 'a/old.txt'] });
  });

  it('count what was committed and then put back without a commit: HEAD has it changed', async () => {
    const { repository, write, changed } = await changing({ file: 'old' });
    await repository.commit({ file: 'new' }, 'Change it');
    write('file', 'old');
    expect(await changed()).toEqual({ paths: ['file'] });
  });

  it('do not count what was changed and put back by a commit', async () => {
    const { repository, changed } = await changing({ file: 'old' });
    await repository.commit({ file: 'new' }, 'Change it');
    await repository.commit({ file: 'old' }, 'Put it back');
    expect(await changed()).toEqual({ paths: [] });
  });

  it('are also what was removed, made executable, or replaced by a link', async () => {
    const { repository, at, changed } = await changing({ gone: '1', mode: '2', link: '3' });
    rmSync(at('gone'));
    rmSync(at('link'));
    symlinkSync('mode', at('link'));
    await repository.git('update-index', '--chmod=+x', 'mode');
    expect(await changed()).toEqual({ paths: ['gone', 'link', 'mode'] });
  });

  it.each(['--assume-unchanged', '--skip-worktree'])('are also hidden by %s', async (flag) => {
    const { repository, write, changed } = await changing({ file: 'old' });
    await repository.git('update-index', flag, 'file');
    write('file', 'new');
    expect(await changed()).toEqual({ paths: ['file'] });
  });

  it('have odd names as they are, and a repository within has one', async () => {
    const { repository, write, changed } = await changing({ file: '1' });
    for (const name of ['new\nline', '"quoted"', ' lead', 'ünï', '-dash']) write(name);
    write('within/x');
    await repository.git('-C', 'within', 'init', '-q');
    expect(await changed()).toEqual({
      paths: [' lead', '"quoted"', '-dash', 'new\nline', 'within', 'ünï'].toSorted(),
    });
  });

  it.each([true, false])('are files, links and what is gone, committed: %s', async (commits) => {
    const { repository, at, write, known } = await changing({ gone: '1', file: '2' });
    rmSync(at('gone'));
    write('file');
    write('new');
    symlinkSync('file', at('link'));
    await repository.git('add', '-A');
    if (commits) await repository.git('commit', '-qm', 'Change it');
    expect(await known()).toEqual({ files: ['file', 'gone', 'link', 'new'], within: [] });
  });

  it('are no files where they are a repository within, which is known once it is added', async () => {
    const { repository, write, known } = await changing({ file: '1' });
    const empty = { files: [], within: [] };
    write('within/x');
    await repository.git('-C', 'within', 'init', '-q');
    await repository.git('-C', 'within', 'add', '.');
    await repository.git(
      '-C',
      'within',
      '-c',
      'user.name=a',
      '-c',
      'user.email=a@example.com',
      'commit',
      '-qm',
      'Begin',
    );
    expect(await known()).toEqual(empty);
    await repository.git('add', 'within');
    expect(await known()).toEqual({ ...empty, within: ['within'] });
    await repository.git('commit', '-qm', 'Add it');
    expect(await known()).toEqual({ ...empty, within: ['within'] });
  });

  it('are not known to have changed where they are only hidden', async () => {
    const { repository, changed, known } = await changing({ file: '1' });
    await repository.git('update-index', '--assume-unchanged', 'file');
    writeFileSync(path.join(repository.root, 'file'), '2');
    expect(await changed()).toEqual({ paths: ['file'] });
    expect(await known()).toEqual({ files: [], within: [] });
  });

  it('are not hidden by what a repository says of its files', async () => {
    const { repository, changed } = await changing({ file: '1' });
    await repository.git('config', 'diff.ignoreSubmodules', 'all');
    await repository.git('config', 'diff.relative', 'true');
    await repository.commit({ '.gitattributes': '* -diff\n', 'deep/file': '2' }, 'Hide it');
    expect(await changed()).toEqual({ paths: ['.gitattributes', 'deep/file'] });
  });

  it('are unknown where git cannot say them', async () => {
    const { repository, start, changed } = await changing();
    expect(await changed('f'.repeat(40))).toEqual({ error: expect.stringContaining('fatal') });
    const nowhere = path.join(repository.root, 'nowhere');
    const facts = unmeasured('gone');
    expect(await changedPaths(nowhere, start, facts, repository.env)).toHaveProperty('error');
    expect(await changedPaths(repository.root, start, facts, repository.env)).toEqual({
      error: 'what is not committed is not known',
    });
  });
});
