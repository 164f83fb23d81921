import { bootClock } from '../boot-clock.js';

/** What one step of the clock counts at most: looks are far closer together where somebody watches. */
const STEP_MS = 1_000;
/** From this length on it is told that nobody watched. */
const TOLD_MS = 60_000;

/**
 * A clock of the time in which somebody watched, in milliseconds: to be asked at each look. While the machine
 * sleeps, or devflow is stopped, nobody looks, and that is no silence of an agent's.
 * @param onGap is told of each time that was long enough to be told of
 * @param now may jump: back counts nothing, forward one step
 */
export function watchedClock(
  onGap: (gapMs: number) => void,
  now: () => number = bootClock,
): () => number {
  let last = now();
  let watched = 0;
  return () => {
    const step = now() - last;
    last += step;
    if (step > TOLD_MS) onGap(step);
    watched += Math.min(Math.max(step, 0), STEP_MS);
    return watched;
  };
}
