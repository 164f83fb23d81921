import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exitOf, known, processForTest, temporaryDirectory, until } from '../../test/temporary.js';
import { attempt } from '../../test/wrapped-attempt.js';
import {
  cgroupPlace,
  cgroupProcesses,
  killCgroup,
  makeCgroup,
  ownCgroup,
  removeCgroup,
} from './cgroup.js';
import { identify, isAlive, readProcess } from './identity.js';
import { endTree, findTree, processTree } from './tree.js';
import { isUngrouped, readExit, startWrapper } from './wrapper.js';

const V1 = '36 31 0:33 / /sys/fs/cgroup/devices rw,relatime - cgroup cgroup rw,devices\n';
const mount = (root: string, place: string) =>
  `${V1}41 31 0:38 ${root} ${place} rw,relatime shared:9 - cgroup2 cgroup2 rw\n`;

describe('the control group of a process', () => {
  it.each([
    [
      'of one hierarchy',
      mount('/', '/sys/fs/cgroup'),
      '0::/user.slice/a.scope\n',
      '/sys/fs/cgroup/user.slice/a.scope',
    ],
    [
      'beside the first version',
      mount('/', '/sys/fs/cgroup/unified'),
      '4:memory:/x\n0::/\n',
      '/sys/fs/cgroup/unified',
    ],
    [
      'in a container that shows a part',
      mount('/docker/1', '/sys/fs/cgroup'),
      '0::/docker/1/a\n',
      '/sys/fs/cgroup/a',
    ],
    ['of a place with spaces', mount('/', String.raw`/a\040b`), '0::/c d\n', '/a b/c d'],
  ])('is found: %s', (_, mountinfo, cgroup, place) => {
    expect(ownCgroup(mountinfo, cgroup)).toBe(place);
  });

  it.each([
    ['only the first version is mounted', V1, '0::/\n'],
    ['the kernel knows only the first version', mount('/', '/sys/fs/cgroup'), '4:memory:/x\n'],
    ['another part is shown', mount('/docker/1', '/sys/fs/cgroup'), '0::/docker/12/a\n'],
    ['it is outside of what is shown', mount('/', '/sys/fs/cgroup'), '0::/../other\n'],
    ['nothing is known', '', ''],
  ])('is none where %s', (_, mountinfo, cgroup) => {
    expect(ownCgroup(mountinfo, cgroup)).toBeUndefined();
  });

  it('that is not there has nobody in it, and is gone', async () => {
    const none = path.join(temporaryDirectory(), 'none');
    expect(cgroupProcesses(none)).toEqual([]);
    expect(() => killCgroup(none)).not.toThrow();
    expect(await removeCgroup(none)).toBe(true);
  });

  it('that cannot be read is not taken for empty', () => {
    const directory = temporaryDirectory();
    mkdirSync(path.join(directory, 'cgroup.procs'));
    expect(() => cgroupProcesses(directory)).toThrow('EISDIR');
  });

  it('lists those of other PID namespaces as 0: nobody that can be signalled', () => {
    const directory = temporaryDirectory();
    writeFileSync(path.join(directory, 'cgroup.procs'), '0\n12\n');
    expect(cgroupProcesses(directory)).toEqual([12]);
  });

  it('cannot be made where its parent is not there', () => {
    expect(makeCgroup(path.join(temporaryDirectory(), 'no', 'place'))).toBe(false);
  });
});

/** Where none can be made there is nothing to try: doctor says so. */
const place = cgroupPlace();

describe.runIf(place !== undefined)('an attempt with a control group', () => {
  /** Nothing else would tell of this: marker, group and parent are gone. */
  const HIDES =
    '(env -i "$(command -v setsid)" "$(command -v sh)" -c \'echo $$ >hidden.part; mv hidden.part hidden; trap "" TERM; while :; do sleep 0.05; done\' &)';

  function grouped(script: string) {
    const cgroup = path.join(known(place), `devflow-test-${randomUUID()}`);
    expect(makeCgroup(cgroup)).toBe(true);
    const used = attempt(script, { cgroup });
    onTestFinished(async () => {
      killCgroup(cgroup);
      expect(await removeCgroup(cgroup)).toBe(true);
    });
    const token = known(used.command.env['DEVFLOW_ATTEMPT_TOKEN']);
    const treeOf = (leader: ReturnType<typeof identify>) => processTree(leader, token, cgroup);
    const pidIn = async (name: string) => {
      await until(() => existsSync(used.at(name)));
      return Number(used.read(name));
    };
    return { ...used, cgroup, treeOf, pidIn };
  }

  it('has what hides from all else, and ends it', async () => {
    const used = grouped(`${HIDES}; sleep 60`);
    const { identity, exited } = await startWrapper(used.command);
    const hidden = await used.pidIn('hidden');
    const without = findTree({ ...used.treeOf(identity), cgroup: undefined });
    expect(without.map(({ pid }) => pid)).not.toContain(hidden);
    expect(findTree(used.treeOf(identity)).map(({ pid }) => pid)).toContain(hidden);
    expect(isUngrouped(used.command.dir)).toBe(false);
    expect(await endTree(used.treeOf(identity), { graceMs: 50 })).toMatchObject({ left: [] });
    await exited;
    expect(readProcess(hidden)?.state ?? 'Z').toBe('Z');
    expect(await removeCgroup(used.cgroup)).toBe(true);
    expect(existsSync(used.cgroup)).toBe(false);
  });

  it('has what moved into a group below, and removes both', async () => {
    const used = grouped('');
    const below = path.join(used.cgroup, 'below');
    mkdirSync(below);
    const child = processForTest('sh', ['-c', `echo 0 >'${below}/cgroup.procs'; exec sleep 60`]);
    await until(() => cgroupProcesses(used.cgroup).includes(child.pid));
    expect(await removeCgroup(used.cgroup)).toBe(false);
    killCgroup(used.cgroup);
    await exitOf(child);
    expect(await removeCgroup(used.cgroup)).toBe(true);
  });

  it('spares the wrapper, which writes the status', async () => {
    const used = grouped(`trap '' TERM; touch there; while :; do sleep 0.05; done`);
    const { identity, exited } = await startWrapper(used.command);
    await until(() => existsSync(used.at('there')));
    expect(cgroupProcesses(used.cgroup)).not.toContain(identity?.pid);
    killCgroup(used.cgroup);
    await exited;
    expect(readExit(used.command.dir)).toBe(137);
  });

  it('is ended by its wrapper at the time limit, what hides too', async () => {
    const used = grouped(`${HIDES}; trap '' TERM; while :; do sleep 0.05; done`);
    const { exited } = await startWrapper({ ...used.command, timeoutMs: 1_000, graceS: 1 });
    const hidden = known(identify(await used.pidIn('hidden')));
    await exited;
    await until(() => !isAlive(hidden) && cgroupProcesses(used.cgroup).length === 0);
  });

  it('goes on without where it cannot enter, and that is to be seen', async () => {
    const used = grouped('touch ran');
    const command = { ...used.command, cgroup: path.join(used.cgroup, 'none') };
    await (
      await startWrapper(command)
    ).exited;
    expect(readExit(command.dir)).toBe(0);
    expect(existsSync(used.at('ran'))).toBe(true);
    expect(isUngrouped(command.dir)).toBe(true);
    expect(used.read('stderr.log')).toBe('');
  });

  it('is not killed as a whole by one of its own', async () => {
    const used = grouped('');
    const child = processForTest('sleep', ['60']);
    writeFileSync(path.join(used.cgroup, 'cgroup.procs'), `${child.pid}`);
    const before = readFileSync('/proc/self/cgroup', 'utf8');
    writeFileSync(path.join(used.cgroup, 'cgroup.procs'), '0'); // as a devflow that an agent started
    try {
      killCgroup(used.cgroup);
      expect(isAlive(known(identify(child.pid)))).toBe(true);
    } finally {
      writeFileSync(path.join(known(place), 'cgroup.procs'), '0');
    }
    expect(readFileSync('/proc/self/cgroup', 'utf8')).toBe(before);
  });
});
