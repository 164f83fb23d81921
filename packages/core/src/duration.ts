import { bootClock } from './boot-clock.js';

/** One moment by two clocks, in milliseconds. */
export interface Moment {
  /** Since the machine was started: never set. */
  readonly boot: number;
  /** Since the epoch: set at any time, by a person or over the network. */
  readonly wall: number;
}

export function momentNow(): Moment {
  return { boot: bootClock(), wall: Date.now() };
}

/**
 * How long an attempt took, in milliseconds, by the instants that are on the disk. Pure.
 * @param watched from before its start to after its end, where this devflow saw both: by how much the clock was
 *   set in between is taken off. Otherwise the clock is believed.
 */
export function durationBetween(
  startedAt: number,
  endedAt: number,
  watched?: { readonly from: Moment; readonly to: Moment },
): number {
  const stated = endedAt - startedAt;
  if (watched === undefined) return Math.max(0, Math.round(stated));
  const { from, to } = watched;
  const passed = to.boot - from.boot;
  const set = to.wall - from.wall - passed;
  return Math.round(Math.min(Math.max(stated - set, 0), passed));
}
