import { type Limited, LONGEST_WAIT_MS, endOfLimit } from './limit-end.js';
import type { Outcome } from '../state/records.js';

/** Pure: what is known of the limit of an account, over all runs. While it is open nobody asks the account. */
export interface Breaker {
  readonly v: 1;
  readonly adapter: string;
  /** As the adapter's preflight names it. */
  readonly account: string;
  /** The agent that learned it, as its run calls it, and the model that it asked. */
  readonly agent: string;
  readonly model?: string;
  /** Turns in a row that the limit has ended. */
  readonly failures: number;
  readonly openedAt: string;
  /** From here on it may be asked again; it stays known until a turn has gone through. */
  readonly until: string;
  /** As the agent said it. */
  readonly resetsAt?: string;
  /** Who learned it. */
  readonly run: string;
  readonly repository: string;
}

/** A turn of the account that a limit has ended. */
export interface LimitedTurn extends Pick<
  Breaker,
  'adapter' | 'account' | 'agent' | 'model' | 'run' | 'repository'
> {
  readonly startedAt: string;
  /** When it ended, in milliseconds. */
  readonly at: number;
  readonly resetsAt?: string;
}

/** The breaker after a turn that a limit has ended. A turn that was under way when it opened is no further failure, and makes it no shorter. */
export function opened(before: Breaker | undefined, turn: LimitedTurn): Breaker {
  const { startedAt, at, ...facts } = turn;
  const isOld = before !== undefined && wasUnderWay(before, startedAt);
  const failures = (before?.failures ?? 0) + (isOld ? 0 : 1);
  const limited: Limited = {
    at,
    ...(turn.resetsAt !== undefined && { resetsAt: turn.resetsAt }),
  };
  const end = endOfLimit(limited, failures);
  const until = isOld ? Math.max(end, Date.parse(before.until)) : end;
  return {
    v: 1,
    ...facts,
    failures,
    openedAt: isOld ? before.openedAt : new Date(at).toISOString(),
    until: new Date(until).toISOString(),
  };
}

/** `half-open`: the limit should be over, and no turn has shown it yet. */
export function breakerState(breaker: Breaker, now: number): 'open' | 'half-open' {
  return now < Date.parse(breaker.until) ? 'open' : 'half-open';
}

/** Outcomes of turns that the account has served to their end. All others say nothing of a limit. */
const SERVED: ReadonlySet<Outcome> = new Set<Outcome>([
  'completed',
  'declined',
  'no-change',
  'rejected',
]);

/** Is the limit over, by a turn that began after it was learned? */
export function closes(breaker: Breaker, outcome: Outcome, startedAt: string): boolean {
  return SERVED.has(outcome) && !wasUnderWay(breaker, startedAt);
}

function wasUnderWay({ openedAt }: Breaker, startedAt: string): boolean {
  return Date.parse(startedAt) < Date.parse(openedAt);
}

/** Could it have been learned, as the clock stands now? One that was set since must not keep an account closed. */
export function isPlausible({ openedAt, until }: Breaker, now: number): boolean {
  const opening = Date.parse(openedAt);
  const wait = Date.parse(until) - opening;
  return opening <= now + CLOCK_SLACK_MS && wait >= 0 && wait <= 2 * LONGEST_WAIT_MS;
}

/** Clocks are corrected by a little all the time. */
const CLOCK_SLACK_MS = 60_000;
