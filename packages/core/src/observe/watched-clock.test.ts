import { describe, expect, it } from 'vitest';
import { bootClock } from '../boot-clock.js';
import { watchedClock } from './watched-clock.js';

/** A watched clock over one of the test's. */
function watched() {
  let time = 5_000;
  const gaps: number[] = [];
  const now = watchedClock(
    (gapMs) => gaps.push(gapMs),
    () => time,
  );
  return {
    gaps,
    after: (ms: number) => {
      time += ms;
      return now();
    },
  };
}

describe('the clock of the time in which somebody watched', () => {
  it('counts from look to look', () => {
    const { after, gaps } = watched();
    expect([after(0), after(250), after(250), after(1_000)]).toEqual([0, 250, 500, 1_500]);
    expect(gaps).toEqual([]);
  });

  it('counts a second at most where nobody looked, and tells of a long time', () => {
    const { after, gaps } = watched();
    expect([after(250), after(60_000), after(250)]).toEqual([250, 1_250, 1_500]);
    expect(gaps).toEqual([]);
    expect([after(7_380_000), after(250)]).toEqual([2_500, 2_750]);
    expect(gaps).toEqual([7_380_000]);
  });

  it('never goes back', () => {
    const { after } = watched();
    expect([after(500), after(-3_600_000), after(250)]).toEqual([500, 500, 750]);
  });

  it('goes by the clock of the machine, which nobody sets', async () => {
    const now = watchedClock(() => undefined);
    const [before, start] = [bootClock(), performance.now()];
    while (performance.now() - start < 50) await new Promise(setImmediate);
    expect(now()).toBeGreaterThan(0);
    expect(bootClock() - before).toBeGreaterThanOrEqual(30);
  });
});
