import type { Activity } from '../process/activity.js';
import type { Phase } from '../workflow/workflow.js';

/** What is seen of an attempt at a moment. */
export interface Sight {
  /** Of all that it has printed, in bytes. */
  readonly size: number;
  /** Is there output that was not taken in yet? Then what it says is not known. */
  readonly isBehind: boolean;
  /** Tool calls that began and have not ended. */
  readonly openCalls: number;
  /** Is the agent waiting to try again what a limit or a refused key has stopped? */
  readonly waitsForLimit: boolean;
  /** Has the agent said that its turn is over, and well? */
  readonly isFinished: boolean;
  /** What its children do. */
  readonly activity: Activity;
}

/** How long an agent may try again by itself what a limit or a refused key has stopped: devflow waits without a process. */
const LIMIT_WAIT_MS = 30_000;
/** How long an agent whose turn is over may take to exit, with nothing at work; less where it may not be silent for so long. */
const FINISHED_GRACE_MS = 10_000;
const FINISHED_SHARE = 1 / 4;
/** How many times its `idleTimeout` an agent may print nothing, whatever is at work. */
const LONGEST_SILENCE = 4;

/**
 * The limits of an attempt that need somebody who watches.
 * @param now in milliseconds, of the time in which somebody watched: it never goes back
 */
export function attemptLimits(
  { idleTimeoutMs, maxOutputBytes }: Pick<Phase, 'idleTimeoutMs' | 'maxOutputBytes'>,
  now: () => number,
) {
  const finishedGraceMs = Math.min(FINISHED_GRACE_MS, idleTimeoutMs * FINISHED_SHARE);
  let last = now();
  let lastSize = -1;
  /** Since its last output. */
  let silentMs = 0;
  /** Of that, the time in which nothing was at work. */
  let idleMs = 0;
  /** Since its last output, or since something was last at work. */
  let quietMs = 0;
  let limitedSince: number | undefined;

  const count = ({ size, openCalls, activity }: Sight, step: number) => {
    const printed = size !== lastSize;
    lastSize = size;
    const atWork = openCalls > 0 || activity.busy;
    silentMs = printed ? 0 : silentMs + step;
    if (printed) idleMs = 0;
    else if (!atWork && activity.youngestMs >= idleTimeoutMs) idleMs += step;
    const isQuiet = !printed && !atWork && activity.youngestMs >= finishedGraceMs;
    quietMs = isQuiet ? quietMs + step : 0;
  };

  return {
    /** The limit that is reached, if any. */
    reached(sight: Sight): 'idle' | 'output' | 'limit' | 'finished' | undefined {
      const { size, openCalls, waitsForLimit, isFinished } = sight;
      const time = now();
      const step = sight.isBehind ? 0 : time - last;
      last = time;
      count(sight, step);
      if (size > maxOutputBytes) return 'output';
      limitedSince = waitsForLimit ? (limitedSince ?? now()) : undefined;
      if (limitedSince !== undefined && now() - limitedSince > LIMIT_WAIT_MS) return 'limit';
      // The end of a turn is not the end of the work while something is at it, within a bound.
      const isOver = isFinished && openCalls === 0;
      if (isOver && (quietMs > finishedGraceMs || silentMs > idleTimeoutMs)) return 'finished';
      const isIdle = idleMs > idleTimeoutMs || silentMs > LONGEST_SILENCE * idleTimeoutMs;
      return isIdle ? 'idle' : undefined;
    },
  };
}
