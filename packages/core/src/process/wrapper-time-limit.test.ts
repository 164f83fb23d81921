import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sourceProgram } from '../../test/source-program.js';
import { exitOf, until } from '../../test/temporary.js';
import { attempt, emptied } from '../../test/wrapped-attempt.js';
import { findTree } from './tree.js';
import { reachedTimeLimit, readExit, startWrapper } from './wrapper.js';

const holderProgram = sourceProgram(`
    import { startWrapper } from 'devflow:process/wrapper';
    const { identity } = await startWrapper(JSON.parse(process.argv[2]));
    process.send(identity);
    setInterval(() => undefined, 1_000);
  `);

describe('the time limit', () => {
  it('ends an attempt without any holder, and says that it did', async () => {
    const used = attempt('touch there; sleep 60', { timeoutMs: 1_000 });
    const holder: ChildProcess = fork(holderProgram(), [JSON.stringify(used.command)], {
      stdio: 'ignore',
      env: {},
    });
    await new Promise((resolve) => holder.once('message', resolve));
    holder.kill('SIGKILL');
    await exitOf(holder);
    expect(readExit(used.command.dir)).toBeUndefined();
    await until(() => readExit(used.command.dir));
    expect(readExit(used.command.dir)).toBe(143);
    expect(reachedTimeLimit(used.command.dir)).toBe(true);
  });

  it('is not reached where the agent kills the sleep that waits for it', async () => {
    const used = attempt('until test -e go; do :; done; exit 3', { graceS: 1 });
    const { exited } = await startWrapper(used.command);
    const isSleep = ({ pid }: { pid: number }) => {
      try {
        return readFileSync(`/proc/${pid}/comm`, 'latin1') === 'sleep\n';
      } catch {
        return false; // it went in between
      }
    };
    const clock = () => findTree(used.tree).find(isSleep);
    const { pid } = await until(clock);
    process.kill(pid, 'SIGTERM');
    await until(() => clock()?.pid !== pid && clock());
    writeFileSync(used.at('go'), '');
    await exited;
    expect(readExit(used.command.dir)).toBe(3);
    expect(reachedTimeLimit(used.command.dir)).toBe(false);
    await emptied(used);
  });

  it('kills a program that ignores TERM, after a grace period', async () => {
    const used = attempt(`trap '' TERM; touch there; while :; do sleep 0.05; done`, {
      timeoutMs: 1_000,
      graceS: 1,
    });
    await (
      await startWrapper(used.command)
    ).exited;
    expect(readExit(used.command.dir)).toBe(137);
    expect(reachedTimeLimit(used.command.dir)).toBe(true);
    await emptied(used);
  });

  it('lets a program end by itself in the grace period, and its own status stays', async () => {
    const used = attempt(`trap 'exit 7' TERM; while :; do sleep 0.05; done`, {
      timeoutMs: 1_000,
      graceS: 1,
    });
    await (
      await startWrapper(used.command)
    ).exited;
    expect(readExit(used.command.dir)).toBe(7);
    await emptied(used);
    expect(readExit(used.command.dir)).toBe(7);
  });

  it('is over with the program: it ends nothing that comes later', async () => {
    const used = attempt('exit 0', { timeoutMs: 1_000 });
    await (
      await startWrapper(used.command)
    ).exited;
    await emptied(used);
    rmSync(used.at('exit'));
    expect(reachedTimeLimit(used.command.dir)).toBe(false);
  });
});
