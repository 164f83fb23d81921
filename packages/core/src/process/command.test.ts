import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { processForTest, temporaryDirectory, until } from '../../test/temporary.js';
import { type CommandOptions, runCommand } from './command.js';
import { readProcess } from './identity.js';

const environment = { PATH: process.env['PATH'] ?? '' };

async function shell(script: string, more: Partial<CommandOptions> = {}) {
  const cwd = more.cwd ?? realpathSync(temporaryDirectory());
  const result = await runCommand(['/bin/sh', '-c', script], {
    cwd,
    env: environment,
    timeoutMs: 20_000,
    ...more,
  });
  return { ...result, cwd };
}

function blockUntilDead(pid: number): void {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (readProcess(pid)?.state !== 'Z') Atomics.wait(cell, 0, 0, 1);
}

const isGone = (pid: number) => () => {
  const entry = readProcess(pid);
  return entry === undefined || entry.state === 'Z';
};

describe('a command', () => {
  it('has its status and its output, of both streams together and of each', async () => {
    const result = await shell('echo out; echo err >&2; exit 3');
    expect(result).toMatchObject({
      status: 3,
      timedOut: false,
      aborted: false,
      stdout: 'out\n',
      stderr: 'err\n',
    });
    expect(result.output.split('\n').toSorted()).toEqual(['', 'err', 'out']);
    expect(result).not.toHaveProperty('spawnError');
    expect(result.durationMs).toBeGreaterThan(0);
  });

  it('runs where it is told to, with the environment it is given and no other', async () => {
    const result = await shell('pwd; echo "$PWD"; env', { env: { ...environment, MINE: 'x' } });
    const [real, told, ...lines] = result.stdout.trim().split('\n');
    expect([real, told]).toEqual([result.cwd, result.cwd]);
    const names = lines.map((line) => line.split('=')[0] ?? '').filter((name) => name !== '_');
    expect(names.toSorted()).toEqual(['DEVFLOW_ATTEMPT_TOKEN', 'MINE', 'PATH', 'PWD']);
  });

  it('gets the input it is given, or none, and may leave it', async () => {
    const input = 'x'.repeat(1_000_000); // more than a pipe holds
    expect((await shell('wc -c', { input })).stdout.trim()).toBe('1000000');
    expect((await shell('wc -c')).stdout.trim()).toBe('0');
    expect(await shell('true', { input })).toMatchObject({ status: 0 });
  });

  it('gets its arguments as they are, without a shell', async () => {
    const cwd = temporaryDirectory();
    const result = await runCommand(['printf', '%s|', '$(id)', '*', 'a b', ''], {
      cwd,
      env: environment,
      timeoutMs: 20_000,
    });
    expect(result.stdout).toBe('$(id)|*|a b||');
  });

  it('has nothing to read', async () => {
    expect(await shell('cat; echo end')).toMatchObject({ status: 0, stdout: 'end\n' });
  });

  it('keeps the end of what it printed, and no more', async () => {
    const { stdout, output } = await shell('yes | head -n 300000; echo END', { keepBytes: 1_000 });
    expect(stdout).toHaveLength(1_000);
    expect(stdout.endsWith('y\nEND\n')).toBe(true);
    expect(output).toBe(stdout);
  });

  it('loses nothing of what it printed last, also where its end is noticed before its output', async () => {
    const cwd = temporaryDirectory();
    const script = 'echo $$ >part; mv part pid; until test -e go; do sleep 0.01; done; echo END';
    const running = shell(script, { cwd });
    const file = path.join(cwd, 'pid');
    await until(() => existsSync(file));
    const pid = Number(readFileSync(file, 'utf8'));
    // While another process's output is looked at, which has ended too, the command prints and ends:
    // then both ends are noticed, and its output has not been looked for.
    const other = processForTest('echo', ['x'], { stdio: ['ignore', 'pipe', 'ignore'] });
    other.stdout?.once('data', () => {
      writeFileSync(path.join(cwd, 'go'), '');
      blockUntilDead(pid);
    });
    blockUntilDead(other.pid);
    expect(await running).toMatchObject({ status: 0, output: 'END\n', stdout: 'END\n' });
  });

  it('ends by a signal without a status', async () => {
    expect(await shell('kill -KILL $$')).toMatchObject({
      status: undefined,
      signal: 'SIGKILL',
      timedOut: false,
      aborted: false,
    });
  });

  it.each([
    ['that is not there', ['no-such-program'], undefined],
    ['without a name', [''], undefined],
    ['in a directory that is not there', ['true'], '/no/such/directory'],
  ])('%s could not be started', async (_, command, directory) => {
    const cwd = directory ?? temporaryDirectory();
    const result = await runCommand(command, { cwd, env: environment, timeoutMs: 20_000 });
    expect(result).toMatchObject({
      status: undefined,
      spawnError: expect.any(String),
      timedOut: false,
      output: '',
    });
  });
});

describe('what a command leaves behind', () => {
  it('is ended with it, and does not keep it from being over', async () => {
    const { status, output, cwd } = await shell('sleep 60 & echo $! >child; echo done');
    expect({ status, output }).toEqual({ status: 0, output: 'done\n' });
    await until(isGone(Number(readFileSync(path.join(cwd, 'child'), 'utf8'))));
  });

  it('in a session of its own is ended too', async () => {
    const { status, cwd } = await shell(
      `setsid sh -c 'echo $$ >child; exec sleep 60' & until test -s child; do sleep 0.01; done`,
    );
    expect(status).toBe(0);
    await until(isGone(Number(readFileSync(path.join(cwd, 'child'), 'utf8'))));
  });
});

describe('the time limit of a command', () => {
  it('ends it with a grandchild that holds its output, at once', async () => {
    const { cwd, durationMs, ...result } = await shell(
      'echo begun; (sleep 60 & echo $! >child; wait)',
      { timeoutMs: 300 },
    );
    expect(result).toMatchObject({
      status: undefined,
      timedOut: true,
      aborted: false,
      output: 'begun\n',
    });
    expect(durationMs).toBeGreaterThanOrEqual(299);
    expect(durationMs).toBeLessThan(10_000);
    await until(isGone(Number(readFileSync(path.join(cwd, 'child'), 'utf8'))));
  });

  it('ends one that ignores TERM', async () => {
    const result = await shell(`trap '' TERM; while :; do sleep 0.05; done`, { timeoutMs: 200 });
    expect(result).toMatchObject({ status: undefined, signal: 'SIGKILL', timedOut: true });
  });

  it('overturns a status that the command gives on its way out', async () => {
    const result = await shell(`trap 'exit 0' TERM; touch there; while :; do sleep 0.05; done`, {
      timeoutMs: 500,
    });
    expect(result).toMatchObject({ status: undefined, timedOut: true });
  });

  it('may be longer than a timer can be', async () => {
    expect(await shell('sleep 0.1; exit 4', { timeoutMs: 30 * 86_400_000 })).toMatchObject({
      status: 4,
      timedOut: false,
    });
  });
});

describe('a stop', () => {
  it('ends a command that runs', async () => {
    const controller = new AbortController();
    const cwd = temporaryDirectory();
    const running = shell('touch there; sleep 60', { cwd, signal: controller.signal });
    await until(() => existsSync(path.join(cwd, 'there')));
    controller.abort();
    expect(await running).toMatchObject({ status: undefined, aborted: true, timedOut: false });
  });

  it('that came before ends it too', async () => {
    expect(await shell('sleep 60', { signal: AbortSignal.abort() })).toMatchObject({
      status: undefined,
      aborted: true,
    });
  });

  it('that comes later changes nothing', async () => {
    const controller = new AbortController();
    const result = await shell('exit 0', { signal: controller.signal });
    controller.abort();
    expect(result).toMatchObject({ status: 0, aborted: false });
  });
});
