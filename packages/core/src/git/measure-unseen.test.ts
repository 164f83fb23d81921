import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryAt } from '../../test/measured-repository.js';
import { git } from './git.js';
import { measureWorktree } from './measure.js';

/** A repository that names another's commit at `sub`, as a worktree has it: an empty directory. */
async function withSubmodule() {
  const { repository } = await repositoryAt();
  const commit = await repository.git('rev-parse', 'HEAD');
  await repository.git('update-index', '--add', '--cacheinfo', `160000,${commit},sub`);
  await repository.git('commit', '--quiet', '--message', 'Name another repository');
  const sub = path.join(repository.root, 'sub');
  mkdirSync(sub);
  const measure = (confined = false, since = commit, base?: string) =>
    measureWorktree(repository.root, since, repository.env, {
      confined,
      ...(base !== undefined && { base }),
    });
  const uncommitted = async (confined = false) => (await measure(confined)).uncommitted;
  return { repository, sub, measure, uncommitted };
}

describe('in the place of a repository within that is not there', () => {
  it.each([false, true])(
    'what is written counts as not committed (confined: %s)',
    async (confined) => {
      const { repository, sub, uncommitted } = await withSubmodule();
      expect(await uncommitted(confined)).toEqual([]);
      mkdirSync(path.join(sub, 'deep'));
      writeFileSync(path.join(sub, 'deep', 'work.txt'), 'precious');
      writeFileSync(path.join(sub, 'work.txt'), 'precious');
      expect(await repository.git('status', '--porcelain', '--ignore-submodules=none')).toBe('');
      expect((await uncommitted(confined))?.toSorted()).toEqual(['sub/deep', 'sub/work.txt']);
    },
  );

  it('nothing is looked for once it is one', async () => {
    const { repository, sub, uncommitted } = await withSubmodule();
    rmSync(sub, { recursive: true });
    await git(repository.root, ['clone', '--quiet', '.', 'sub'], repository.env);
    await git(sub, ['checkout', '--quiet', 'HEAD~'], repository.env);
    expect(await uncommitted()).toEqual([]);
    writeFileSync(path.join(sub, 'more'), 'x');
    expect(await uncommitted()).toEqual(['sub']);
  });

  it('there is one after a confined attempt: it is not looked into, and is not committed', async () => {
    const { repository, sub, uncommitted } = await withSubmodule();
    rmSync(sub, { recursive: true });
    await git(repository.root, ['clone', '--quiet', '.', 'sub'], repository.env);
    await git(sub, ['checkout', '--quiet', 'HEAD~'], repository.env);
    expect(await uncommitted(true)).toEqual(['sub']);
  });
});

describe('a repository within', () => {
  async function withClone() {
    const made = await withSubmodule();
    const { repository, sub } = made;
    rmSync(sub, { recursive: true });
    await git(repository.root, ['clone', '--quiet', '.', 'sub'], repository.env);
    await git(sub, ['checkout', '--quiet', 'HEAD~'], repository.env);
    const inSub = (...args: string[]) => git(sub, args, repository.env);
    expect(await made.uncommitted()).toEqual([]);
    return { ...made, inSub };
  }

  it.each(['--assume-unchanged', '--skip-worktree'])('hides nothing by %s', async (flag) => {
    const { sub, inSub, uncommitted } = await withClone();
    await inSub('update-index', flag, 'README.md');
    expect(await uncommitted()).toEqual([]);
    writeFileSync(path.join(sub, 'README.md'), 'precious');
    expect(await uncommitted()).toEqual(['sub']);
  });

  it('hides nothing by saying that its files are elsewhere', async () => {
    const { repository, sub, inSub, uncommitted } = await withClone();
    const elsewhere = path.join(repository.home, 'elsewhere');
    cpSync(sub, elsewhere, { recursive: true });
    await inSub('config', 'core.worktree', elsewhere);
    writeFileSync(path.join(sub, 'README.md'), 'precious');
    expect(await uncommitted()).toEqual(['sub']);
  });

  it('whose name is no text is not committed: there is no asking for it', async () => {
    const { repository, uncommitted } = await withSubmodule();
    const commit = await repository.git('rev-parse', 'HEAD');
    const entry = `mkdir "$(printf 'h\\351')"; printf '160000 ${commit}\\th\\351' | git update-index --index-info`;
    execFileSync('sh', ['-c', entry], { cwd: repository.root, env: { ...repository.env } });
    await repository.git('commit', '--quiet', '--message', 'Name one more');
    expect(await uncommitted()).toContain('h\uFFFD');
  });
});

describe('a file that a sparse checkout leaves out', () => {
  it('is left out only where it is not there, also by a name that is no text', async () => {
    const { repository } = await repositoryAt();
    const sh = (script: string) =>
      execFileSync('sh', ['-c', script], { cwd: repository.root, env: { ...repository.env } });
    const name = `"$(printf 'h\\351')"`;
    sh(`echo x >${name}; git add .; git commit -qm More; git config core.sparseCheckout true`);
    sh(`git config sparse.expectFilesOutsideOfPatterns true`); // git would look whether they are there
    sh(`git update-index --skip-worktree ${name}; rm ${name}`);
    const uncommitted = async () =>
      (await measureWorktree(repository.root, 'HEAD', repository.env)).uncommitted;
    expect(await uncommitted()).toEqual([]);
    sh(`echo precious >${name}`);
    expect(await uncommitted()).toEqual(['h\uFFFD']);
  });
});

describe('the commit of a repository within', () => {
  it('is only here where no remote of it has it', async () => {
    const { repository, sub, measure } = await withSubmodule();
    const onlyHere = async (since?: string) => (await measure(false, since)).onlyHere;
    expect(await onlyHere()).toEqual(['sub']); // nobody knows where it is
    rmSync(sub, { recursive: true });
    await git(repository.root, ['clone', '--quiet', '.', 'sub'], repository.env);
    expect(await onlyHere()).toEqual([]);
    const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
    const more = ['commit', '--quiet', '--allow-empty', '--message', 'More'];
    await git(sub, [...who, ...more], repository.env);
    await repository.git('add', 'sub');
    await repository.git('commit', '--quiet', '--message', 'Go on to more');
    expect(await onlyHere()).toEqual(['sub']);
    expect(await onlyHere('HEAD')).toEqual([]); // it was there already
  });

  it('is not believed after a confined attempt, nor after it was taken out of the index', async () => {
    const { repository, sub, measure } = await withSubmodule();
    expect((await measure(true)).onlyHere).toEqual(['sub']);
    rmSync(sub, { recursive: true });
    await repository.git('rm', '--quiet', '--cached', 'sub');
    expect((await measure()).onlyHere).toEqual(['sub']);
  });

  it('is not only here where the base branch has it, or that of a remote', async () => {
    const { repository, measure } = await withSubmodule();
    const onlyHere = async () => (await measure(false, undefined, 'trunk')).onlyHere;
    await repository.git('update-ref', 'refs/heads/trunk', 'HEAD~');
    expect(await onlyHere()).toEqual(['sub']);
    await repository.git('update-ref', 'refs/remotes/origin/trunk', 'HEAD');
    expect(await onlyHere()).toEqual([]);
    await repository.git('update-ref', '-d', 'refs/remotes/origin/trunk');
    await repository.git('update-ref', 'refs/heads/trunk', 'HEAD');
    expect(await onlyHere()).toEqual([]);
  });

  it('is only here where one within it is', async () => {
    const { repository, sub, measure } = await withSubmodule();
    rmSync(sub, { recursive: true });
    await git(repository.root, ['clone', '--quiet', '.', 'sub'], repository.env);
    await git(sub, ['checkout', '--quiet', 'origin/HEAD'], repository.env); // it names one at `sub` itself
    await repository.git('add', 'sub');
    await repository.git('commit', '--quiet', '--message', 'Take one that names another');
    expect((await measure()).onlyHere).toEqual([]); // nobody has set it up
    await git(sub, ['init', '--quiet', 'sub'], repository.env);
    expect((await measure()).onlyHere).toEqual(['sub/sub']);
  });
});
