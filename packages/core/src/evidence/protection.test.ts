import { describe, expect, it } from 'vitest';
import { protectProblem, protection } from './protection.js';

describe('what is protected', () => {
  it.each([
    ['test/**', 'test/a.js', true],
    ['test/**', 'test/.hidden/b', true],
    ['test/**', 'tests/a.js', false],
    ['.github/**', '.github/workflows/ci.yml', true],
    ['jest.config.*', 'jest.config.js', true],
    ['jest.config.*', 'packages/jest.config.js', false],
    ['**/*.test.ts', 'src/a.test.ts', true],
    ['package.json#scripts.test', 'package.json', false],
    ['test/**', 'Test/a.js', false],
  ])('by %s: %s is %s', (entry, file, expected) => {
    expect(protection([entry]).matches(file, '100644')).toBe(expected);
  });

  it.each([
    ['a/b/*.js', 'a', true],
    ['a/b/*.js', 'a/b', true],
    ['a/*/c/**', 'a/x', true],
    ['a/*/c/*', 'a/x/c', true],
    ['a/b/**/c', 'a/b', true],
    ['**/c.js', 'x', false],
    ['a/{b,c}/d', 'a', true],
    ['a/{b,c}/d', 'a/b', false],
    ['a/b.json#c', 'a', true],
  ])('by %s: a link or a repository at %s is %s, a file is not', (entry, file, expected) => {
    const { matches } = protection([entry]);
    expect(matches(file, '120000')).toBe(expected);
    expect(matches(file, '160000')).toBe(expected);
    expect(matches(file, '100644')).toBe(false);
  });

  it('is a value of files that are not protected whole', () => {
    const { values } = protection(['*/package.json#scripts.test', 'b/**']);
    expect(values.map(({ name, keys }) => [name, keys])).toEqual([
      ['scripts.test', ['scripts', 'test']],
    ]);
    expect(values[0]?.matches('a/package.json')).toBe(true);
    expect(values[0]?.matches('b/package.json')).toBe(false);
  });

  it.each([
    ['/etc/passwd', /from the root of the repository/],
    ['../other/**', /within the repository/],
    ['test/', /"test\/\*\*" is all/],
    ['!test/**', /excludes nothing/],
    ['a[', /pattern/],
    ['package.json#', /names of a value/],
    ['package.json#scripts..test', /names of a value/],
    ['ci.yml#jobs.test', /JSON files only/],
    ['#a', /JSON files only/],
  ])('is no entry where it protects nothing: %s', (entry, words) => {
    expect(protectProblem(entry)).toMatch(words);
  });

  it.each(['test/**', 'package.json#scripts.test', 'packages/*/package.json#a.b'])(
    'is an entry: %s',
    (entry) => {
      expect(protectProblem(entry)).toBeUndefined();
    },
  );
});
