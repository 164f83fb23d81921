import { describe, expect, it } from 'vitest';
import { durationBetween, momentNow } from './duration.js';

const HOUR = 3_600_000;

describe('how long an attempt took', () => {
  const from = { boot: 1_000, wall: 10 * HOUR };
  const to = { boot: 1_000 + 90_000, wall: 10 * HOUR + 90_000 };

  it('is what the instants on the disk say, where the clock ran on', () => {
    expect(durationBetween(from.wall + 100, from.wall + 60_100, { from, to })).toBe(60_000);
    expect(durationBetween(from.wall, from.wall + 60_000)).toBe(60_000);
  });

  it.each([HOUR, -HOUR])('takes off by how much the clock was set in between: %i', (set) => {
    const moved = { ...to, wall: to.wall + set };
    expect(durationBetween(from.wall + 100, from.wall + 60_100 + set, { from, to: moved })).toBe(
      60_000,
    );
  });

  it('is neither negative nor longer than what passed, whenever the clock was set', () => {
    const moved = { ...to, wall: to.wall + HOUR }; // after its end
    expect(durationBetween(from.wall + 100, from.wall + 60_100, { from, to: moved })).toBe(0);
    const back = { ...to, wall: to.wall - HOUR };
    expect(durationBetween(from.wall + 100, from.wall + 60_100, { from, to: back })).toBe(90_000);
    expect(durationBetween(from.wall, from.wall - HOUR)).toBe(0);
  });

  it('is measured by two clocks that run alike', () => {
    const first = momentNow();
    const second = momentNow();
    expect(second.boot).toBeGreaterThanOrEqual(first.boot);
    expect(durationBetween(first.wall, second.wall, { from: first, to: second })).toBeLessThan(
      1_000,
    );
  });
});
