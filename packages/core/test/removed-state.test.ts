import { existsSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitFile } from '../src/testing/index.js';
import { stop } from '../src/index.js';
import { cgroupPlace } from '../src/process/cgroup.js';
import { leaveAtWork } from './holder-process.js';
import { isThere, launches, letGo, patient } from './patient-agent.js';
import { type Rig, expectError, outcomes, processesOf, rig, until } from './rig.js';

const state = ({ repository }: Rig, ...names: string[]) =>
  path.join(repository.root, '.git', 'devflow', ...names);
const nobodyLeft = ({ repository }: Rig) =>
  until(() => processesOf(repository.directory).length === 0);
const lastClaim = (used: Rig) => path.join(used.attempt('test', '01-step-1', 1), 'claim');

/** It has committed, and works on. */
const committed = ({ repository }: Rig) => `${commitFile('early.txt')}; ${patient(repository)}`;

/** A holder that was killed while its agent works. */
async function cutOff(used: Rig, retries = 0): Promise<void> {
  await leaveAtWork(used, [{ script: committed(used), retries }]);
}

describe('what a run keeps, removed while the agent works,', () => {
  it.each([
    ["the run's directory", ['runs', 'test']],
    ['all that devflow keeps', []],
    ['the journal', ['runs', 'test', 'journal.jsonl']],
  ])('%s: the agent is ended, its work is named, and nothing is made anew', async (_, names) => {
    const used = await rig();
    const running = used.run([{ script: committed(used), retries: 3 }]);
    const failed = expectError(
      running,
      'STATE_GONE',
      /was removed.*kept: branch devflow\/test\/work, worktree \//,
    );
    await until(isThere(used));
    const cgroup = used.journal('test').findLast(({ type }) => type === 'attempt-intended')?.[
      'cgroup'
    ] as string | undefined;
    expect(cgroup === undefined).toBe(cgroupPlace() === undefined);
    rmSync(state(used, ...names), { recursive: true });
    await failed;
    await nobodyLeft(used);
    expect(existsSync(cgroup ?? '/none')).toBe(false);
    expect(launches(used)).toBe(1);
    expect(existsSync(state(used, ...names))).toBe(false);
    const log = await used.repository.git('log', '--format=%s', 'main..devflow/test/work');
    expect(log).toBe('Add early.txt');
  });

  it("the attempt's directory: the agent is ended, and resume tries it anew", async () => {
    const used = await rig();
    const running = used.run([{ script: committed(used), retries: 1 }]);
    const failed = expectError(running, 'STATE_GONE', /was removed/);
    await until(isThere(used));
    rmSync(used.attempt('test', '01-step-1', 1), { recursive: true });
    expect((await failed).hint).toMatch(/devflow resume/);
    await nobodyLeft(used);
    letGo(used);
    const result = await used.resume('test');
    expect(outcomes(result)).toEqual(['1 crashed', '1 completed']);
    expect(launches(used)).toBe(2);
  });
});

describe('what a run keeps, removed while nobody held it,', () => {
  it('the claim of an agent that lives: it is ended, and never are there two', async () => {
    const used = await rig();
    await cutOff(used);
    rmSync(lastClaim(used));
    const result = await used.resume('test');
    expect(outcomes(result)).toEqual(['1 crashed']);
    expect(launches(used)).toBe(1);
    await nobodyLeft(used);
  });

  it.each([['prompt.md'], ['stdout.log']])(
    '%s: the agent is ended, and that is said',
    async (name) => {
      const used = await rig();
      await cutOff(used);
      rmSync(path.join(used.attempt('test', '01-step-1', 1), name));
      const result = await used.resume('test');
      expect(outcomes(result)).toEqual(['1 crashed']);
      expect(launches(used)).toBe(1);
      const notes = used.events.flatMap((event) => (event.type === 'note' ? [event.text] : []));
      expect(notes).toContainEqual(expect.stringMatching(new RegExp(`${name} was removed`)));
    },
  );

  it('the journal: nothing is launched, and the run does not begin anew', async () => {
    const used = await rig();
    await used.run([{ script: 'exit 1' }]);
    rmSync(state(used, 'runs', 'test', 'journal.jsonl'));
    const before = readdirSync(state(used, 'runs', 'test')).toSorted();
    await expectError(used.resume('test'), 'STATE_GONE', /journal.jsonl was removed/);
    expect(readdirSync(state(used, 'runs', 'test')).toSorted()).toEqual(before);
  });
});

describe('an attempt that cannot be watched', () => {
  it('ends the agent, and its attempt is not counted', async () => {
    const used = await rig();
    const running = used.run([{ script: `echo working; ${patient(used.repository)}` }]);
    const failed = expectError(running, 'STATE_GONE', /stderr\.log was removed/);
    await until(isThere(used));
    const stderr = path.join(used.attempt('test', '01-step-1', 1), 'stderr.log');
    renameSync(stderr, `${stderr}.aside`);
    await failed;
    await nobodyLeft(used);
    renameSync(`${stderr}.aside`, stderr);
    letGo(used);
    const result = await used.resume('test');
    expect(outcomes(result)).toEqual(['1 stopped', '1 completed']);
    expect(result.attempts[0]?.reasons[0]?.text).toMatch(/could not watch .*ENOENT/);
    expect(readFileSync(state(used, 'runs', 'test', 'journal.jsonl'), 'utf8')).toMatch(/\n$/);
  });
});

describe('an attempt whose wrapper had no process left to start its agent', () => {
  it('is launched by resume, as the same attempt', async () => {
    const used = await rig();
    await cutOff(used);
    const { root: cwd, env } = used.repository;
    await stop('test', { cwd, env });
    const directory = used.attempt('test', '01-step-1', 1);
    for (const name of ['exit', 'begun']) rmSync(path.join(directory, name));
    writeFileSync(path.join(directory, 'not-started'), ''); // as the wrapper leaves it: see out-of-handles.test.ts
    letGo(used);
    expect(outcomes(await used.resume('test'))).toEqual(['1 completed']);
    expect(existsSync(path.join(directory, 'not-started'))).toBe(false);
  });
});
