import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../../test/temporary.js';
import { wakeOnChanges } from './wake.js';

/** So long that a test which waits for it fails. */
const LONG = 60_000;

function waking(...directories: string[]) {
  const wake = wakeOnChanges(directories);
  onTestFinished(() => wake.close());
  return wake;
}

describe('who waits', () => {
  it('is woken by a change in a directory', async () => {
    const directory = temporaryDirectory();
    const wake = waking(directory);
    const woken = wake.wait(LONG);
    writeFileSync(path.join(directory, 'stdout.log'), 'x');
    await woken;
  });

  it('is woken by a change in any of several directories', async () => {
    const directory = temporaryDirectory();
    const wake = waking(temporaryDirectory(), directory);
    const woken = wake.wait(LONG);
    writeFileSync(path.join(directory, 'exit'), '0\n');
    await woken;
  });

  it('is woken by hand', async () => {
    const wake = waking(temporaryDirectory());
    const woken = wake.wait(LONG);
    wake.now();
    await woken;
  });

  it('is not kept waiting by what happened before', async () => {
    const wake = waking(temporaryDirectory());
    wake.now();
    await wake.wait(LONG);
  });

  it('waits again after that, until the time is over', async () => {
    const wake = waking(temporaryDirectory());
    wake.now();
    await wake.wait(LONG);
    const start = performance.now();
    await wake.wait(50);
    expect(performance.now() - start).toBeGreaterThanOrEqual(49);
  });

  it('is woken again and again', async () => {
    const directory = temporaryDirectory();
    const wake = waking(directory);
    for (let round = 0; round < 20; round += 1) {
      const woken = wake.wait(LONG);
      writeFileSync(path.join(directory, 'stdout.log'), `${round}`);
      await woken;
    }
  });

  it('looks often where a directory cannot be watched', async () => {
    const wake = waking(path.join(temporaryDirectory(), 'none'));
    await wake.wait(LONG);
  });

  it('is not harmed by a directory that goes away', async () => {
    const directory = path.join(temporaryDirectory(), 'sub');
    mkdirSync(directory);
    const wake = waking(directory);
    rmSync(directory, { recursive: true });
    await wake.wait(LONG);
    wake.close();
  });
});
