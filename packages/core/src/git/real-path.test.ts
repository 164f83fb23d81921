import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { processForTest, temporaryDirectory } from '../../test/temporary.js';
import { realPath } from './repository.js';

test('the links of the part that exists are followed', () => {
  const directory = temporaryDirectory();
  mkdirSync(path.join(directory, 'there'));
  symlinkSync('there', path.join(directory, 'link'));
  expect(realPath(path.join(directory, 'link', 'not', 'there'))).toBe(
    path.join(directory, 'there', 'not', 'there'),
  );
});

test('a directory that somebody removes and makes meanwhile is no failure', async () => {
  const directory = path.join(temporaryDirectory(), 'another run');
  const script =
    "const fs = require('fs'); for (let n = 0; n < 20000; n += 1) { fs.mkdirSync(process.argv[1]); fs.rmdirSync(process.argv[1]); }";
  const other = processForTest(process.execPath, ['-e', script, directory]);
  const ended = new Promise((resolve) => other.once('exit', resolve));
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  while (other.exitCode === null) {
    for (let look = 0; look < 1000; look += 1) expect(realPath(directory)).toBe(directory);
    await turn();
  }
  expect(await ended).toBe(0);
});
