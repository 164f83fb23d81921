import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exitOf, known, neglectedProcess, processForTest, until } from '../../test/temporary.js';
import { bootId, identify, isAlive, isDead, pidNamespace, readProcess } from './identity.js';

describe('a process', () => {
  it('has a parent, a group, a state and a start time', () => {
    const child = processForTest('sleep', ['60'], { detached: true });
    expect(readProcess(child.pid)).toEqual({
      pid: child.pid,
      parent: process.pid,
      group: child.pid,
      state: expect.stringMatching(/^[A-Z]$/),
      startTime: expect.stringMatching(/^\d+$/),
      cpuTicks: expect.any(Number),
    });
  });

  it('has used the processor, or has not', async () => {
    const idle = processForTest('sleep', ['60']);
    const busy = processForTest('/bin/sh', ['-c', 'while :; do :; done']);
    await until(() => (readProcess(busy.pid)?.cpuTicks ?? 0) > 20);
    expect(readProcess(idle.pid)?.cpuTicks).toBeLessThan(5);
  });

  it('may have any name, with brackets and spaces too', async () => {
    const child = processForTest(
      '/bin/sh',
      ['-c', "printf ') Z 1 (x y' >/proc/$$/comm; sleep 60; :"],
      { detached: true },
    );
    onTestFinished(() => void process.kill(-child.pid, 'SIGKILL'));
    const before = readProcess(child.pid);
    await until(() => readFileSync(`/proc/${child.pid}/stat`, 'latin1').includes('() Z 1 (x y)'));
    expect(readProcess(child.pid)).toMatchObject({
      parent: process.pid,
      startTime: before?.startTime,
    });
  });

  it('that is gone has no entry and no identity', async () => {
    const child = processForTest('true', []);
    await exitOf(child);
    expect(readProcess(child.pid)).toBeUndefined();
    expect(identify(child.pid)).toBeUndefined();
  });

  it('is alive until it ends', async () => {
    const child = processForTest('sleep', ['60']);
    const identity = known(identify(child.pid));
    expect(isAlive(identity)).toBe(true);
    child.kill('SIGKILL');
    await exitOf(child);
    expect(isAlive(identity)).toBe(false);
  });

  it('that is a zombie is dead, although it can be signalled', async () => {
    const pid = await neglectedProcess();
    const identity = known(identify(pid));
    process.kill(pid, 'SIGKILL');
    await until(() => readProcess(pid)?.state === 'Z');
    expect(() => process.kill(pid, 0)).not.toThrow();
    expect(isAlive(identity)).toBe(false);
  });

  it('is another where its start time or the boot is another', () => {
    const identity = known(identify(process.pid));
    expect(isAlive(identity)).toBe(true);
    expect(isAlive({ ...identity, startTime: '1' })).toBe(false);
    expect(isAlive({ ...identity, bootId: 'before' })).toBe(false);
  });

  it.each([
    ['R', false],
    ['S', false],
    ['T', false],
    ['D', false],
    ['Z', true],
    ['X', true],
  ])('in state %s is dead: %s', (state, dead) => {
    expect(isDead({ pid: 1, parent: 0, group: 1, startTime: '1', cpuTicks: 0, state })).toBe(dead);
  });

  it('runs in a boot and a namespace that have names', () => {
    expect(bootId()).toMatch(/^[0-9a-f-]{36}$/);
    expect(pidNamespace()).toMatch(/^pid:\[\d+\]$/);
  });
});
