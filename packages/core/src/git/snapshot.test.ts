import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { savedPlace } from '../../test/saved-place.js';
import { listCommit } from '../../test/tree-listing.js';
import { until } from '../../test/rig.js';
import { removeSavedWorktree } from './remove-saved.js';
import { withRepositoryLock } from './repository-lock.js';
import { listSalvaged } from './salvage.js';
import { gitDirOf } from './worktree.js';

describe('what git itself does not show', () => {
  it('is saved: a file that is ignored, and only to be added', async () => {
    const { used, git, write, save } = await savedPlace({ '.gitignore': '*.log\n' });
    write({ 'keep.log': 'kept', 'not.log': 'ignored' });
    git('add', '--force', '--intent-to-add', 'keep.log');
    const saved = await save();
    expect(listCommit(used, saved?.commit ?? '')).toEqual({
      '.gitignore': '100644 *.log\n',
      'keep.log': '100644 kept',
    });
  });

  it('is saved: a change that a filter takes back, without its program', async () => {
    const { used, directory, git, write, save } = await savedPlace({
      '.gitattributes': 'a.txt filter=hide\n',
      'a.txt': 'x\n',
      'b.txt': 'y\n',
    });
    const ran = path.join(used.directory, 'ran');
    for (const side of ['clean', 'smudge'])
      await used.git('config', `filter.hide.${side}`, `touch '${ran}'; echo x`);
    await used.git('config', 'filter.hide.required', 'true');
    write({ 'a.txt': 'precious\n' });
    const saved = await save();
    expect(git('show', `${saved?.ref}:a.txt`)).toBe('precious');
    expect(git('diff', '--name-only', 'HEAD', saved?.ref ?? '')).toBe('a.txt');
    expect(existsSync(ran)).toBe(false);
    expect(readFileSync(path.join(directory, 'a.txt'), 'utf8')).toBe('precious\n');
  });

  it('is saved: ends of lines that are neither as committed nor as checked out', async () => {
    const { used, git, write, save } = await savedPlace({
      'mixed.txt': 'one\ntwo\n',
      'checked-out.txt': 'one\ntwo\n',
    });
    await used.git('config', 'core.autocrlf', 'true');
    write({ 'mixed.txt': 'one\r\ntwo\n', 'checked-out.txt': 'one\r\ntwo\r\n', new: 'z' });
    const saved = await save();
    expect(listCommit(used, saved?.commit ?? '')['mixed.txt']).toBe('100644 one\r\ntwo\n');
    expect(git('diff', '--name-only', 'HEAD', saved?.ref ?? '')).toBe('mixed.txt\nnew');
  });

  it('is a deletion, where a directory is a link to another by now', async () => {
    const { used, directory, write, save } = await savedPlace({ 'in/a': 'x', 'in/b': 'y' });
    const elsewhere = path.join(used.directory, 'elsewhere');
    renameSync(path.join(directory, 'in'), elsewhere);
    symlinkSync(elsewhere, path.join(directory, 'in'));
    const saved = await save();
    expect(listCommit(used, saved?.commit ?? '')).toEqual({ in: `120000 ${elsewhere}` });
    write({ '.gitignore': 'in\n' });
    const ignored = await save();
    expect(listCommit(used, ignored?.commit ?? '')).toEqual({ '.gitignore': '100644 in\n' });
  });
});

describe('a submodule', () => {
  const withGitlink = async () => {
    const here = await savedPlace({ 'a.txt': 'x' });
    const commit = here.git('rev-parse', 'HEAD');
    here.git('update-index', '--add', '--cacheinfo', `160000,${commit},vendor`);
    here.git('commit', '--quiet', '--message', 'vendor');
    mkdirSync(path.join(here.directory, 'vendor'), { recursive: true });
    here.write({ new: 'z' });
    return here;
  };

  it('that is not set up is as it is committed', async () => {
    const { git, save } = await withGitlink();
    const saved = await save();
    expect(git('diff', '--name-only', 'HEAD', saved?.ref ?? '')).toBe('new');
  });

  it('with files in its place is refused', async () => {
    const { write, save } = await withGitlink();
    write({ 'vendor/own.txt': 'precious' });
    await expect(save()).rejects.toThrow(/files in the place of the submodule vendor/);
  });

  it('whose repository git still keeps is refused', async () => {
    const { directory, save } = await withGitlink();
    mkdirSync(path.join(gitDirOf(directory) ?? '', 'modules', 'vendor'), { recursive: true });
    await expect(save()).rejects.toThrow(/repositories of their own/);
  });
});

describe('a worktree that is removed once it is saved', () => {
  it('is saved again where it changes before it goes', async () => {
    const { used, repository, directory, git, write } = await savedPlace({ 'a.txt': 'x' });
    const doomed = { run: 'test', directory, ignoring: 'all-that-git-ignores' } as const;
    write({ new: 'early' });
    const blob = git('hash-object', 'new');
    const isHashed = () => {
      try {
        return git('cat-file', '-t', blob) === 'blob';
      } catch {
        return false;
      }
    };
    let removing: ReturnType<typeof removeSavedWorktree> | undefined;
    // While another holds the lock it is looked at and hashed, and what works there goes on.
    await withRepositoryLock(repository.commonDir, async () => {
      removing = removeSavedWorktree(repository, doomed, used.env);
      await until(isHashed);
      write({ new: 'later', late: 'late' });
    });
    expect(await removing).toMatchObject({
      refusal: undefined,
      saved: [{ number: 1 }, { number: 2 }],
    });
    expect(existsSync(directory)).toBe(false);
    expect(await used.git('show', 'refs/devflow/salvage/test/2:new')).toBe('later');
    expect(await used.git('show', 'refs/devflow/salvage/test/2:late')).toBe('late');
  });

  it('is saved once where it cannot be removed, however often that is tried', async () => {
    const { repository, write, save, used } = await savedPlace({ 'a.txt': 'x' });
    write({ new: 'early' });
    const first = await save();
    expect(await save()).toEqual(first);
    expect(await listSalvaged(repository, used.env)).toHaveLength(1);
  });
});
