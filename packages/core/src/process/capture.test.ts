import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory, until } from '../../test/temporary.js';
import { capture } from './capture.js';

const env = { PATH: process.env['PATH'] ?? '' };
const captured = (script: string, stdin?: string, signal?: AbortSignal) =>
  capture('/bin/sh', ['-c', script], {
    cwd: temporaryDirectory(),
    env,
    signal,
    ...(stdin !== undefined && { stdin }),
  });

describe('a program whose output is captured', () => {
  it('gives its status and all that it printed, byte by byte', async () => {
    const { status, stdout, stderr, error } = await captured(
      String.raw`printf 'a\0\377'; echo err >&2; exit 2`,
    );
    expect(status).toBe(2);
    expect([...stdout]).toEqual([0x61, 0, 0xff]);
    expect(stderr).toBe('err\n');
    expect(error).toBeUndefined();
  });

  it('may print megabytes', async () => {
    expect((await captured('yes | head -c 3000000')).stdout).toHaveLength(3_000_000);
  });

  it('reads what it is given, and nothing where it is given nothing', async () => {
    expect((await captured('cat', 'the input')).stdout.toString()).toBe('the input');
    expect((await captured('cat')).stdout.toString()).toBe('');
  });

  it('may end without reading', async () => {
    expect(await captured('exit 3', 'x'.repeat(1_000_000))).toMatchObject({ status: 3 });
  });

  it('has no status where a signal ended it', async () => {
    expect(await captured('kill -KILL $$')).toMatchObject({ status: undefined });
  });

  it('is in a group of its own: what the terminal sends to the group of devflow does not reach it', async () => {
    const [pid, group] = (await captured('cut -d" " -f1,5 /proc/$$/stat')).stdout
      .toString()
      .trim()
      .split(' ');
    expect(group).toBe(pid);
  });

  it('is ended with its children where that is asked for, and has no status then', async () => {
    const stop = new AbortController();
    const start = performance.now();
    const ended = captured('sleep 41; exit 0', undefined, stop.signal);
    stop.abort();
    expect(await ended).toMatchObject({ status: undefined });
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  it('is killed where it ignores that, also if a child that hides holds its output', async () => {
    const stop = new AbortController();
    const there = path.join(temporaryDirectory(), 'there');
    const ended = captured(
      `trap '' TERM; setsid sleep 7 & touch ${there}; while :; do sleep 0.05; done`,
      undefined,
      stop.signal,
    );
    await until(() => existsSync(there));
    stop.abort();
    expect(await ended).toMatchObject({ status: undefined });
  });

  it('says so where it cannot be started', async () => {
    const result = await capture('no-such-program', [], { cwd: temporaryDirectory(), env });
    expect(result).toMatchObject({ status: undefined, error: { code: 'ENOENT' }, stderr: '' });
  });
});
