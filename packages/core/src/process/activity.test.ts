import { describe, expect, it } from 'vitest';
import {
  type ChildrenSeen,
  activityBetween,
  childrenOfAgent,
  lookAtChildren,
  watchChildren,
} from './activity.js';
import type { ProcessEntry } from './identity.js';

function entry(pid: number, parent: number, more: Partial<ProcessEntry> = {}): ProcessEntry {
  return { pid, parent, group: 100, state: 'S', startTime: '500', cpuTicks: 0, ...more };
}

describe('the children of an agent', () => {
  const [wrapper, clock, sleep, program] = [
    entry(100, 1),
    entry(101, 100),
    entry(103, 101),
    entry(102, 100),
  ];
  const [child, grandchild, orphan] = [entry(110, 102), entry(111, 110), entry(112, 1)];

  it('are what it started, not the wrapper, its clock, the sleep of that, nor its own program', () => {
    const all = [grandchild, program, child, sleep, clock, wrapper, orphan];
    expect(childrenOfAgent(all, 100)).toEqual([grandchild, child, orphan]);
  });

  it('are told from the sleep of the clock by who began first, though pids were used up in between', () => {
    const late = entry(7, 100, { startTime: '501' }); // the program, with a pid from the beginning again
    expect(childrenOfAgent([wrapper, clock, sleep, late, entry(8, 7)], 100)).toEqual([entry(8, 7)]);
  });

  it('are known where the agent has ended the clock', () => {
    expect(childrenOfAgent([wrapper, program, child], 100)).toEqual([child]);
  });
});

describe('what children do', () => {
  const looks = (...each: readonly (readonly [at: number, ...ProcessEntry[]])[]) => {
    let before: ChildrenSeen | undefined;
    return each.map(([at, ...children]) => {
      const after = lookAtChildren(before, children, at);
      const activity = activityBetween(before, after);
      before = after;
      return activity;
    });
  };
  const used = (cpuTicks: number, startTime = '500') => entry(110, 102, { cpuTicks, startTime });

  it('is nothing where there are none', () => {
    expect(looks([0], [1_000])).toEqual(
      Array.from({ length: 2 }, () => ({ busy: false, youngestMs: Number.POSITIVE_INFINITY })),
    );
  });

  it('is work from one fiftieth of a processor on', () => {
    const busy = looks([0, used(50)], [1_000, used(51)], [2_000, used(53)], [4_000, used(56)]);
    expect(busy.map((one) => one.busy)).toEqual([false, false, true, false]);
  });

  it('is no work where nothing was used, however soon after it is looked at', () => {
    expect(looks([0, used(50)], [0, used(50)]).map(({ busy }) => busy)).toEqual([false, false]);
  });

  it('is told by the last that came, from when it was seen first', () => {
    const old = used(0);
    const late = entry(120, 110);
    const ages = looks(
      [100, old],
      [1_100, old],
      [2_100, old, late],
      [3_100, old, late],
      [4_100, old],
    );
    expect(ages.map(({ youngestMs }) => youngestMs)).toEqual([0, 1_000, 0, 1_000, 4_000]);
  });

  it('is not taken for that of another process with its pid', () => {
    const [, after] = looks([0, used(5)], [1_000, used(90, '600')]);
    expect(after).toEqual({ busy: false, youngestMs: 0 });
  });

  it('is remembered from look to look', () => {
    let time = 0;
    const look = watchChildren(() => time);
    expect(look([used(5)])).toEqual({ busy: false, youngestMs: 0 });
    time = 1_000;
    expect(look([used(90)])).toEqual({ busy: true, youngestMs: 1_000 });
  });
});
