import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { giveAnswer } from '../src/testing/index.js';
import { done, expectError, expectNothingLeft, expectUntouched, outcomes, rig } from './rig.js';

describe('a repository', () => {
  it('has to be one', async () => {
    const used = await rig();
    await expectError(
      used.run([{ script: done }], { cwd: used.repository.home }),
      'NOT_A_REPOSITORY',
      /is in no git repository/,
    );
    await expectError(
      used.run([{ script: done }], { cwd: '/no/such/place' }),
      'NOT_A_REPOSITORY',
      /does not exist/,
    );
    await expectError(
      used.run([{ script: done }], { cwd: path.join(used.repository.root, '.git') }),
      'NOT_A_REPOSITORY',
      /inside a git directory/,
    );
    await expectUntouched(used);
  });

  it('needs a commit', async () => {
    const used = await rig({ files: {} });
    await expectError(used.run([{ script: done }]), 'NO_COMMITS', /has no commit yet/);
  });

  it('must not be bare', async () => {
    const used = await rig();
    const bare = path.join(used.repository.directory, 'bare.git');
    await used.repository.git('clone', '--quiet', '--bare', '.', bare);
    await expectError(
      used.run([{ script: done }], { cwd: bare }),
      'BARE_REPOSITORY',
      /is a bare repository/,
    );
  });

  it('may have a detached HEAD', async () => {
    const used = await rig();
    await used.repository.git('checkout', '--quiet', '--detach');
    expect(await used.run([{ script: done }])).toMatchObject({ state: 'completed' });
    await expectNothingLeft(used);
  });

  it.each([
    ['with spaces'],
    [`it's "quoted"`],
    ['ünïcödé 漢字'],
    ['a\nnewline'],
    ['$(touch x) `y` ;z'],
  ])('may lie in a directory called %j', async (name) => {
    const used = await rig({ name });
    const copy = { worktree: { copy: ['.env'], setup: [{ command: ['test', '-e', '.env'] }] } };
    await used.repository.commit({ '.gitignore': '.env\n' });
    used.repository.write({ '.env': 'A=1\n' });
    const review = `test -e done.txt && ${giveAnswer()}`;
    const result = await used.run([{ script: done }, { script: review, mode: 'review' }], {
      workflow: copy,
    });
    expect(outcomes(result)).toEqual(['1 completed', '2 completed']);
    await expectNothingLeft(used);
  });

  it('may be reached by symbolic links, and so may the place for worktrees', async () => {
    const used = await rig();
    const link = (name: string, to: string) => {
      symlinkSync(to, path.join(used.repository.directory, name));
      return path.join(used.repository.directory, name);
    };
    const env = { ...used.repository.env, HOME: link('home-link', used.repository.home) };
    const cwd = link('link', used.repository.root);
    const review = `test -e done.txt && ${giveAnswer()}`;
    const result = await used.run([{ script: done }, { script: review, mode: 'review' }], {
      cwd,
      env,
    });
    expect(outcomes(result)).toEqual(['1 completed', '2 completed']);
    await expectNothingLeft(used);
  });

  it('is the one of the directory, whatever GIT_DIR says', async () => {
    const used = await rig();
    const other = await rig();
    const env = {
      ...used.repository.env,
      GIT_DIR: path.join(other.repository.root, '.git'),
      GIT_WORK_TREE: other.repository.root,
    };
    expect(await used.run([{ script: done }], { env })).toMatchObject({ state: 'completed' });
    await expectUntouched(other);
  });

  it('may be a linked worktree of one', async () => {
    const used = await rig();
    const linked = path.join(used.repository.directory, 'linked');
    await used.repository.git('worktree', 'add', '--quiet', '-b', 'side', linked);
    expect(await used.run([{ script: done }], { cwd: linked })).toMatchObject({
      state: 'completed',
    });
    await used.repository.git('worktree', 'remove', linked);
    await expectNothingLeft(used);
  });
});

describe('the place for worktrees', () => {
  it('must not be inside the checkout', async () => {
    const used = await rig();
    const result = await used.run([{ script: done }], { workflow: { worktree: { dir: 'trees' } } });
    expect(result.problems.map(({ code }) => code)).toContain('WORKTREE_INSIDE_CHECKOUT');
  });

  it('must have no package above it that tools would pick up', async () => {
    const used = await rig();
    writeFileSync(path.join(used.repository.directory, 'package.json'), '{}');
    const result = await used.run([{ script: done }]);
    expect(result.problems.map(({ code }) => code)).toEqual(['WORKTREE_PLACE_FOREIGN']);
  });

  it('may hold something of the same name: it is left alone', async () => {
    const used = await rig();
    const dir = path.join(used.repository.directory, 'trees');
    mkdirSync(path.join(dir, 'test'), { recursive: true });
    writeFileSync(path.join(dir, 'test', 'precious'), 'x');
    const result = await used.run([{ script: done }], { workflow: { worktree: { dir } } });
    expect(result.problems.map(({ code }) => code)).toEqual(['WORKTREE_EXISTS']);
    expect(readdirSync(path.join(dir, 'test'))).toEqual(['precious']);
  });
});
