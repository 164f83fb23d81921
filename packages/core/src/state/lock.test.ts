import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sourceProgram } from '../../test/source-program.js';
import {
  exitOf,
  neglectedProcess,
  processForTest,
  temporaryDirectory,
} from '../../test/temporary.js';
import { identify } from '../process/identity.js';
import { type Holder, type Lock, holderState, ownHolder, readHolder, tryLock } from './lock.js';

const program = sourceProgram(`
    import { tryLock } from 'devflow:state/lock';
    import { closeSync, openSync, rmSync } from 'node:fs';
    const [file, inside] = process.argv.slice(2);
    /** Holds the lock for a moment; tells whether somebody else was there, or took it away. */
    function work() {
      for (;;) {
        const lock = tryLock(file);
        if (!('release' in lock)) continue;
        try {
          closeSync(openSync(inside, 'wx'));
          for (const until = performance.now() + 1; performance.now() < until;) lock.assertHeld();
          rmSync(inside);
          return 'worked';
        } catch (error) {
          return String(error);
        } finally {
          lock.release();
        }
      }
    }
    process.on('message', (message) => {
      if (message === 'hold') process.send('release' in tryLock(file) ? 'held' : 'refused');
      else process.send(work());
    });
    process.send('ready');
  `);

function otherProcess(...args: string[]): {
  child: ChildProcess;
  ask(message: string): Promise<unknown>;
} {
  const child = fork(program(), args, { stdio: 'ignore', env: {} });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exitOf(child);
  });
  const answer = () => new Promise((resolve) => child.once('message', resolve));
  const ready = answer();
  return {
    child,
    async ask(message) {
      await ready;
      const said = answer();
      child.send(message);
      return said;
    },
  };
}

async function deadHolder(): Promise<Holder> {
  const child = processForTest('sleep', ['60']);
  const identity = identify(child.pid);
  child.kill('SIGKILL');
  await exitOf(child);
  return { ...ownHolder(), ...identity };
}

function lockedBy(holder: Holder): string {
  const file = path.join(temporaryDirectory(), 'lock');
  writeFileSync(file, JSON.stringify(holder));
  return file;
}

function held(lock: Lock | { heldBy: Holder }): Lock {
  if ('heldBy' in lock) throw new Error(`held by ${lock.heldBy.pid}`);
  return lock;
}

describe('a lock', () => {
  it('is taken by the first, told to the second, and free once it is released', () => {
    const file = path.join(temporaryDirectory(), 'lock');
    const first = held(tryLock(file));
    expect(readHolder(file)).toMatchObject(ownHolder());
    expect(tryLock(file)).toMatchObject({ heldBy: ownHolder() });
    first.release();
    expect(existsSync(file)).toBe(false);
    held(tryLock(file)).release();
  });

  it('leaves nothing beside it', () => {
    const file = path.join(temporaryDirectory(), 'lock');
    const lock = held(tryLock(file));
    tryLock(file);
    expect(readdirSync(path.dirname(file))).toEqual(['lock']);
    lock.release();
    expect(readdirSync(path.dirname(file))).toEqual([]);
  });

  it('of a process that was killed is taken over, and the dead holder is named', async () => {
    const file = path.join(temporaryDirectory(), 'lock');
    const { child, ask } = otherProcess(file);
    expect(await ask('hold')).toBe('held');
    expect(tryLock(file)).toMatchObject({ heldBy: { pid: child.pid } });
    child.kill('SIGKILL');
    await exitOf(child);
    expect(held(tryLock(file)).tookOver).toMatchObject({ pid: child.pid });
    expect(readdirSync(path.dirname(file))).toEqual(['lock']);
  });

  it('of a pid that is another process by now is taken over', () => {
    const file = lockedBy({ ...ownHolder(), startTime: '1' });
    expect(held(tryLock(file)).tookOver).toMatchObject({ pid: process.pid, startTime: '1' });
  });

  it('of before a reboot is taken over, also where its namespace had another name', () => {
    const file = lockedBy({ ...ownHolder(), bootId: 'before', pidNamespace: 'pid:[1]' });
    expect(held(tryLock(file)).tookOver).toMatchObject({ bootId: 'before' });
  });

  it('of another host is never taken over', () => {
    const holder = {
      ...ownHolder(),
      host: `not-${os.hostname()}`,
      startTime: '1',
      bootId: 'other',
    };
    const file = lockedBy(holder);
    expect(tryLock(file)).toEqual({ heldBy: holder });
    expect(readHolder(file)).toEqual(holder);
  });

  it('of another PID namespace is never taken over', () => {
    const holder = { ...ownHolder(), pidNamespace: 'pid:[1]', startTime: '1' };
    expect(tryLock(lockedBy(holder))).toEqual({ heldBy: holder });
  });

  it('whose heir died while it took over is taken over all the same', async () => {
    const file = lockedBy(await deadHolder());
    writeFileSync(`${file}.heir`, JSON.stringify(await deadHolder()));
    held(tryLock(file)).release();
    expect(readdirSync(path.dirname(file))).toEqual([]);
  });

  it('that another takes over just now is held by that one', async () => {
    const file = lockedBy(await deadHolder());
    const heir = { ...ownHolder(), ...identify(processForTest('sleep', ['60']).pid) };
    writeFileSync(`${file}.heir`, JSON.stringify(heir));
    expect(tryLock(file)).toEqual({ heldBy: heir });
  });

  it('that was taken away says so, and its release leaves the new one alone', () => {
    const file = path.join(temporaryDirectory(), 'lock');
    const lock = held(tryLock(file));
    lock.assertHeld();
    rmSync(file); // the new one may well get the same inode
    const other = held(tryLock(file));
    expect(() => lock.assertHeld()).toThrow(expect.objectContaining({ code: 'LOCK_LOST' }));
    lock.release();
    other.assertHeld();
    other.release();
    expect(() => other.assertHeld()).toThrow(expect.objectContaining({ code: 'LOCK_LOST' }));
  });

  it('that is not readable is an error, never free', () => {
    const file = path.join(temporaryDirectory(), 'lock');
    writeFileSync(file, '{"pid":');
    expect(() => tryLock(file)).toThrow(expect.objectContaining({ code: 'STATE_UNREADABLE' }));
    expect(readFileSync(file, 'utf8')).toBe('{"pid":');
  });
});

describe('many processes that race for the lock of a dead one', () => {
  it.each([
    [2, 50],
    [4, 25],
  ])(
    '%i of them, %i times: each gets it, one at a time, and nobody loses it',
    async (count, times) => {
      const file = path.join(temporaryDirectory(), 'lock');
      const inside = `${file}.inside`;
      const dead = JSON.stringify(await deadHolder());
      const others = Array.from({ length: count }, () => otherProcess(file, inside));
      for (let round = 0; round < times; round += 1) {
        writeFileSync(file, dead);
        const answers = await Promise.all(others.map(({ ask }) => ask('work')));
        expect(answers).toEqual(others.map(() => 'worked'));
        expect(readdirSync(path.dirname(file))).toEqual([]);
      }
    },
  );
});

describe('a holder', () => {
  it('is alive, dead, or of elsewhere', async () => {
    expect(holderState(ownHolder())).toBe('alive');
    expect(holderState(await deadHolder())).toBe('dead');
    expect(holderState({ ...ownHolder(), host: 'elsewhere', bootId: 'other' })).toBe('foreign');
    expect(holderState({ ...ownHolder(), pidNamespace: 'pid:[1]' })).toBe('foreign');
    expect(holderState({ ...ownHolder(), startTime: '1' })).toBe('dead');
    expect(holderState({ ...ownHolder(), bootId: 'before' })).toBe('dead');
  });

  it('is still the same after its host was renamed', async () => {
    expect(holderState({ ...ownHolder(), host: 'renamed' })).toBe('alive');
    expect(holderState({ ...(await deadHolder()), host: 'renamed' })).toBe('dead');
  });

  it('that is a zombie is dead', async () => {
    const pid = await neglectedProcess();
    const holder = { ...ownHolder(), ...identify(pid) };
    expect(holderState(holder)).toBe('alive');
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => holderState(holder)).toBe('dead');
    expect(() => process.kill(pid, 0)).not.toThrow();
  });

  it('is nobody where there is no lock', () => {
    expect(readHolder(path.join(temporaryDirectory(), 'lock'))).toBeUndefined();
  });
});
