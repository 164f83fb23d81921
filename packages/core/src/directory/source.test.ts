import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/temporary.js';
import { readSource, sourceProblems } from './source.js';

let directory: string;
const at = (name: string) => path.join(directory, name);
const hash = () => readSource(directory).hash;
const fault = () => {
  try {
    readSource(directory);
  } catch (error) {
    return error as { code: string; message: string; problems: string[] };
  }
  throw new Error('it was read');
};

beforeEach(() => {
  directory = path.join(temporaryDirectory(), 'mine');
  mkdirSync(at('lib'), { recursive: true });
  writeFileSync(at('run'), '#!/bin/sh\n');
  chmodSync(at('run'), 0o755);
  writeFileSync(at('lib/a'), 'a');
  symlinkSync('lib/a', at('link'));
});

describe('the hash of local code', () => {
  it('is the same as long as nothing changes, and for a copy', () => {
    const before = hash();
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    writeFileSync(at('lib/a'), 'a');
    expect(hash()).toBe(before);
    execFileSync('cp', ['-a', directory, `${directory}-copy`]);
    expect(readSource(`${directory}-copy`).hash).toBe(before);
  });

  const changes: [what: string, change: () => void][] = [
    ['a content', () => writeFileSync(at('lib/a'), 'b')],
    ['a name', () => renameSync(at('run'), at('walk'))],
    ['a file more', () => writeFileSync(at('lib/b'), '')],
    ['a hidden file more', () => writeFileSync(at('.b'), '')],
    ['a directory more', () => mkdirSync(at('empty'))],
    ['a file less', () => rmSync(at('run'))],
    ['a permission', () => chmodSync(at('run'), 0o700)],
    ['the permission of a directory', () => chmodSync(at('lib'), 0o700)],
    [
      'where a link leads',
      () => {
        rmSync(at('link'));
        symlinkSync('run', at('link'));
      },
    ],
    [
      'a link that becomes the file it led to',
      () => {
        rmSync(at('link'));
        writeFileSync(at('link'), 'a');
      },
    ],
    [
      'a content that moves into another file',
      () => {
        writeFileSync(at('run'), '');
        writeFileSync(at('lib/a'), '#!/bin/sh\na');
      },
    ],
  ];
  it.each(changes)('changes with %s', (_, change) => {
    const before = hash();
    change();
    expect(hash()).not.toBe(before);
  });

  it('names the files that it covers, and the real place of what a link leads to', () => {
    expect(readSource(directory).files).toEqual(['lib/a', 'link', 'run']);
    symlinkSync(directory, `${directory}-link`);
    expect(readSource(`${directory}-link`)).toEqual(readSource(directory));
  });

  it('of a single file is that of its content and permissions', () => {
    const before = readSource(at('lib/a'));
    expect(before).toMatchObject({ path: at('lib/a'), files: [] });
    writeFileSync(at('lib/a'), 'b');
    expect(readSource(at('lib/a')).hash).not.toBe(before.hash);
  });
});

describe('local code that cannot be held to a hash', () => {
  it('is refused, with every reason at once', () => {
    symlinkSync('/bin/sh', at('outside'));
    symlinkSync('..', at('upward'));
    symlinkSync('.', at('itself'));
    symlinkSync('nowhere', at('broken'));
    symlinkSync('circle', at('circle'));
    execFileSync('mkfifo', [at('pipe')]);
    const link = 'a link must lead to a file in the directory';
    expect(fault()).toMatchObject({
      code: 'ADAPTER_INVALID',
      problems: [
        `broken: ${link}`,
        `circle: ${link}`,
        `itself: ${link}`,
        `outside: ${link}`,
        'pipe: neither a file, a directory nor a link',
        `upward: ${link}`,
      ],
    });
  });

  it('is refused where a neighbour only begins with its name', () => {
    mkdirSync(`${directory}-other`);
    writeFileSync(`${directory}-other/run`, '');
    symlinkSync(`${directory}-other/run`, at('neighbour'));
    expect(fault().problems).toHaveLength(1);
  });

  it('is refused where it is huge, before it is read', () => {
    writeFileSync(at('big'), '');
    truncateSync(at('big'), 40_000_000_000);
    expect(fault()).toMatchObject({
      code: 'ADAPTER_INVALID',
      message: expect.stringContaining('20 MB'),
    });
  });

  it('is refused where it has more files than a person looks at', () => {
    for (let index = 0; index < 1_001; index += 1) writeFileSync(at(`lib/${index}`), '');
    expect(fault().message).toContain('more than 1000 files');
  });

  it('is refused where it is not there', () => {
    rmSync(directory, { recursive: true });
    expect(fault()).toMatchObject({
      code: 'ADAPTER_INVALID',
      message: expect.stringContaining('ENOENT'),
    });
  });
});

describe('local code before a launch', () => {
  it('must be what it was', () => {
    const source = readSource(directory);
    expect(sourceProblems(source)).toEqual([]);
    writeFileSync(at('lib/a'), 'b');
    expect(sourceProblems(source)).toMatchObject([{ code: 'ADAPTER_CHANGED' }]);
  });

  it('must still be there', () => {
    const source = readSource(directory);
    rmSync(directory, { recursive: true });
    expect(sourceProblems(source)).toMatchObject([
      { code: 'ADAPTER_CHANGED', message: expect.stringContaining('ENOENT') },
    ]);
  });
});
