import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { cgroupPlace } from '../src/process/cgroup.js';
import { type RunStatus, stop } from '../src/index.js';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import { contentOf } from './content-of.js';
import { kill, leaveAtWork, runElsewhere, stopElsewhere } from './holder-process.js';
import { isThere, launches, letGo, patient } from './patient-agent.js';
import { type Rig, type ScriptedPhase, done, outcomes, processesOf, rig, until } from './rig.js';

const stopIt = ({ repository: { root: cwd, env } }: Rig): Promise<RunStatus> =>
  stop('test', { cwd, env });
const at = ({ repository }: Rig, name: string) => path.join(repository.directory, name);
const worktreeOf = (used: Rig) => path.join(used.repository.home, '.local/state/devflow/worktrees');
/** A command that says that it runs, and then does for long, with a child that hides as well as it can. */
const long = (used: Rig, name = 'runs') => ({
  command: ['sh', '-c', `setsid sleep 600 & touch '${at(used, name)}'; sleep 600`],
});
const nothingAlive = (used: Rig) => expect(processesOf(used.repository.directory)).toEqual([]);

describe('stop', () => {
  it.each<[string, (used: Rig) => ScriptedPhase, object?]>([
    ['preflight', (used) => ({ script: done, preflight: [long(used)] })],
    ['checks', (used) => ({ script: done, checks: [long(used)] })],
  ])('while a command of the %s runs ends it, by the holder and without', async (_, phase) => {
    const held = await rig();
    const running = held.run([phase(held)]);
    await until(() => existsSync(at(held, 'runs')));
    expect(await stopIt(held)).toMatchObject({ state: 'stopped' });
    nothingAlive(held);
    expect((await running).state).toBe('stopped');

    const left = await rig();
    const holder = runElsewhere(left, [phase(left)]);
    await until(() => existsSync(at(left, 'runs')));
    await kill(holder);
    expect(processesOf(left.repository.directory)).not.toEqual([]);
    expect(await stopIt(left)).toMatchObject({ state: 'stopped' });
    nothingAlive(left);
  });

  it('while the setup of a worktree runs ends it, and resume sets it up anew', async () => {
    const used = await rig();
    const go = at(used, 'go');
    const script = `test -e '${go}' || { touch '${at(used, 'runs')}'; sleep 600; }`;
    const workflow = { worktree: { setup: [{ command: ['sh', '-c', script] }] } };
    const running = used.run([{ script: done }], { workflow });
    await until(() => existsSync(at(used, 'runs')));
    expect(await stopIt(used)).toMatchObject({ state: 'stopped' });
    nothingAlive(used);
    expect((await running).state).toBe('stopped');
    writeFileSync(go, '');
    expect(outcomes(await used.resume('test'))).toEqual(['1 completed']);
  });

  it('of a run whose devflow died while a check ran is not needed to resume: the check is ended first', async () => {
    const used = await rig();
    const flag = at(used, 'once');
    const script = `test -e '${flag}' || { touch '${flag}'; sleep 600; }`;
    const holder = runElsewhere(used, [
      { script: done, checks: [{ command: ['sh', '-c', script] }] },
    ]);
    await until(() => existsSync(flag));
    await kill(holder);
    expect(outcomes(await used.resume('test'))).toEqual(['1 completed']);
    nothingAlive(used);
  });

  it('of one that waits needs nobody, and nothing goes on by itself', async () => {
    const used = await rig();
    const preflight = [{ command: ['test', '-e', at(used, 'open')] }];
    expect(await used.run([{ script: done, preflight }])).toMatchObject({ state: 'waiting' });
    expect(await stopIt(used)).toMatchObject({ state: 'stopped' });
    writeFileSync(at(used, 'open'), '');
    expect(await stopIt(used)).toMatchObject({ state: 'stopped' });
    expect(used.journal('test').filter(({ type }) => type === 'run-ended')).toHaveLength(1);
    expect(outcomes(await used.resume('test'))).toEqual(['1 completed']);
  });

  it.each([
    ['completed', done],
    ['failed', 'exit 1'],
  ])('of one that is %s changes nothing', async (state, script) => {
    const used = await rig();
    expect(await used.run([{ script }])).toMatchObject({ state });
    const before = used.journal('test');
    expect(await stopIt(used)).toMatchObject({ state });
    expect(used.journal('test')).toEqual(before);
  });

  it('between two attempts begins no other', async () => {
    const used = await rig();
    const controller = new AbortController();
    const result = await used.run(
      [{ script: `echo x >>'${at(used, 'launches')}'; exit 1`, retries: 5 }],
      {
        signal: controller.signal,
        onEvent: ({ type }) => {
          if (type === 'attempt-ended') controller.abort();
        },
      },
    );
    expect(result.state).toBe('stopped');
    expect(launches(used)).toBe(1);
  });

  it('just when the agent has ended ends in one of two ways, each of them whole', async () => {
    const used = await rig();
    const running = used.run([
      { script: patient(used.repository), checks: [{ command: ['true'] }] },
    ]);
    await until(isThere(used));
    letGo(used);
    const { state } = await stopIt(used);
    expect(['stopped', 'completed']).toContain(state);
    expect((await running).state).toBe(state);
    nothingAlive(used);
    const last = state === 'stopped' ? (await used.resume('test')).state : state;
    expect(last).toBe('completed');
  });

  it('twice at once is one stop', async () => {
    const used = await rig();
    await leaveAtWork(used);
    const both = await Promise.all([stopIt(used), stopIt(used)]);
    expect(both.map(({ state }) => state)).toEqual(['stopped', 'stopped']);
    expect(used.journal('test').filter(({ type }) => type === 'run-ended')).toHaveLength(1);
    nothingAlive(used);
  });

  it.each(['holder', 'nobody'])(
    'leaves the checkout as it is, byte for byte, held by %s',
    async (by) => {
      const used = await rig();
      const work = `${commitFile('a')}; echo b >a; echo new >new.txt; printf 'no newline' >.hidden; git add new.txt; echo more >>new.txt; ${patient(used.repository)}`;
      const holder = runElsewhere(used, [{ script: work }]);
      await until(isThere(used));
      if (by === 'nobody') await kill(holder);
      const [name = ''] = readdirSync(worktreeOf(used));
      const worktree = path.join(worktreeOf(used), name, 'test');
      const before = contentOf(worktree);
      expect(before.join('\n')).toContain('.hidden');
      expect(await stopIt(used)).toMatchObject({ state: 'stopped' });
      expect(contentOf(worktree)).toEqual(before);
      await until(() => holder.exitCode !== null || holder.signalCode !== null); // it lets go of the run just before it ends
      nothingAlive(used);
    },
  );
});

/** A root without the power to end what another user runs: nothing else here withstands a KILL. */
const POWERLESS = ['setpriv', '--bounding-set=-kill', '--inh-caps=-kill'];

describe.runIf(process.getuid?.() === 0)('what cannot be ended', () => {
  /** Out of the control group, which ends whoever is in it. */
  const place = cgroupPlace();
  const leave = place === undefined ? '' : `echo 0 >'${place}/cgroup.procs';`;
  const foreign = `(${leave} exec setpriv --reuid=65534 --clear-groups sleep 600) &`;

  it('is named by the sweep, and the run is not called ended', async () => {
    const used = await rig();
    const script = `${foreign} ${patient(used.repository, giveAnswer())}`;
    const holder = runElsewhere(used, [{ script, requires: ['answer'] }], POWERLESS);
    await until(isThere(used));
    letGo(used);
    await until(() => holder.exitCode !== null, 40_000);
    const left = processesOf(used.repository.directory).join(', ');
    expect(left).toMatch(/^\d+$/);
    expect(readFileSync(at(used, 'holder-error'), 'utf8')).toBe(
      `LEFTOVER_PROCESSES: processes of the attempt cannot be ended: ${left}`,
    );
    expect(used.journal('test').map(({ type }) => type)).not.toContain('run-ended');
    expect(outcomes(await used.resume('test'))).toEqual(['1 completed']); // with the power to
    nothingAlive(used);
  }, 60_000);

  it('is named by stop, the run is not called stopped, and the next stop tries again', async () => {
    const used = await rig();
    const script = `${foreign} ${patient(used.repository)}`;
    await kill(await atWork(used, script));
    const tried = stopElsewhere(used, POWERLESS);
    await until(() => tried.exitCode !== null, 40_000);
    const left = processesOf(used.repository.directory).join(', ');
    expect(left).toMatch(/^\d+$/);
    expect(readFileSync(at(used, 'holder-error'), 'utf8')).toBe(
      `LEFTOVER_PROCESSES: processes of the run "test" cannot be ended: ${left}`,
    );
    expect(used.journal('test').map(({ type }) => type)).not.toContain('run-ended');
    expect(await stopIt(used)).toMatchObject({ state: 'stopped' });
    nothingAlive(used);
  }, 60_000);

  async function atWork(used: Rig, script: string) {
    const holder = runElsewhere(used, [{ script }]);
    await until(isThere(used));
    return holder;
  }
});
