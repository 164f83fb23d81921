import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { fileProblem, globProblem, matcher, matcherWithin } from './globs.js';

it.each([
  ['src/**', 'src/a.ts'],
  ['src/**', 'src/deep/er/a.ts'],
  ['src/*.ts', 'src/a.ts'],
  ['**/*.test.ts', 'a.test.ts'],
  ['**/*.test.ts', 'src/a.test.ts'],
  ['.github/**', '.github/workflows/ci.yml'],
  ['**', '.env'],
  ['test/**', 'test/.hidden/a'],
  ['test/**', 'test'], // a file in the place of the directory
  ['{src,lib}/*.js', 'lib/a.js'],
  ['docs/\\[id\\].md', 'docs/[id].md'],
  ['a/!(b).ts', 'a/c.ts'],
])('%s matches %s', (pattern, path) => {
  expect(matcher([pattern])(path)).toBe(true);
});

it.each([
  ['src/*.ts', 'src/deep/a.ts'],
  ['src', 'src/a.ts'],
  ['src/**', 'src2/a.ts'],
  ['src/**', 'lib/src/a.ts'],
  ['*.ts', 'a.TS'],
])('%s does not match %s', (pattern, path) => {
  expect(matcher([pattern])(path)).toBe(false);
});

it.each(['docs/**', '{docs,src}/**', '**/docs/**', 'd?cs/**', 'docs/**/*'])(
  '%s has in it what is in the directory, and not what is in its place',
  (pattern) => {
    const within = matcherWithin([pattern]);
    expect(['docs/a', 'docs/a/.b', 'docs', '../docs/a'].filter(within)).toEqual([
      'docs/a',
      'docs/a/.b',
    ]);
  },
);

it('knows no path outside of the repository', () => {
  const outside = ['../a', '/etc/passwd', 'a/../../b', '..', '.', '', 'a//b', 'a/'];
  const patterns = ['**', '**/*', '*', '*/**', '/**', '../**'];
  for (const made of [matcher, matcherWithin]) expect(outside.filter(made(patterns))).toEqual([]);
});

it('matches by any of several patterns, and nothing by none', () => {
  const matches = matcher(['src/**', 'package.json']);
  expect(['src/a', 'package.json', 'README.md'].filter(matches)).toEqual(['src/a', 'package.json']);
  expect(matcher([])('src/a')).toBe(false);
});

it('matches all that is in a directory, whatever it is called', () => {
  const name = fc
    .string({ minLength: 1, unit: 'binary' })
    .filter((word) => !/^\.{1,2}$|\//.test(word));
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((words) => words.join('/'));
  fc.assert(
    fc.property(path, (below) => {
      expect(matcher(['test/**'])(`test/${below}`)).toBe(true);
      expect(matcher(['**'])(below)).toBe(true);
    }),
    { examples: [['a\nb.js'], ['\n'], ['...'], ['a\u2028/b']] },
  );
});

it.each(['src/**', '*.md', '.github/**', 'package.json', '!(a).ts', 'a[bc].ts', '**'])(
  'takes the pattern %s',
  (pattern) => {
    expect(globProblem(pattern)).toBeUndefined();
  },
);

it.each([
  ['/src/**', 'without /'],
  ['docs/', '"docs/**" is all that is in it'],
  ['!test/**', 'excludes nothing'],
  ['../a', 'within the repository'],
  ['./a', 'within the repository'],
  ['a//b', 'within the repository'],
  ['a\0b', 'without NUL'],
  ['a[', 'Missing closing'],
  ['[z-a]', 'out of order'],
])('refuses %s and says why', (pattern, why) => {
  expect(globProblem(pattern)).toContain(why);
});

it('takes no name of a file with NUL', () => {
  expect(fileProblem('docs/a\0b')).toContain('without NUL');
});
