import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exitOf, processForTest, temporaryDirectory, until, known } from '../../test/temporary.js';
import { bootId, identify, isAlive, readProcess } from './identity.js';
import {
  MARKER_VARIABLE,
  type ProcessTree,
  endTree,
  findTree,
  findWhole,
  readTable,
  seenKey,
} from './tree.js';

interface Attempt {
  readonly tree: ProcessTree;
  readonly leader: ReturnType<typeof processForTest>;
  /** The pid of a process of the script that wrote it: `echo $$ >name.part; mv name.part name`. */
  pidOf(name: string): Promise<number>;
  /** Lets go what waits for a file. */
  letGo(name: string): void;
}

/** Shell: this shell writes its pid, then becomes what follows. */
const named = (name: string) => `echo $$ >${name}.part; mv ${name}.part ${name};`;
const waitFor = (name: string) => `until test -e ${name}; do sleep 0.01; done;`;

function attempt(script: string): Attempt {
  const token = randomUUID();
  const cwd = temporaryDirectory();
  const env = { PATH: process.env['PATH'] ?? '', [MARKER_VARIABLE]: token };
  const leader = processForTest('/bin/sh', ['-c', script], { cwd, env, detached: true });
  const tree = {
    leader: identify(leader.pid),
    marker: `${MARKER_VARIABLE}=${token}`,
    seen: new Set<string>(),
  };
  onTestFinished(() => endTree(tree, { graceMs: 0 }).then(() => undefined));
  return {
    tree,
    leader,
    async pidOf(name) {
      const file = path.join(cwd, name);
      await until(() => existsSync(file) && readFileSync(file, 'utf8') !== '');
      return Number(readFileSync(file, 'utf8'));
    },
    letGo: (name) => writeFileSync(path.join(cwd, name), ''),
  };
}

const found = ({ tree }: Pick<Attempt, 'tree'>) => findTree(tree).map(({ pid }) => pid);
async function isGone(pid: number): Promise<void> {
  await until(() => {
    const entry = readProcess(pid);
    return entry === undefined || entry.state === 'Z';
  });
}
async function end({ leader }: Attempt): Promise<void> {
  leader.kill('SIGKILL');
  await exitOf(leader);
}

describe('the tree of an attempt', () => {
  it('has its leader and what is below it', async () => {
    const used = attempt(`sh -c '${named('child')} exec sleep 60' & wait`);
    const child = await used.pidOf('child');
    expect(found(used)).toEqual(expect.arrayContaining([used.leader.pid, child]));
  });

  it('has a grandchild in a session of its own by its marker', async () => {
    const used = attempt(`setsid sh -c '${named('away')} exec sleep 60' & ${waitFor('away')}`);
    const away = await used.pidOf('away');
    await exitOf(used.leader);
    expect(readProcess(away)).toMatchObject({ group: away });
    expect(found(used)).toEqual([away]);
    expect(await endTree(used.tree, { graceMs: 5_000 })).toMatchObject({ left: [] });
    await isGone(away);
  });

  it('has one that emptied its environment by its group, also when the leader is gone', async () => {
    const used = attempt(`sh -c '${named('bare')} exec env -i sleep 60' & ${waitFor('bare')} exit`);
    const bare = await used.pidOf('bare');
    await exitOf(used.leader);
    await until(() => readFileSync(`/proc/${bare}/environ`, 'latin1') === '');
    expect(found(used)).toEqual([bare]);
    expect(await endTree(used.tree, { graceMs: 5_000 })).toMatchObject({ left: [] });
    await isGone(bare);
  });

  it('has one that was seen before it emptied its environment and left the group', async () => {
    const script = `sh -c '${named('seen')} ${waitFor('go')} exec setsid env -i sleep 60' & ${waitFor('never')}`;
    const used = attempt(script);
    const pid = await used.pidOf('seen');
    expect(found(used)).toContain(pid);
    used.letGo('go');
    await until(
      () =>
        readFileSync(`/proc/${pid}/environ`, 'latin1') === '' && readProcess(pid)?.group === pid,
    );
    await end(used);
    expect(found({ tree: { ...used.tree, seen: new Set() } })).not.toContain(pid); // nothing else tells of it
    expect(found(used)).toContain(pid);
    expect(await endTree(used.tree, { graceMs: 5_000 })).toMatchObject({ left: [] });
    await isGone(pid);
  });

  it('has one without marker and group as the child of a member', async () => {
    const used = attempt(`setsid env -i sh -c '${named('below')} exec sleep 60' & wait`);
    const below = await used.pidOf('below');
    await until(() => readProcess(below)?.group === below);
    expect(found(used)).toContain(below);
  });

  it('has nothing with a marker that only begins like its own', () => {
    const used = attempt('exec sleep 60');
    const env = {
      [MARKER_VARIABLE]: `${used.tree.marker.split('=')[1]}0`,
      OTHER: used.tree.marker,
    };
    const stranger = processForTest('sleep', ['60'], { env });
    expect(found(used)).not.toContain(stranger.pid);
  });

  it('has no zombies', async () => {
    const used = attempt(`sh -c '${named('child')} ${waitFor('go')}' & exec sleep 60`); // it never looks after it
    const child = await used.pidOf('child');
    await until(() => readFileSync(`/proc/${used.leader.pid}/comm`, 'utf8') === 'sleep\n');
    used.letGo('go');
    await until(() => readProcess(child)?.state === 'Z');
    expect(readTable().has(child)).toBe(false);
    expect(found(used)).not.toContain(child);
  });

  it('never has this very process', () => {
    const own = identify(process.pid);
    const tree = {
      leader: own,
      marker: 'NONE=1',
      seen: new Set([seenKey(own ?? { pid: 0, startTime: '' })]),
    };
    expect(findTree(tree, new Map([[process.pid, known(readProcess(process.pid))]]))).toEqual([]);
  });

  it('is empty where the leader was never seen and nothing has the marker', () => {
    expect(findTree({ leader: undefined, marker: 'NONE=1', seen: new Set() })).toEqual([]);
  });
});

describe('what only has the number of a process of the attempt', () => {
  it.each([
    ['another start time', { startTime: '1' }],
    ['another boot', { bootId: 'before' }],
  ])('but %s is never found and never signalled', async (_, other) => {
    const stranger = processForTest('sleep', ['60'], { detached: true });
    const identity = known(identify(stranger.pid));
    const leader = { ...identity, ...other };
    const tree: ProcessTree = {
      leader,
      marker: 'NONE=1',
      seen: new Set([seenKey({ ...identity, startTime: '1' })]),
    };
    expect(findTree(tree)).toEqual([]);
    expect(await endTree(tree, { graceMs: 0 })).toMatchObject({ left: [] });
    expect(isAlive(identity)).toBe(true);
  });

  it('by the time it would be signalled is left alone', async () => {
    const stranger = processForTest('sleep', ['60'], { detached: true });
    const entry = known(readProcess(stranger.pid));
    const stale = new Map([[entry.pid, { ...entry, startTime: '1' }]]);
    const tree: ProcessTree = {
      leader: { pid: entry.pid, startTime: '1', bootId: bootId() },
      marker: 'NONE=1',
      seen: new Set(),
    };
    expect(findTree(tree, stale)).toHaveLength(1); // as an old table has it
    expect(await endTree(tree, { graceMs: 0 })).toMatchObject({ left: [] });
    expect(readProcess(entry.pid)).toMatchObject({ startTime: entry.startTime });
  });
});

describe('the end of a tree', () => {
  it('lets those who heed TERM end by themselves', async () => {
    const used = attempt(`trap 'exit 7' TERM; ${named('there')} while :; do sleep 0.01; done`);
    await used.pidOf('there');
    expect(await endTree(used.tree, { graceMs: 10_000 })).toMatchObject({ left: [] });
    expect(await exitOf(used.leader)).toBe(7);
  });

  it('kills those who ignore TERM after the grace period', async () => {
    const used = attempt(`trap '' TERM; ${named('there')} while :; do sleep 0.01; done`);
    await used.pidOf('there');
    expect(await endTree(used.tree, { graceMs: 100 })).toMatchObject({ left: [] });
    await exitOf(used.leader);
    expect(used.leader.signalCode).toBe('SIGKILL');
  });

  it('also ends one that is stopped', async () => {
    const used = attempt(`${named('there')} kill -STOP $$`);
    const pid = await used.pidOf('there');
    await until(() => readProcess(pid)?.state === 'T');
    expect(await endTree(used.tree, { graceMs: 50 })).toMatchObject({ left: [] });
    await exitOf(used.leader);
  });

  it('also ends those that a dying process starts', async () => {
    // Deaf to TERM from its birth: else it may be ended before it has named itself.
    const late =
      `trap '' TERM; sh -c '${named('late')} exec sleep 60' & ${waitFor('late')} exit`.replaceAll(
        "'",
        String.raw`'\''`,
      );
    const used = attempt(`trap '${late}' TERM; ${named('there')} while :; do sleep 0.01; done`);
    await used.pidOf('there');
    expect(await endTree(used.tree, { graceMs: 2_000 })).toMatchObject({ left: [] });
    expect(found(used)).toEqual([]);
    await isGone(await used.pidOf('late'));
  });

  it('hardly ever misses one that passes itself on, a new process each millisecond or two, and ends it', async () => {
    const used = attempt(`echo 'sh "$0" & exit' >chain; ${named('there')} setsid sh chain`);
    await used.pidOf('there');
    await exitOf(used.leader);
    let missed = 0; // between fork and exec it has no environment, for some microseconds
    for (let scan = 0; scan < 100; scan += 1) if (findWhole(used.tree).length === 0) missed += 1;
    expect(missed).toBeLessThan(20); // of one look: four in five
    expect(await endTree(used.tree, { graceMs: 0 })).toMatchObject({ left: [] });
    await delay(10); // a link that was missed would have gone on
    expect(findWhole(used.tree)).toEqual([]);
  });

  it('spares the one that is to be spared', async () => {
    // By itself: what it started for that would be ended too.
    const used = attempt(`sh -c '${named('child')} exec sleep 60'; echo $$ >after`);
    const child = await used.pidOf('child');
    expect(await endTree(used.tree, { graceMs: 5_000, spare: used.leader.pid })).toMatchObject({
      left: [],
    });
    await isGone(child);
    expect(await used.pidOf('after')).toBe(used.leader.pid);
  });

  it('gives back what it could not end', async () => {
    const used = attempt(`trap '' TERM; ${named('there')} while :; do sleep 0.01; done`);
    await used.pidOf('there');
    const { left } = await endTree(used.tree, { graceMs: 0, limitMs: -1 });
    expect(left.map(({ pid }) => pid)).toContain(used.leader.pid);
  });

  it('of nobody is at once', async () => {
    expect(
      await endTree({ leader: undefined, marker: 'NONE=1', seen: new Set() }, { graceMs: 60_000 }),
    ).toEqual({ found: 0, left: [] });
  });
});
