import { setTimeout as delay } from 'node:timers/promises';

/** Timers stand still while a machine sleeps, and instants are of the wall clock: so it is looked at again and again. */
const LOOK_MS = 15_000;

/** Waits until an instant of the wall clock has come, also where the machine slept or its clock was set. @returns false where `signal` was set off before */
export async function sleepUntil(instant: number, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    if (signal.aborted) return false;
    const left = instant - Date.now();
    if (left <= 0) return true;
    await delay(Math.min(left, LOOK_MS), undefined, { signal }).catch(() => undefined);
  }
}
