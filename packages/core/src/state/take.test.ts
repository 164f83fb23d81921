import os from 'node:os';
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/temporary.js';
import { makeDirectory } from './files.js';
import { ownHolder } from './lock.js';
import { runPaths } from './paths.js';
import { takeRun } from './take.js';

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
      JSON.stringify({ ...ownHolder(), host: `other-${os.hostname()}`, bootId: 'other', startTime: '1' }),
    );
    expect(() => takeRun(paths, 'x')).toThrow(
      expect.objectContaining({
        code: 'LOCK_FOREIGN',
        message: expect.stringContaining(`other-${os.hostname()}`),
      }),
    );
  });
});
