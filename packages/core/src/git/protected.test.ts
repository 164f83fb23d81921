import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  exitOf,
  processForTest,
  repositoryForTest,
  temporaryDirectory,
} from '../../test/temporary.js';
import { protection } from '../evidence/protection.js';
import { protectedChanges } from './protected.js';

const FILES = {
  '.gitignore': 'cache/\n',
  'src/a.js': 'export const a = 1;\n',
  'test/a.test.js': "test('a', () => expect(a).toBe(1));\n",
  'test/deep/b.test.js': 'b\n',
  'package.json': '{\n  "name": "x",\n  "scripts": { "test": "vitest run", "build": "tsc" }\n}\n',
};
const PROTECT = ['test/**', 'package.json#scripts.test', '.github/**', 'jest.config.*'];

/** A linked worktree, as the run's is, and what is measured of it against its first commit. */
async function protectedPlace(
  protect: readonly string[] = PROTECT,
  files: Readonly<Record<string, string>> = FILES,
  confined = false,
) {
  const { env, git, directory: around } = await repositoryForTest({ files });
  const accepted = await git('rev-parse', 'HEAD');
  const directory = path.join(around, 'worktree');
  await git('worktree', 'add', '--quiet', '-b', 'work', directory);
  const inside = (...args: string[]) => git('-C', directory, ...args);
  const scratch = path.join(temporaryDirectory(), 'scratch');
  const at = (name: string) => path.join(directory, name);
  const measureFrom = async (commit: string) => {
    const head = await inside('rev-parse', 'HEAD');
    const place = { directory, scratch, accepted: commit, head, confined };
    return protectedChanges(place, protection(protect), env);
  };
  return {
    at,
    inside,
    accepted,
    write(name: string, content: string) {
      mkdirSync(path.dirname(at(name)), { recursive: true });
      writeFileSync(at(name), content);
    },
    async commit(...how: string[]) {
      await inside('add', '--all', ...how);
      await inside('commit', '--quiet', '--message', 'work');
    },
    measure: () => measureFrom(accepted),
    measureFrom,
  };
}

type Used = Awaited<ReturnType<typeof protectedPlace>>;

const CHANGES: readonly [what: string, change: (used: Used) => void, changed: string[]][] = [
  ['weakened', ({ write }) => write('test/a.test.js', 'ok\n'), ['test/a.test.js (changed)']],
  ['deleted', ({ at }) => rmSync(at('test/a.test.js')), ['test/a.test.js (deleted)']],
  [
    'renamed',
    ({ at }) => renameSync(at('test/a.test.js'), at('test/a.old.js')),
    ['test/a.old.js (added)', 'test/a.test.js (deleted)'],
  ],
  [
    'moved away',
    ({ at }) => renameSync(at('test/deep'), at('deep')),
    ['test/deep/b.test.js (deleted)'],
  ],
  ['made executable', ({ at }) => chmodSync(at('test/a.test.js'), 0o755), ['test/a.test.js (mode changed)']], // prettier-ignore
  [
    'replaced by a link',
    ({ at }) => {
      renameSync(at('test/a.test.js'), at('elsewhere.js'));
      symlinkSync('../elsewhere.js', at('test/a.test.js'));
    },
    ['test/a.test.js (replaced by a link)'],
  ],
  [
    'reached through a link in the place of the directory',
    ({ at }) => {
      renameSync(at('test'), at('other'));
      symlinkSync('other', at('test'));
    },
    ['test (added)', 'test/a.test.js (deleted)', 'test/deep/b.test.js (deleted)'],
  ],
  ['a new file that matches', ({ write }) => write('jest.config.js', '{}'), ['jest.config.js (added)']], // prettier-ignore
  [
    'hidden by a line of .gitignore',
    ({ write }) => {
      write('.gitignore', 'cache/\njest.config.js\n.github\n');
      write('jest.config.js', '{}');
      write('.github/workflows/ci.yml', 'on: push');
    },
    ['.github/workflows/ci.yml (added)', 'jest.config.js (added)'],
  ],
  [
    'called binary by attributes',
    ({ write }) => {
      write('.gitattributes', '* -diff -text binary\n');
      write('test/a.test.js', 'ok\n');
    },
    [
      'test/a.test.js (changed)',
      'package.json (text by .gitattributes)',
      'test/a.test.js (text by .gitattributes)',
      'test/deep/b.test.js (text by .gitattributes)',
    ],
  ],
  ...[
    ['text eol=crlf', 'text, eol'],
    ['crlf', 'crlf'],
    ['ident', 'ident'],
    ['working-tree-encoding=latin1', 'working-tree-encoding'],
    ['filter=mine', 'filter'],
  ].map(([said = '', names = '']): (typeof CHANGES)[number] => [
    `converted by ${names}`,
    ({ write }) => write('.gitattributes', `test/a.* ${said}\n`),
    [`test/a.test.js (${names} by .gitattributes)`],
  ]),
  [
    'converted by attributes that are ignored',
    ({ write }) => {
      write('test/deep/.gitattributes', 'b.* eol=crlf\n');
      write('.gitignore', 'test/deep/.gitattributes\ncache/\n');
    },
    ['test/deep/.gitattributes (added)', 'test/deep/b.test.js (eol by .gitattributes)'],
  ],
  [
    'another script',
    ({ write }) => write('package.json', FILES['package.json'].replace('vitest run', 'true')),
    ['package.json#scripts.test'],
  ],
  [
    'JSON that cannot be read',
    ({ write }) => write('package.json', '{'),
    ['package.json#scripts.test'],
  ],
  ['JSON that is gone', ({ at }) => rmSync(at('package.json')), ['package.json#scripts.test']],
  [
    'JSON behind a link',
    ({ at }) => {
      renameSync(at('package.json'), at('other.json'));
      symlinkSync('other.json', at('package.json'));
    },
    ['package.json#scripts.test'],
  ],
];

describe.each(CHANGES)('what is protected, %s', (_, change, changed) => {
  it('is found, committed or not, and is good again once it is put back', async () => {
    const used = await protectedPlace();
    change(used);
    expect((await used.measure()).changed).toEqual(changed);
    await used.commit('--force');
    expect((await used.measure()).changed).toEqual(changed);
    await used.inside('revert', '--no-edit', 'HEAD');
    expect(await used.measure()).toEqual({ changed: [], diff: '' });
  });
});

describe('what is protected', () => {
  it('is as it was after work beside it, with what the accepted commit ignores, and in another order', async () => {
    const used = await protectedPlace();
    used.write('src/a.js', 'export const a = 2;\n');
    used.write('test/cache/run.json', '{}');
    used.write('tests/c.js', 'c');
    used.write('package.json', '{"scripts":{"build":"tsc -b","test":"vitest run"},"name":"y"}');
    await used.commit();
    expect(await used.measure()).toEqual({ changed: [], diff: '' });
  });

  it('is found where only the worktree has it put back', async () => {
    const used = await protectedPlace();
    used.write('test/a.test.js', 'ok\n');
    used.write('package.json', '{}');
    await used.commit();
    await used.inside('restore', `--source=${used.accepted}`, '.');
    const { changed, diff } = await used.measure();
    expect(changed).toEqual([
      'test/a.test.js (changed in the commits, put back without a commit)',
      'package.json#scripts.test',
    ]);
    expect(diff).toContain('\n+ok\n');
    expect(diff).toContain('\n+(not there)\n');
  });

  it('is found where it is only staged', async () => {
    const used = await protectedPlace();
    used.write('jest.config.js', '{}');
    await used.inside('add', '--all');
    expect((await used.measure()).changed).toEqual(['jest.config.js (added)']);
  });

  it.each(['--skip-worktree', '--assume-unchanged'])('is not hidden by %s', async (flag) => {
    const used = await protectedPlace();
    await used.inside('update-index', flag, 'test/a.test.js');
    used.write('test/a.test.js', 'ok\n');
    expect((await used.measure()).changed).toEqual(['test/a.test.js (changed)']);
  });

  it('is not hidden by a filter that gives git what it wants to see', async () => {
    const used = await protectedPlace();
    await used.inside(
      'config',
      'filter.lie.clean',
      `cat >/dev/null; git show ${used.accepted}:test/a.test.js`,
    );
    used.write('.gitattributes', 'test/a.test.js filter=lie\n');
    used.write('test/a.test.js', 'ok\n');
    await used.inside('add', '--all');
    expect(await used.inside('status', '--porcelain', 'test/a.test.js')).not.toContain('M');
    expect((await used.measure()).changed).toEqual([
      'test/a.test.js (changed)',
      'test/a.test.js (filter by .gitattributes)',
    ]);
  });

  it('is not hidden by attributes that give a checkout other content', async () => {
    const used = await protectedPlace();
    used.write('.gitattributes', 'test/a.test.js text eol=crlf\n');
    rmSync(used.at('test/a.test.js'));
    await used.inside('checkout', '--quiet', 'test/a.test.js');
    await used.commit();
    const { changed, diff } = await used.measure();
    expect(changed).toEqual([
      'test/a.test.js (changed)',
      'test/a.test.js (text, eol by .gitattributes)',
    ]);
    expect(diff).toContain('test/a.test.js by .gitattributes\n-text: unspecified\n+text: set\n');
  });

  it('is not hidden by attributes that are committed and put back without a commit', async () => {
    const used = await protectedPlace();
    used.write('.gitattributes', 'test/a.test.js eol=crlf\n');
    await used.commit();
    rmSync(used.at('.gitattributes'));
    await used.inside('rm', '--quiet', '--cached', '.gitattributes');
    expect((await used.measure()).changed).toEqual(['test/a.test.js (eol by .gitattributes)']);
  });

  it('may be said other things of that convert nothing, and of other files anything', async () => {
    const used = await protectedPlace();
    used.write('.gitattributes', 'test/** -diff linguist-generated\nsrc/** eol=crlf\n');
    await used.commit();
    expect((await used.measure()).changed).toEqual([]);
  });

  it('is what a checkout gives, also where that has other ends of lines', async () => {
    const files = { ...FILES, '.gitattributes': 'test/** text eol=crlf\n' };
    const used = await protectedPlace(PROTECT, files);
    used.write('test/a.test.js', FILES['test/a.test.js'].replaceAll('\n', '\r\n'));
    expect((await used.measure()).changed).toEqual([]);
  });

  it('is found in a repository within', async () => {
    const used = await protectedPlace(['**/*.test.js']);
    used.write('sub/new.test.js', 'x');
    await used.inside('init', '--quiet', 'sub');
    expect((await used.measure()).changed).toEqual(['sub/new.test.js (added)']);
  });

  it('is reached through no link in the place of a directory of a pattern', async () => {
    const used = await protectedPlace(['config/jest/*.json']);
    used.write('other/jest/a.json', '{}');
    symlinkSync('other', used.at('config'));
    await used.commit();
    expect((await used.measure()).changed).toEqual(['config (added)']);
  });

  it('is no submodule of which another commit is taken', async () => {
    const used = await protectedPlace(['vendor/lib/**']);
    const entry = (hash: string) =>
      used.inside('update-index', '--add', '--cacheinfo', `160000,${hash},vendor/lib`);
    await entry(used.accepted);
    mkdirSync(used.at('vendor/lib'), { recursive: true });
    await used.inside('commit', '--quiet', '--message', 'module');
    expect((await used.measure()).changed).toEqual(['vendor/lib (added)']);
  });

  /** A worktree with a submodule that is set up. */
  async function withSubmodule(confined: boolean) {
    const used = await protectedPlace(['kit/**'], FILES, confined);
    await used.inside('init', '--quiet', 'kit');
    used.write('kit/a.js', 'a');
    await used.inside('-C', 'kit', 'add', '.');
    const person = ['-c', 'user.name=Test Person', '-c', 'user.email=person@example.com'];
    await used.inside('-C', 'kit', ...person, 'commit', '--quiet', '--message', 'kit');
    const hash = await used.inside('-C', 'kit', 'rev-parse', 'HEAD');
    await used.inside('update-index', '--add', '--cacheinfo', `160000,${hash},kit`);
    await used.inside('commit', '--quiet', '--message', 'kit');
    const head = await used.inside('rev-parse', 'HEAD');
    return { ...used, measure: () => used.measureFrom(head) };
  }

  it('is what a submodule has that is set up', async () => {
    const { measure, write } = await withSubmodule(false);
    expect((await measure()).changed).toEqual([]);
    write('kit/a.js', 'weaker');
    expect((await measure()).changed).toEqual(['kit (changed)']);
  });

  it('is unknown in a submodule after a confined attempt: its settings would run programs', async () => {
    const { measure } = await withSubmodule(true);
    await expect(measure()).rejects.toThrow(/not looked at/);
  });

  it('that is neither a file nor a link cannot be compared', async () => {
    const used = await protectedPlace();
    rmSync(used.at('test/a.test.js'));
    await exitOf(processForTest('mkfifo', [used.at('test/a.test.js')]));
    await expect(used.measure()).rejects.toThrow(/neither a file nor a link/);
  });

  it('has odd names too', async () => {
    const used = await protectedPlace(['test/**']);
    for (const name of ['new\nline.js', 'ünï€.js', '-dash', 'a "b"', ' lead', 'a\\b'])
      used.write(`test/${name}`, 'x');
    expect((await used.measure()).changed).toHaveLength(6);
  });
});

describe('the diff of what is protected', () => {
  it('shows files and values, committed or not, and no control characters', async () => {
    const used = await protectedPlace();
    used.write('test/deep/b.test.js', 'weaker\u001B[2J\r\n');
    await used.commit();
    used.write('.gitattributes', '* -diff\n');
    used.write('test/a.test.js', 'ok\n');
    used.write('package.json', '{"scripts":{"test":"true"}}');
    const { diff } = await used.measure();
    expect(diff).toContain('-b\n+weaker\uFFFD[2J\n');
    expect(diff).toContain("-test('a', () => expect(a).toBe(1));\n+ok\n");
    expect(diff).toContain('package.json#scripts.test\n-"vitest run"\n+"true"\n');
    expect(diff).not.toContain('\u001B');
  });

  it('leaves out large files, and all but some', async () => {
    const used = await protectedPlace();
    used.write('test/large.js', 'x'.repeat(200_000));
    for (let number = 0; number < 30; number += 1) used.write(`test/n${number}.js`, 'x\n');
    const { changed, diff } = await used.measure();
    expect(changed).toHaveLength(31);
    expect(diff).toMatch(/\nand 11 more files, or larger ones\n$/);
    expect(diff.length).toBeLessThan(10_000);
  });
});
