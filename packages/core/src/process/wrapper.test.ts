import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { known, temporaryDirectory, until } from '../../test/temporary.js';
import { attempt, emptied } from '../../test/wrapped-attempt.js';
import { bootId, identify, isAlive } from './identity.js';
import { findTree } from './tree.js';
import { reachedTimeLimit, readClaim, readExit, startWrapper } from './wrapper.js';

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
