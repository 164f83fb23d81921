import type { ProcessEntry } from './identity.js';
import { seenKey } from './tree.js';

/** What the children of an agent do. */
export interface Activity {
  /** Does one of them use the processor? */
  readonly busy: boolean;
  /** How long ago the last of them to come was seen first, in milliseconds; Infinity where there is none. */
  readonly youngestMs: number;
}

export const NO_ACTIVITY: Activity = { busy: false, youngestMs: Number.POSITIVE_INFINITY };

/** Ticks of the kernel's clock in a second, as Linux shows them to programs. */
const TICKS = 100;
/** A child that uses less of one processor only waits: for the agent, for its watcher, for a timer. */
const BUSY_SHARE = 0.02;

/** What is remembered of a child from one look to the next. */
interface Child {
  /** When it was seen first. */
  readonly since: number;
  /** Processor time that it has used, in ticks. */
  readonly cpuTicks: number;
}

/** What was seen at a look. @see lookAtChildren */
export interface ChildrenSeen {
  /** In milliseconds. */
  readonly at: number;
  /** By {@link seenKey}. */
  readonly children: ReadonlyMap<string, Child>;
}

/**
 * The next look. Pure. A child's age is counted from when it was first seen, not from its start: the kernel's
 * start times count on while the machine sleeps, and may not be comparable inside a container.
 * @param at in milliseconds, by the clock of all looks
 */
export function lookAtChildren(
  before: ChildrenSeen | undefined,
  children: readonly ProcessEntry[],
  at: number,
): ChildrenSeen {
  const seen = children.map((entry): [string, Child] => {
    const key = seenKey(entry);
    const since = before?.children.get(key)?.since ?? at;
    return [key, { since, cpuTicks: entry.cpuTicks }];
  });
  return { at, children: new Map(seen) };
}

/** What happened between two looks. Pure. */
export function activityBetween(before: ChildrenSeen | undefined, after: ChildrenSeen): Activity {
  const ticks = before === undefined ? 0 : ((after.at - before.at) / 1_000) * TICKS;
  const isBusy = ([key, { cpuTicks }]: [string, Child]) => {
    const grown = cpuTicks - (before?.children.get(key)?.cpuTicks ?? cpuTicks);
    return grown > 0 && grown >= ticks * BUSY_SHARE;
  };
  const newest = Math.max(...[...after.children.values()].map(({ since }) => since));
  return { busy: [...after.children].some(isBusy), youngestMs: after.at - newest };
}

/** What children do from one look to the next. @param now in milliseconds */
export function watchChildren(now: () => number): (children: readonly ProcessEntry[]) => Activity {
  let before: ChildrenSeen | undefined;
  return (children) => {
    const after = lookAtChildren(before, children, now());
    const activity = activityBetween(before, after);
    before = after;
    return activity;
  };
}

/**
 * The processes of an attempt that the agent has started: all but the wrapper, its clock, the sleep that the
 * clock waits for, and the agent's own program. The wrapper starts its clock, then the program.
 */
export function childrenOfAgent(
  members: readonly ProcessEntry[],
  wrapper: number | undefined,
): ProcessEntry[] {
  const direct = members.filter(({ parent }) => parent === wrapper);
  const [first, second] = direct.toSorted(
    (a, b) => Number(a.startTime) - Number(b.startTime) || a.pid - b.pid,
  );
  const clock = second === undefined ? undefined : first; // an agent may have ended it
  return members.filter(
    ({ pid, parent }) => pid !== wrapper && parent !== wrapper && parent !== clock?.pid,
  );
}
