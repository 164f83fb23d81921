import type { Phase } from './workflow/workflow.js';

/** What is seen of an attempt at a moment. */
export interface Sight {
  /** Of all that it has printed, in bytes. */
  readonly size: number;
  /** Tool calls that began and have not ended. */
  readonly openCalls: number;
  /** Is the agent waiting to try again what a limit or a refused key has stopped? */
  readonly waitsForLimit: boolean;
}

/** How long an agent may try again by itself what a limit or a refused key has stopped: devflow waits without a process. */
const LIMIT_WAIT_MS = 30_000;

/** The limits of an attempt that need somebody who watches. @param now in milliseconds, from a clock that never jumps */
export function attemptLimits(
  { idleTimeoutMs, maxOutputBytes }: Pick<Phase, 'idleTimeoutMs' | 'maxOutputBytes'>,
  now: () => number = () => performance.now(),
) {
  let lastSize = -1;
  let lastOutput = now();
  let limitedSince: number | undefined;
  return {
    /** The limit that is reached, if any. */
    reached({ size, openCalls, waitsForLimit }: Sight): 'idle' | 'output' | 'limit' | undefined {
      if (size !== lastSize) {
        lastSize = size;
        lastOutput = now();
      }
      if (size > maxOutputBytes) return 'output';
      limitedSince = waitsForLimit ? (limitedSince ?? now()) : undefined;
      if (limitedSince !== undefined && now() - limitedSince > LIMIT_WAIT_MS) return 'limit';
      // While a tool call is open the agent waits for it: then only the wall-clock limit counts.
      if (openCalls > 0) return undefined;
      return now() - lastOutput > idleTimeoutMs ? 'idle' : undefined;
    },
  };
}
