import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sourceProgram } from '../../test/source-program.js';
import { exitOf, temporaryDirectory, until, known } from '../../test/temporary.js';
import { bootId, identify, isAlive } from './identity.js';
import { type ProcessTree, MARKER_VARIABLE, endTree, findTree } from './tree.js';
import {
  type WrappedCommand,
  reachedTimeLimit,
  readClaim,
  readExit,
  startWrapper,
} from './wrapper.js';

const holderProgram = sourceProgram(`
    import { startWrapper } from 'devflow:process/wrapper';
    const { identity } = await startWrapper(JSON.parse(process.argv[2]));
    process.send(identity);
    setInterval(() => undefined, 1_000);
  `);

interface Attempt {
  readonly command: WrappedCommand;
  readonly tree: ProcessTree;
  at(name: string): string;
  read(name: string): string;
}

function attempt(script: string, more: Partial<WrappedCommand> = {}): Attempt {
  const cwd = temporaryDirectory();
  const dir = path.join(cwd, "an 'attempt' $(x)");
  mkdirSync(dir);
  const stdin = path.join(dir, 'prompt.md');
  writeFileSync(stdin, 'the prompt\n');
  const token = path.basename(cwd);
  const env = { PATH: process.env['PATH'] ?? '', [MARKER_VARIABLE]: token };
  const tree = {
    leader: undefined,
    marker: `${MARKER_VARIABLE}=${token}`,
    seen: new Set<string>(),
  };
  onTestFinished(() => endTree(tree, { graceMs: 0 }).then(() => undefined));
  const at = (name: string) => path.join(dir, name);
  return {
    command: {
      dir,
      stdin,
      program: '/bin/sh',
      args: ['-c', script],
      cwd: dir,
      env,
      timeoutMs: 60_000,
      ...more,
    },
    tree,
    at,
    read: (name) => readFileSync(at(name), 'utf8'),
  };
}

const emptied = (used: Attempt) => until(() => findTree(used.tree).length === 0);

describe('a wrapper', () => {
  it.each([0, 1, 75, 126, 200, 255])('writes down the exit status %i', async (status) => {
    const { command } = attempt(`exit ${status}`);
    const { exited } = await startWrapper(command);
    await exited;
    expect(readExit(command.dir)).toBe(status);
    expect(reachedTimeLimit(command.dir)).toBe(false);
  });

  it('gives the command its stdin, its arguments as they are, and a file for each stream', async () => {
    const args = [
      '-c',
      'cat; printf "<%s>" "$@"; echo oops >&2; pwd',
      'sh',
      'a b',
      '$(id)',
      '*',
      "it's",
      '',
      '\\',
      '\n',
    ];
    const used = attempt('', { args });
    await (
      await startWrapper(used.command)
    ).exited;
    expect(used.read('stdout.log')).toBe(
      `the prompt\n<a b><$(id)><*><it's><><\\><\n>${used.command.dir}\n`,
    );
    expect(used.read('stderr.log')).toBe('oops\n');
  });

  it('leaves nothing behind when the command has ended', async () => {
    const used = attempt('true');
    await (
      await startWrapper(used.command)
    ).exited;
    await emptied(used);
  });

  it('says who it is by its claim, with start time and boot', async () => {
    const used = attempt('until test -e go; do sleep 0.01; done');
    expect(readClaim(used.command.dir)).toBeUndefined();
    const { identity, exited } = await startWrapper(used.command);
    await until(
      () => readClaim(used.command.dir) !== undefined && readClaim(used.command.dir) !== 'lost',
    );
    expect(readClaim(used.command.dir)).toEqual(identity);
    expect(identity).toMatchObject({ bootId: bootId() });
    expect(isAlive(known(identity))).toBe(true);
    writeFileSync(used.at('go'), '');
    await exited;
  });

  it('writes 127 where the program is not there, and 126 where it cannot be executed', async () => {
    const none = attempt('', { program: '/no/such/program', args: [] });
    await (
      await startWrapper(none.command)
    ).exited;
    expect(readExit(none.command.dir)).toBe(127);
    const file = attempt('');
    await (
      await startWrapper({ ...file.command, program: file.command.stdin, args: [] })
    ).exited;
    expect(readExit(file.command.dir)).toBe(126);
  });

  it('is refused where the system cannot start it', async () => {
    const used = attempt('', { args: ['x'.repeat(200_000)] });
    await expect(startWrapper(used.command)).rejects.toThrow('E2BIG');
    await expect(
      startWrapper({ ...used.command, args: [], cwd: '/no/such/directory' }),
    ).rejects.toThrow('ENOENT');
    expect(readClaim(used.command.dir)).toBeUndefined();
  });
});

describe('the claim of an attempt', () => {
  it('is taken once, however many wrappers there are', async () => {
    for (let round = 0; round < 10; round += 1) {
      const used = attempt('echo ran >>runs');
      const wrappers = await Promise.all([1, 2, 3].map(() => startWrapper(used.command)));
      await Promise.all(wrappers.map(({ exited }) => exited));
      expect(used.read('runs')).toBe('ran\n');
      expect(readExit(used.command.dir)).toBe(0);
      const winners = wrappers.filter(
        ({ identity }) => JSON.stringify(identity) === JSON.stringify(readClaim(used.command.dir)),
      );
      expect(winners.length).toBeLessThanOrEqual(1);
    }
  });

  it('that is taken keeps a later wrapper from everything', async () => {
    const used = attempt('echo ran >>runs; exit 3');
    await (
      await startWrapper(used.command)
    ).exited;
    const claim = readClaim(used.command.dir);
    await (
      await startWrapper(used.command)
    ).exited;
    expect(used.read('runs')).toBe('ran\n');
    expect(readExit(used.command.dir)).toBe(3);
    expect(readClaim(used.command.dir)).toEqual(claim);
  });

  it.each([
    ['has no owner', ''],
    ['has half an owner', 'boot\n'],
    ['has an owner whose line has no end', `boot\n12 (sh) S${' 1'.repeat(20)}`],
    ['has an owner that makes no sense', 'boot\nhello\n'],
  ])('that %s is lost', (_, owner) => {
    const dir = temporaryDirectory();
    writeFileSync(path.join(dir, 'claim'), owner);
    expect(readClaim(dir)).toBe('lost');
  });

  it('names an owner with any name', () => {
    const dir = temporaryDirectory();
    const stat = readFileSync('/proc/self/stat', 'latin1').replace(/\(.*\)/, '(a) b (c)');
    writeFileSync(path.join(dir, 'claim'), `${bootId()}\n${stat}`);
    expect(readClaim(dir)).toEqual(identify(process.pid));
  });
});

describe('the exit status', () => {
  it.each([
    ['', undefined],
    ['14', undefined],
    ['x\n', undefined],
    ['0\n', 0],
    ['143\n', 143],
  ])('in %j is %s: half of one is none', (content, status) => {
    const dir = temporaryDirectory();
    expect(readExit(dir)).toBeUndefined();
    writeFileSync(path.join(dir, 'exit'), content);
    expect(readExit(dir)).toBe(status);
  });

  it('is 143 where the whole group got a TERM, and the wrapper lives to write it', async () => {
    const used = attempt('touch there; exec sleep 60');
    const { identity, exited } = await startWrapper(used.command);
    await until(() => existsSync(used.at('there')));
    process.kill(-known(identity?.pid), 'SIGTERM');
    await exited;
    expect(readExit(used.command.dir)).toBe(143);
    expect(reachedTimeLimit(used.command.dir)).toBe(false);
    await emptied(used);
  });

  it('is 137 where the command was killed', async () => {
    const used = attempt('kill -KILL $$');
    await (
      await startWrapper(used.command)
    ).exited;
    expect(readExit(used.command.dir)).toBe(137);
  });

  it('is none where the wrapper was killed', async () => {
    const used = attempt('touch there; exec sleep 60');
    const { identity, exited } = await startWrapper(used.command);
    await until(() => existsSync(used.at('there')));
    process.kill(known(identity?.pid), 'SIGKILL');
    await exited;
    expect(readExit(used.command.dir)).toBeUndefined();
    expect(isAlive(known(identity))).toBe(false);
    expect(findTree(used.tree).length).toBeGreaterThan(0); // for the sweep
  });
});

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
