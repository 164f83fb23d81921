import { describe, expect, it } from 'vitest';
import { type Breaker, breakerState, closes, isPlausible, opened } from './breaker.js';
import type { Outcome } from '../state/records.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const AT = Date.UTC(2030, 0, 1);
const instant = (ms: number) => new Date(ms).toISOString();

/** A turn that began at an instant, in minutes, and was ended by a limit a minute later. */
function turn(minute: number, resetsAt?: number) {
  return {
    adapter: 'codex',
    account: 'subscription',
    agent: 'fast',
    run: 'a',
    repository: '/r',
    startedAt: instant(AT + minute * MINUTE),
    at: AT + (minute + 1) * MINUTE,
    ...(resetsAt !== undefined && { resetsAt: instant(AT + resetsAt * MINUTE) }),
  };
}
const until = ({ until: end }: Breaker) => (Date.parse(end) - AT) / MINUTE;

describe('the breaker of an account', () => {
  it('is open until the reset, then half-open: it may be asked, and is still known', () => {
    const breaker = opened(undefined, turn(0, 60));
    expect(breaker).toMatchObject({ v: 1, failures: 1, openedAt: instant(AT + MINUTE), run: 'a' });
    expect(breakerState(breaker, AT + 60 * MINUTE - 1)).toBe('open');
    expect(breakerState(breaker, AT + 60 * MINUTE)).toBe('half-open');
  });

  it('opens for longer each time that it was asked in vain, up to an hour', () => {
    const first = opened(undefined, turn(0));
    const second = opened(first, turn(2));
    expect([until(first), until(second)]).toEqual([2, 5]);
    let breaker = second;
    for (let minute = 100; minute < 2_000; minute += 100) breaker = opened(breaker, turn(minute));
    expect(until(breaker)).toBe(1_961);
    expect(breaker.failures).toBe(21);
  });

  it('counts turns that were under way together once, and opens for the longest of them', () => {
    const first = opened(undefined, turn(0, 60));
    const second = opened(first, { ...turn(0.5), run: 'b' });
    expect(second).toMatchObject({ failures: 1, run: 'b' });
    expect(until(second)).toBe(60);
    expect(until(opened(first, turn(0.5, 90)))).toBe(90);
  });

  it('is not open for more than 8 days', () => {
    expect(until(opened(undefined, turn(0, 30 * 1_440)))).toBe(1 + 8 * 1_440);
  });

  it.each<[closes: boolean, outcomes: Outcome[]]>([
    [true, ['completed', 'declined', 'no-change', 'rejected']],
    [false, ['rate-limited', 'auth', 'crashed', 'stopped', 'timed-out', 'idle', 'not-started']],
    [false, ['failed', 'incomplete', 'over-budget']],
  ])('is closed (%s) by %j of a turn that began after it', (expected, outcomes) => {
    const breaker = opened(undefined, turn(0, 60));
    for (const outcome of outcomes)
      expect(closes(breaker, outcome, turn(60).startedAt)).toBe(expected);
  });

  it('is not closed by a turn that was under way when it opened', () => {
    expect(closes(opened(undefined, turn(0, 60)), 'completed', turn(0.5).startedAt)).toBe(false);
  });

  it('is not believed where it was learned in the future, or holds for longer than any', () => {
    const breaker = opened(undefined, turn(0, 60));
    expect(isPlausible(breaker, AT + MINUTE)).toBe(true);
    expect(isPlausible(breaker, AT - DAY)).toBe(false);
    expect(isPlausible({ ...breaker, until: instant(AT + 365 * DAY) }, AT + MINUTE)).toBe(false);
    expect(isPlausible({ ...breaker, until: instant(AT - DAY) }, AT + MINUTE)).toBe(false);
  });
});
