import os from 'node:os';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/temporary.js';
import { makeDirectory } from './files.js';
import { ownHolder } from './lock.js';
import { runPaths } from './paths.js';
import { removeRun, takeNewRun, takeRun } from './take.js';

function newRun() {
  const paths = runPaths(temporaryDirectory(), 'x');
  makeDirectory(paths.directory);
  return paths;
}

describe('a run', () => {
  it('is held by one at a time, and the other is told which process that is', () => {
    const paths = newRun();
    const lock = takeRun(paths, 'x');
    expect(() => takeRun(paths, 'x')).toThrow(
      expect.objectContaining({
        code: 'RUN_HELD',
        message: `the run "x" is held by process ${process.pid}`,
      }),
    );
    lock.release();
    takeRun(paths, 'x').release();
  });

  it('that is held on another host is not taken, and the host is named', () => {
    const paths = newRun();
    writeFileSync(
      paths.lock,
      JSON.stringify({
        ...ownHolder(),
        host: `other-${os.hostname()}`,
        bootId: 'other',
        startTime: '1',
      }),
    );
    expect(() => takeRun(paths, 'x')).toThrow(
      expect.objectContaining({
        code: 'LOCK_FOREIGN',
        message: expect.stringContaining(`other-${os.hostname()}`),
      }),
    );
  });
});

describe('a new run', () => {
  it('takes the directory that a start which was cut off has left', () => {
    const paths = newRun();
    writeFileSync(path.join(paths.directory, 'run.json.0123.tmp'), '{');
    takeNewRun(paths, 'x').release();
  });

  it('takes none that has a definition, none with a journal, and none that another begins just now', () => {
    const exists = expect.objectContaining({ code: 'RUN_EXISTS' });
    const [defined, journalled, begun] = [newRun(), newRun(), newRun()];
    writeFileSync(defined.definition, '{}');
    expect(() => takeNewRun(defined, 'x')).toThrow(exists);
    writeFileSync(journalled.journal, '');
    expect(() => takeNewRun(journalled, 'x')).toThrow(exists);
    const lock = takeNewRun(begun, 'x');
    expect(() => takeNewRun(begun, 'x')).toThrow(expect.objectContaining({ code: 'RUN_HELD' }));
    lock.release();
  });

  it('that could not begin is removed whole, unless it is no longer ours', () => {
    const paths = newRun();
    const lock = takeNewRun(paths, 'x');
    writeFileSync(paths.definition, '{}');
    removeRun(paths, lock);
    expect(existsSync(paths.directory)).toBe(false);
    expect(readdirSync(path.resolve(paths.directory, '..', '..'))).toEqual(['runs']);
    const other = takeNewRun(paths, 'x');
    removeRun(paths, lock);
    other.assertHeld();
  });
});
