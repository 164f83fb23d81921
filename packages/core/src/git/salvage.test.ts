import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type SavedPlace, savedPlace } from '../../test/saved-place.js';
import { fingerprint, listCommit, listFiles } from '../../test/tree-listing.js';
import { listSalvaged, saveCommit } from './salvage.js';
import { gitDirOf } from './worktree.js';

describe('a worktree that is saved', () => {
  it('is in the commit byte for byte: contents, modes, links, deletions, any name', async () => {
    const { used, directory, write, git, save } = await savedPlace({
      '.gitattributes': '* text=auto eol=crlf\n*.loud filter=loud\n',
      '.gitignore': '*.ignored\n',
      modified: 'before\n',
      deleted: 'x',
      'moved/from': 'moved\n',
      script: '#!/bin/sh\n',
      link: 'to be a link',
      'was/a/directory': 'x',
      'was-a-file': 'x',
      'assumed.txt': 'x',
      'skipped.txt': 'x',
      'uncached.ignored-later': 'x',
      'same.txt': 'same\n',
    });
    await used.git('config', 'filter.loud.clean', 'tr a-z A-Z');
    write({
      modified: 'one\r\ntwo\n\0three\r',
      'name with spaces': 'a',
      'line\nbreak': 'b',
      '"quoted" \\ tab\t': 'c',
      'ends with return\r': 'd',
      '-n': 'e',
      'ü/☃': 'f',
      'crlf.txt': 'x\r\ny\r\n',
      'filtered.loud': 'quiet',
      empty: '',
      'not-saved.ignored': 'ignored',
      'forced.ignored': 'forced',
      'staged-then-changed': 'staged',
      'assumed.txt': 'changed behind the back of git',
      'skipped.txt': 'changed too',
    });
    rmSync(path.join(directory, 'deleted'));
    renameSync(path.join(directory, 'moved'), path.join(directory, 'elsewhere'));
    chmodSync(path.join(directory, 'script'), 0o755);
    rmSync(path.join(directory, 'link'));
    symlinkSync('nowhere/\u00fc at all', path.join(directory, 'link'));
    symlinkSync('elsewhere', path.join(directory, 'link to a directory'));
    rmSync(path.join(directory, 'was'), { recursive: true });
    rmSync(path.join(directory, 'was-a-file'));
    write({ was: 'a file now', 'was-a-file/now': 'in a directory' });
    git('add', '--force', 'forced.ignored', 'staged-then-changed');
    write({ 'staged-then-changed': 'changed', 'forced.ignored': 'forced, and changed' });
    git('update-index', '--assume-unchanged', 'assumed.txt');
    git('update-index', '--skip-worktree', 'skipped.txt');
    git('rm', '--quiet', '--cached', 'uncached.ignored-later');
    const latin1 = Buffer.concat([Buffer.from(`${directory}/`), Buffer.from('caf\xe9', 'latin1')]);
    writeFileSync(latin1, 'g');
    const { 'not-saved.ignored': _, ...expected } = listFiles(directory);

    const saved = await save();
    expect(saved).toMatchObject({
      ref: 'refs/devflow/salvage/test/1',
      run: 'test',
      number: 1,
      holds: 'files',
      subject: 'devflow salvage: what was not committed in the run test',
    });
    // What nobody changed stays as it is committed: git had converted its ends of line.
    const { 'same.txt': same, '.gitattributes': a, '.gitignore': b } = listCommit(used, 'HEAD');
    const unchanged = { 'same.txt': same, '.gitattributes': a, '.gitignore': b };
    expect(listCommit(used, saved?.commit ?? '')).toEqual({ ...expected, ...unchanged });
    expect(git('rev-parse', `${saved?.ref}^1`)).toBe(git('rev-parse', 'HEAD'));
    expect(git('show', `${saved?.ref}^2:staged-then-changed`)).toBe('staged');
    expect(git('show', '--no-patch', '--format=%B', saved?.ref ?? '')).toMatch(
      /of .*worktrees\/test,\nsaved on \d{4}-.*what git ignored is not among them/s,
    );
  });

  it('is not touched, nor its index, its hooks, its branch', async () => {
    const { used, directory, write, git, save } = await savedPlace({ 'a.txt': 'x' });
    const hooks = path.join(used.root, '.git', 'hooks');
    for (const name of ['reference-transaction', 'post-index-change', 'pre-commit'])
      writeFileSync(path.join(hooks, name), `#!/bin/sh\ntouch '${used.directory}/hook-ran'\n`, {
        mode: 0o755,
      });
    write({ 'a.txt': 'y', new: 'z' });
    const gitDir = gitDirOf(directory) ?? '';
    const [files, metadata, refs] = [fingerprint(directory), fingerprint(gitDir), git('show-ref')];
    const saved = await save();
    expect(fingerprint(directory)).toEqual(files);
    expect(fingerprint(gitDir)).toEqual(metadata);
    expect(git('show-ref').split('\n').toSorted()).toEqual(
      [...refs.split('\n'), `${saved?.commit} ${saved?.ref}`].toSorted(),
    );
    expect(readdirSync(used.directory)).not.toContain('hook-ran');
  });

  it('is signed by nobody, and by devflow where git knows no user', async () => {
    const { used, write, git, save } = await savedPlace({ 'a.txt': 'x' });
    await used.git('config', 'commit.gpgSign', 'true');
    await used.git('config', '--unset', 'user.email');
    write({ new: 'z' });
    const saved = await save();
    expect(git('show', '--no-patch', '--format=%an <%ae> %G?', saved?.ref ?? '')).toBe(
      'devflow <devflow@localhost> N',
    );
  });

  it('is counted up, and nothing is overwritten', async () => {
    const { used, repository, write, git, save } = await savedPlace({ 'a.txt': 'x' });
    write({ new: 'one' });
    const first = await save();
    const head = git('rev-parse', 'HEAD');
    await saveCommit(repository, 'test', head, used.env);
    write({ new: 'two' });
    await save();
    const tree = git('rev-parse', 'HEAD^{tree}');
    const more = ['a', 'b'].map((name) => git('commit-tree', tree, '-m', name));
    await Promise.all(more.map((each) => saveCommit(repository, 'test', each, used.env)));
    // What is kept already is not kept again.
    expect(await saveCommit(repository, 'test', head, used.env)).toMatchObject({ number: 2 });
    const all = await listSalvaged(repository, used.env);
    expect(all.map(({ number, holds }) => `${number} ${holds}`)).toEqual([
      '1 files',
      '2 commits',
      '3 files',
      '4 commits',
      '5 commits',
    ]);
    expect(all[0]?.commit).toBe(first?.commit);
    expect(all[1]?.commit).toBe(head);
    expect(git('show', `${all[2]?.ref}:new`)).toBe('two');
  });

  it('is listed and counted also where a commit has a date that is none', async () => {
    const { used, repository, git } = await savedPlace({ 'a.txt': 'x' });
    const head = git('cat-file', 'commit', 'HEAD');
    for (const date of ['1700000000 +2500', '99999999999999999 +0000']) {
      const odd = head.replace(/^committer .*$/m, `committer a <a@example.com> ${date}`);
      const args = ['hash-object', '-t', 'commit', '-w', '--stdin', '--literally'];
      const commit = execFileSync('git', args, {
        cwd: used.root,
        env: used.env,
        input: `${odd}\n`,
      });
      await saveCommit(repository, 'test', commit.toString().trim(), used.env);
    }
    const all = await listSalvaged(repository, used.env);
    expect(all.map(({ number, at }) => `${number} ${at}`)).toEqual([
      '1 2023-11-14T22:13:20.000Z',
      '2 undefined',
    ]);
  });

  it('with all committed needs no saving, unless no branch has its commit', async () => {
    const { git, save } = await savedPlace({ 'a.txt': 'x' });
    expect(await save()).toBeUndefined();
    git('switch', '--quiet', '--detach');
    expect(await save()).toBeUndefined();
    git('commit', '--quiet', '--allow-empty', '--message', 'on no branch');
    expect(await save()).toMatchObject({ holds: 'commits', commit: git('rev-parse', 'HEAD') });
  });

  it('believes info/exclude only where it is told to', async () => {
    const { used, directory, write, git, save } = await savedPlace({ '.gitignore': 'ignored\n' });
    writeFileSync(path.join(used.root, '.git', 'info', 'exclude'), 'hidden\n');
    write({ hidden: 'x', ignored: 'y' });
    expect(await save('all-that-git-ignores')).toBeUndefined();
    const saved = await save('not-info-exclude');
    expect(git('ls-tree', '-r', '--name-only', saved?.ref ?? '')).toBe('.gitignore\nhidden');
    expect(readdirSync(directory)).toContain('hidden');
  });

  it('does not take what a sparse checkout leaves out for deleted', async () => {
    const { git, write, save } = await savedPlace({ 'in/a': 'x', 'out/b': 'y' });
    git('sparse-checkout', 'set', 'in');
    write({ 'in/new': 'z' });
    const saved = await save();
    expect(git('ls-tree', '-r', '--name-only', saved?.ref ?? '')).toBe('in/a\nin/new\nout/b');
  });
});

describe('a worktree that cannot be saved', () => {
  const refused = async ({ save, repository, used }: SavedPlace, why: RegExp) => {
    const error = await save().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ name: 'DevflowError', code: 'SALVAGE_FAILED' });
    expect((error as Error).message).toMatch(why);
    expect(await listSalvaged(repository, used.env)).toEqual([]);
  };

  it.each([
    ['with commits', 'vendor', true],
    ['without commits', 'vendor', false],
    ['around tracked files', 'tracked', false],
  ])('for a repository within %s is refused', async (_, name, commits) => {
    const here = await savedPlace({ 'tracked/file': 'x' });
    here.git('init', '--quiet', name);
    here.write({ [`${name}/own.txt`]: 'x', other: 'y' });
    if (commits) {
      here.git('-C', name, 'add', '.');
      const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
      here.git('-C', name, ...who, 'commit', '--quiet', '--message', 'x');
    }
    await refused(here, new RegExp(`a repository of its own in .*: ${name}`));
  });

  it('for a merge that is not ended is refused', async () => {
    const here = await savedPlace({ 'a.txt': 'x' });
    here.git('switch', '--quiet', '--create', 'other');
    here.write({ 'a.txt': 'other' });
    here.git('commit', '--quiet', '--all', '--message', 'other');
    here.git('switch', '--quiet', 'devflow/test/work');
    here.write({ 'a.txt': 'work' });
    here.git('commit', '--quiet', '--all', '--message', 'work');
    expect(() => here.git('merge', '--quiet', 'other')).toThrow('Command failed');
    await refused(here, /in the middle of a merge/);
  });

  it('for a name that git does not take is refused', async () => {
    const here = await savedPlace({ 'a.txt': 'x' });
    here.write({ 'git~1': 'x' });
    await refused(here, /git~1/);
  });

  it('for a .git that leads to another repository is refused', async () => {
    const here = await savedPlace({ 'a.txt': 'x' });
    writeFileSync(path.join(here.directory, '.git'), `gitdir: ${here.used.root}/.git\n`);
    here.write({ new: 'x' });
    await refused(here, /no worktree of this repository any more/);
  });

  it('for a file in the place of the refs is refused', async () => {
    const here = await savedPlace({ 'a.txt': 'x' });
    mkdirSync(path.join(here.used.root, '.git/refs/devflow'));
    writeFileSync(path.join(here.used.root, '.git/refs/devflow/salvage'), '');
    here.write({ new: 'x' });
    await refused(here, /update-ref/);
  });
});
