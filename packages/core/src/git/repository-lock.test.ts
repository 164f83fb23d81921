import { existsSync, writeFileSync } from 'node:fs';
import { fork } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sourceProgram } from '../../test/source-program.js';
import { exitOf, temporaryDirectory } from '../../test/temporary.js';
import { makeDirectory } from '../state/files.js';
import { ownHolder } from '../state/lock.js';
import { withRepositoryLock } from './repository-lock.js';

const program = sourceProgram(`
    import { closeSync, openSync, rmSync } from 'node:fs';
    import { setTimeout as delay } from 'node:timers/promises';
    import { withRepositoryLock } from 'devflow:git/repository-lock';
    const [directory] = process.argv.slice(2);
    await Promise.all(Array.from({ length: 10 }, () => withRepositoryLock(directory, async () => {
      closeSync(openSync(directory + '/inside', 'wx'));
      await delay(1);
      rmSync(directory + '/inside');
    })));
  `);

const lockFile = (commonDir: string) => path.join(commonDir, 'devflow', 'worktrees.lock');

describe('changes of a repository', () => {
  it('are made one at a time, in the order they were asked for, and give back what they made', async () => {
    const commonDir = temporaryDirectory();
    const seen: string[] = [];
    const change = (name: string) =>
      withRepositoryLock(commonDir, async () => {
        seen.push(`${name} begins`);
        await delay(1);
        seen.push(`${name} ends`);
        return name;
      });
    expect(await Promise.all(['a', 'b', 'c'].map(change))).toEqual(['a', 'b', 'c']);
    expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
    expect(existsSync(lockFile(commonDir))).toBe(false);
  });

  it('that fail do not keep the next from being made', async () => {
    const commonDir = temporaryDirectory();
    const failing = withRepositoryLock(commonDir, () => Promise.reject(new Error('no')));
    const next = withRepositoryLock(commonDir, () => Promise.resolve('yes'));
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
    expect(existsSync(lockFile(commonDir))).toBe(false);
  });

  it('in another repository wait for nobody', async () => {
    const [one, other] = [temporaryDirectory(), temporaryDirectory()];
    await withRepositoryLock(one, () => withRepositoryLock(other, () => Promise.resolve()));
  });

  it('are not kept waiting by a dead process', async () => {
    const commonDir = temporaryDirectory();
    makeDirectory(path.dirname(lockFile(commonDir)));
    writeFileSync(lockFile(commonDir), JSON.stringify({ ...ownHolder(), startTime: '1' }));
    expect(await withRepositoryLock(commonDir, () => Promise.resolve('made'))).toBe('made');
  });

  it('are made one at a time by several processes too', async () => {
    const commonDir = temporaryDirectory();
    const children = [1, 2, 3].map(() =>
      fork(program(), [commonDir], { env: {}, stdio: 'ignore' }),
    );
    onTestFinished(() => children.forEach((child) => child.kill('SIGKILL')));
    expect(await Promise.all(children.map(exitOf))).toEqual([0, 0, 0]);
    expect(existsSync(lockFile(commonDir))).toBe(false);
  });
});
