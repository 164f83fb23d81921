/** Pure: when a limit of an agent ends, by what it said and by how often in a row it has said so. Instants and lengths in milliseconds. */

/** A turn that a limit ended. */
export interface Limited {
  /** When it ended. */
  readonly at: number;
  /** When the limit is said to end. */
  readonly resetsAt?: string;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Nothing is waited for longer than that without a look: the longest limits are of a week. */
export const LONGEST_WAIT_MS = 8 * 24 * HOUR_MS;
/** Where no reset is known, so long after the first of a row a person is asked. */
const UNKNOWN_TOTAL_MS = 24 * HOUR_MS;

/** 1m, 2m, 4m … 1h. @param inRow turns in a row that a limit has ended */
function backoff(inRow: number): number {
  return inRow === 0 ? 0 : Math.min(MINUTE_MS * 2 ** (inRow - 1), HOUR_MS);
}

/** A reset that had passed when it was said, or is no instant, is not known: the agent would be asked again at once. */
function knownReset({ at, resetsAt }: Limited): number | undefined {
  const reset = resetsAt === undefined ? Number.NaN : Date.parse(resetsAt);
  return reset > at ? reset : undefined;
}

/** When a limit ends that has ended so many turns in a row: at its reset, else by backoff; never sooner than the turns before must wait. */
export function endOfLimit(limited: Limited, inRow: number): number {
  const reset = knownReset(limited);
  const wait =
    reset === undefined
      ? backoff(inRow)
      : Math.max(reset - limited.at, backoff(Math.max(0, inRow - 1)));
  return limited.at + Math.min(wait, LONGEST_WAIT_MS);
}

/** When the limit ends that has ended the last of these turns, all in a row. Undefined: no reset is known, and it was asked for long enough. */
export function endOfRow(row: readonly Limited[]): number | undefined {
  const last = row.at(-1);
  if (last === undefined) return undefined;
  const end = endOfLimit(last, row.length);
  const firstUnknown = row.find((limited) => knownReset(limited) === undefined);
  const isUnknown = knownReset(last) === undefined && firstUnknown !== undefined;
  return isUnknown && end > firstUnknown.at + UNKNOWN_TOTAL_MS ? undefined : end;
}

const LEAST_JITTER_MS = 1_000;
const MOST_JITTER_MS = MINUTE_MS;

/**
 * When a wait ends: after the limit, and not for all runs at the same moment. 1 s later, or up to a tenth of the wait, at most 1 minute.
 *
 * @param draw from 0 up to 1
 */
export function endOfWait(limitEnd: number, now: number, draw: number): number {
  const tenth = Math.max(0, limitEnd - now) / 10;
  const most = Math.min(Math.max(tenth, LEAST_JITTER_MS), MOST_JITTER_MS);
  const jitter = LEAST_JITTER_MS + draw * (most - LEAST_JITTER_MS);
  return Math.min(Math.max(limitEnd, now) + jitter, now + LONGEST_WAIT_MS);
}
