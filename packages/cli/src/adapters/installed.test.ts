import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { type TemporaryRepository, temporaryRepository } from '@devflow/core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localCode } from './installed.js';

let repository: TemporaryRepository;
beforeEach(async () => {
  repository = await temporaryRepository({ files: { 'README.md': '' } });
});
afterEach(() => repository.remove());

const at = (name: string) => path.join(repository.root, name);
const write = (...files: string[]) =>
  repository.write(Object.fromEntries(files.map((file) => [file, ''])));
const link = (to: string, name: string) => {
  mkdirSync(path.dirname(at(name)), { recursive: true });
  symlinkSync(to, at(name));
};
/** What a person confirms of the package, relative to the repository. */
const local = async (file: string, name: string, base = '') => {
  const found = await localCode(at(file), name, at(base), { ...repository.env });
  return found === undefined ? undefined : path.relative(repository.root, found);
};

describe('of a package that is asked for, what is confirmed', () => {
  it('is nothing where it was installed, there or above', async () => {
    write('node_modules/one/index.js', 'sub/README.md', '../node_modules/above/index.js');
    expect(await local('node_modules/one/index.js', 'one')).toBeUndefined();
    expect(await local('node_modules/one/index.js', 'one', 'sub')).toBeUndefined();
    expect(await local('../node_modules/above/index.js', 'above/index', 'sub')).toBeUndefined();
  });

  it('is nothing where a link leads to a store in the same node_modules', async () => {
    const store = 'node_modules/.store/one/node_modules/@here/one';
    write(`${store}/index.js`);
    link(path.relative('node_modules/@here', store), 'node_modules/@here/one');
    expect(await local(`${store}/index.js`, '@here/one')).toBeUndefined();
  });

  it('is the whole of it where git tracks it, in a scope too', async () => {
    write('node_modules/evil/lib/index.js', 'node_modules/@here/evil/index.js');
    await repository.git('add', '--force', 'node_modules');
    expect(await local('node_modules/evil/lib/index.js', 'evil')).toBe('node_modules/evil');
    const scoped = await local('node_modules/@here/evil/index.js', '@here/evil/index.js');
    expect(scoped).toBe('node_modules/@here/evil');
  });

  it('is the whole of it where git tracks anything beside it, which it may import', async () => {
    write('node_modules/one/index.js', 'node_modules/evil/index.js');
    await repository.git('add', '--force', 'node_modules/evil');
    expect(await local('node_modules/one/index.js', 'one')).toBe('node_modules/one');
  });

  it('is asked of the repository that holds it', async () => {
    write('sub/node_modules/evil/index.js');
    const cwd = ['-C', at('sub')];
    await repository.git(...cwd, 'init', '--quiet');
    expect(await local('sub/node_modules/evil/index.js', 'evil', 'sub')).toBeUndefined();
    await repository.git(...cwd, 'add', '--force', 'node_modules');
    const found = await local('sub/node_modules/evil/index.js', 'evil', 'sub');
    expect(found).toBe('sub/node_modules/evil');
  });

  it('is its module where it lies elsewhere, be it in another node_modules', async () => {
    write('vendor/node_modules/evil/index.js', 'packages/one/index.js');
    const evil = 'vendor/node_modules/evil/index.js';
    expect(await local(evil, 'evil')).toBe(evil); // nothing in the place where it is looked for
    link('../vendor/node_modules/evil', 'node_modules/evil');
    link('../packages/one', 'node_modules/one');
    expect(await local(evil, 'evil')).toBe(evil);
    expect(await local('packages/one/index.js', 'one')).toBe('packages/one/index.js');
    write('node_modules_/evil/index.js');
    rmSync(at('node_modules/evil'));
    link('../node_modules_/evil', 'node_modules/evil');
    expect(await local('node_modules_/evil/index.js', 'evil')).toBe('node_modules_/evil/index.js');
  });

  it('is the whole of it where node_modules is a link that git tracks, or that leads to what it tracks', async () => {
    write('vendor/evil/index.js');
    link('vendor', 'node_modules');
    expect(await local('vendor/evil/index.js', 'evil')).toBeUndefined(); // a link of your own
    await repository.git('add', '--force', 'node_modules');
    expect(await local('vendor/evil/index.js', 'evil')).toBe('node_modules/evil');
    await repository.git('rm', '--quiet', '--cached', 'node_modules');
    await repository.git('add', 'vendor');
    expect(await local('vendor/evil/index.js', 'evil')).toBe('node_modules/evil');
  });

  it('is unknown where git cannot say', async () => {
    write('node_modules/one/index.js');
    repository.write({ '.git/index': 'garbage' });
    await expect(local('node_modules/one/index.js', 'one')).rejects.toMatchObject({
      code: 'GIT_FAILED',
    });
  });
});
