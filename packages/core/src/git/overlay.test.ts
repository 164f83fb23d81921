import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryForTest, temporaryDirectory } from '../../test/temporary.js';
import { protection } from '../evidence/protection.js';
import { overlayCommit } from './overlay.js';

const FILES = {
  'src/a.js': 'a\n',
  'test/a.test.js': 'strong\n',
  'test/b.test.js': 'b\n',
  'package.json': '{\n  "name": "x",\n  "scripts": {\n    "test": "vitest"\n  }\n}\n',
};

/** A worktree whose commits change what is protected, and what is laid over it. */
async function overlaid(
  change: (at: (name: string) => string) => void,
  protect = ['test/**', 'package.json#scripts.test'],
  has: Readonly<Record<string, string>> = FILES,
) {
  const { env, git, directory: around } = await repositoryForTest({ files: has });
  const from = await git('rev-parse', 'HEAD');
  const directory = path.join(around, 'worktree');
  await git('worktree', 'add', '--quiet', '-b', 'work', directory);
  change((name) => path.join(directory, name));
  await git('-C', directory, 'add', '--all');
  await git('-C', directory, 'commit', '--quiet', '--allow-empty', '--message', 'work');
  const head = await git('rev-parse', 'work');
  const scratch = path.join(temporaryDirectory(), 'scratch');
  const make = () => overlayCommit({ directory, scratch, head, from }, protection(protect), env);
  const files = async (commit: string) =>
    (await git('ls-tree', '-r', '--name-only', commit)).split('\n');
  return { git, head, directory, make, files };
}

describe('what is laid over a result', () => {
  it('has what was weakened, deleted and moved as it was, and not what was added', async () => {
    const { git, head, directory, make, files } = await overlaid((at) => {
      writeFileSync(at('test/a.test.js'), 'weak\n');
      renameSync(at('test/b.test.js'), at('b.old.js'));
      mkdirSync(at('test/new'));
      writeFileSync(at('test/new/c.test.js'), 'c\n');
      writeFileSync(at('src/a.js'), 'better\n');
    });
    const commit = await make();
    expect(await files(commit)).toEqual(['b.old.js', 'package.json', 'src/a.js', 'test/a.test.js', 'test/b.test.js']); // prettier-ignore
    expect(await git('show', `${commit}:test/a.test.js`)).toBe('strong');
    expect(await git('show', `${commit}:src/a.js`)).toBe('better');
    expect(await git('rev-parse', `${commit}^`)).toBe(head);
    expect(await git('rev-parse', 'work')).toBe(head);
    expect(await git('-C', directory, 'status', '--porcelain')).toBe('');
  });

  it('has values put back, and the rest of their file as the result has it', async () => {
    const { git, make } = await overlaid((at) => {
      const text = FILES['package.json'].replace('vitest', 'true').replace('"x"', '"y"');
      writeFileSync(at('package.json'), text);
    });
    const text = await git('show', `${await make()}:package.json`);
    expect(text).toBe(FILES['package.json'].replace('"x"', '"y"').trim());
  });

  it('has a file whole again whose values are protected and that was deleted', async () => {
    const { git, make } = await overlaid((at) => rmSync(at('package.json')));
    expect(await git('show', `${await make()}:package.json`)).toBe(FILES['package.json'].trim());
  });

  it.each([
    ['is said otherwise since', '', '* text eol=crlf\n'],
    ['is said nothing more since', 'test/** text eol=crlf\n', ''],
    ['is said by a macro since', '', '[attr]mine text eol=crlf\n* mine'],
    ['is not at the end of a line', '[attr]mine text\ntest/** mine', '# x'],
  ])('is converted as it was where that %s', async (_, before, since) => {
    const names = { 'test/odd "*[\\]!.js': 'odd\n', '.gitattributes': before };
    const { git, make } = await overlaid(
      (at) => writeFileSync(at('.gitattributes'), since),
      ['test/**', 'package.json#scripts.test'],
      { ...FILES, ...names },
    );
    const commit = await make();
    await git('worktree', 'add', '--quiet', '--detach', 'laid', commit);
    await git('worktree', 'add', '--quiet', '--detach', 'from', 'main');
    const content = async (directory: string, name: string) =>
      readFileSync(path.join(await git('rev-parse', '--show-toplevel'), directory, name), 'utf8');
    for (const name of ['test/a.test.js', 'test/odd "*[\\]!.js', 'package.json'])
      expect(await content('laid', name)).toBe(await content('from', name));
    expect(await content('laid', 'src/a.js')).toBe(/^\* /m.test(since) ? 'a\r\n' : 'a\n');
  });

  it('has directories again that a link took the place of', async () => {
    const { make, files } = await overlaid((at) => {
      renameSync(at('test'), at('other'));
      symlinkSync('other', at('test'));
    });
    const names = await files(await make());
    expect(names.filter((name) => name.startsWith('test'))).toEqual(['test/a.test.js', 'test/b.test.js']); // prettier-ignore
  });

  it('is the result itself where nothing differs, also in how JSON is written', async () => {
    const { head, make } = await overlaid((at) => {
      writeFileSync(at('src/a.js'), 'better\n');
      writeFileSync(at('package.json'), '{"scripts":{"test":"vitest"},"other":1}');
    });
    expect(await make()).toBe(head);
  });

  it.each([
    ['is no JSON any more', (at: (name: string) => string) => writeFileSync(at('package.json'), '{')],
    ['is a link now', (at: (name: string) => string) => {
      renameSync(at('package.json'), at('p.json'));
      symlinkSync('p.json', at('package.json'));
    }],
  ] as const)('cannot be made where a file with values %s', async (_, change) => {
    const { make } = await overlaid(change);
    await expect(make()).rejects.toThrow(/no value can be put back in package.json/);
  }); // prettier-ignore
});
