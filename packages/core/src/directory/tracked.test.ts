import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/temporary.js';
import { type TemporaryRepository, temporaryRepository } from '../testing/index.js';
import { isTracked } from './tracked.js';

let repository: TemporaryRepository;
beforeEach(async () => {
  repository = await temporaryRepository({ files: { 'README.md': '', 'code/deep/a.js': '' } });
});
afterEach(() => repository.remove());

const tracked = (name: string) =>
  isTracked(path.join(repository.root, name), { ...repository.env });

describe('what git tracks', () => {
  it('is a file, and a directory with anything in it that is', async () => {
    repository.write({ 'other/b.js': '', 'code/c.js': '' });
    expect(await tracked('code/deep/a.js')).toBe(true);
    expect(await tracked('code')).toBe(true);
    expect(await tracked('code/c.js')).toBe(false);
    expect(await tracked('other')).toBe(false);
    await repository.git('add', 'other');
    expect(await tracked('other')).toBe(true); // a commit brings it to others, and is only a step away
  });

  it('is a link itself, not what it leads to', async () => {
    symlinkSync('code', path.join(repository.root, 'link'));
    expect(await tracked('link')).toBe(false);
    await repository.git('add', 'link');
    expect(await tracked('link')).toBe(true);
  });

  it('is no neighbour that a pattern in the name would match', async () => {
    mkdirSync(path.join(repository.root, 'co*'));
    expect(await tracked('co*')).toBe(false);
  });

  it('is nothing outside of a repository', async () => {
    const file = path.join(temporaryDirectory(), 'a.js');
    writeFileSync(file, '');
    expect(await isTracked(file, { ...repository.env })).toBe(false);
  });

  it('is unknown, and so an error, where git cannot say', async () => {
    writeFileSync(path.join(repository.root, '.git/index'), 'garbage');
    await expect(tracked('code')).rejects.toMatchObject({ code: 'GIT_FAILED' });
  });
});
