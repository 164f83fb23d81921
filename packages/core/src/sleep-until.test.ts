import { afterEach, describe, expect, it, vi } from 'vitest';
import { sleepUntil } from './sleep-until.js';

const never = new AbortController().signal;

describe('sleeping until an instant', () => {
  afterEach(() => void vi.useRealTimers());

  it('ends when it has come, and not before', async () => {
    const start = Date.now();
    expect(await sleepUntil(start + 30, never)).toBe(true);
    expect(Date.now()).toBeGreaterThanOrEqual(start + 30);
  });

  it('ends at once where it has passed', async () => {
    expect(await sleepUntil(0, never)).toBe(true);
  });

  it('ends where it is stopped, and says so', async () => {
    const stop = new AbortController();
    const slept = sleepUntil(Date.now() + 3_600_000, stop.signal);
    stop.abort();
    expect(await slept).toBe(false);
    expect(await sleepUntil(0, stop.signal)).toBe(false);
  });

  it('notices a clock that jumped over it', async () => {
    vi.useFakeTimers({ toFake: ['Date'] }); // the timers are real: a clock that jumps moves no timer
    const start = Date.now();
    const slept = sleepUntil(start + 20, never);
    vi.setSystemTime(start + 3_600_000);
    expect(await slept).toBe(true);
  });
});
