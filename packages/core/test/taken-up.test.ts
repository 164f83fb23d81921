import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { MARKER_VARIABLE } from '../src/process/tree.js';
import { kill, leaveAtWork, runElsewhere } from './holder-process.js';
import { isThere, launches, letGo, patient } from './patient-agent.js';
import { type Rig, done, expectError, expectNothingLeft, processesOf, rig, until } from './rig.js';

const phasesOf = (used: Rig) => [{ script: patient(used.repository) }];

/** A run whose agent works and whose devflow is dead. */
async function cutOff(): Promise<Rig> {
  const used = await rig();
  await leaveAtWork(used);
  return used;
}

describe('the same run, begun again', () => {
  it('goes on with the one that was cut off, and launches nothing again', async () => {
    const used = await cutOff();
    const again = used.run(phasesOf(used));
    await until(() =>
      used.events.some((event) => event.type === 'attempt-started' && event.adopted),
    );
    letGo(used);
    expect(await again).toMatchObject({ state: 'completed' });
    expect(launches(used)).toBe(1);
    await expectNothingLeft(used);
  });

  it('is refused where it is another task, other phases or another base, and says which', async () => {
    const used = await cutOff();
    const other = used.run(phasesOf(used), { task: 'another one', base: 'main' });
    const error = await expectError(other, 'RUN_EXISTS', /was cut off.*another task, base$/);
    expect(error.hint).toContain('`devflow resume test`');
    const phases = [{ ...phasesOf(used)[0], script: done }];
    await expectError(used.run(phases), 'RUN_EXISTS', /another workflow$/);
    letGo(used);
    expect(await used.resume('test')).toMatchObject({ state: 'completed' });
  });

  it('is refused where it is completed, and where another holds it', async () => {
    const used = await rig();
    await used.run([{ script: done }]);
    const error = await expectError(used.run([{ script: done }]), 'RUN_EXISTS', /completed/);
    expect(error.hint).toContain('--name');

    const asking = await rig();
    const gated = [{ script: done, gate: 'before' as const }];
    await asking.run(gated);
    const asked = await expectError(asking.run(gated), 'RUN_EXISTS', /waits for a person$/);
    expect(asked.hint).toContain('`devflow gates test`');

    const held = await rig();
    const holder = runElsewhere(held, phasesOf(held));
    await until(isThere(held));
    await expectError(held.run(phasesOf(held)), 'RUN_HELD', new RegExp(`process ${holder.pid}`));
    letGo(held);
    await until(() => holder.exitCode !== null);
  });
});

describe('what a dead devflow had at work for itself', () => {
  it('is ended before its run is taken up', async () => {
    const used = await rig();
    const at = (name: string) => path.join(used.repository.directory, name);
    const check = `echo $$ >>'${at('checks')}'; test -e '${at('mended')}' || exec sleep 600`;
    const phases = [{ script: done, checks: [{ command: ['sh', '-c', check] }] }];
    const holder = runElsewhere(used, phases);
    await until(() => existsSync(at('checks')));
    await kill(holder);
    const [left] = readFileSync(at('checks'), 'utf8').split('\n').map(Number);
    // While a program takes the place of another, the system does not say whose it is.
    await until(() => processesOf(used.repository.directory).includes(left ?? 0));
    writeFileSync(at('mended'), '');
    expect(await used.resume('test')).toMatchObject({ state: 'completed' });
    expect(processesOf(used.repository.directory)).toEqual([]);
  });
});

describe('an attempt', () => {
  it('is not taken up by what is part of it, whose word is no newer than a request to stop', async () => {
    const used = await cutOff();
    const request = path.join(used.repository.root, '.git/devflow/runs/test/inbox/stop-x.json');
    writeFileSync(request, '{}');
    const { token } = used.journal('test').find(({ type }) => type === 'attempt-intended') ?? {};
    const env = { ...used.repository.env, [MARKER_VARIABLE]: String(token) };
    await expectError(used.resume('test', { env }), 'OWN_RUN', /part of the attempt/);
    expect(existsSync(request)).toBe(true);
    letGo(used);
    expect(await used.resume('test')).toMatchObject({ state: 'completed' });
    expect(launches(used)).toBe(1);
  });
});
