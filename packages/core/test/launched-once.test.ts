import { rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import { leaveAtWork } from './holder-process.js';
import { launches, letGo, patient } from './patient-agent.js';
import { type Rig, outcomes, rig } from './rig.js';

/** A line of shell for an agent: what it does in the directory of its attempt. */
const inItsDirectory = (work: string) => `(cd "$DEVFLOW_RUN_DIRECTORY/01-step-1/1" && ${work})`;

const counted = ({ repository }: Rig) =>
  `echo launched >>'${path.join(repository.directory, 'launches')}'`;

describe('an agent that ran is not launched again', () => {
  it('where its claim is gone, and it comes to its end while that is found', async () => {
    const used = await rig();
    const finish = `sleep 0.5; ${commitFile('done.txt')}; ${giveAnswer()}; sleep 0.5`;
    await leaveAtWork(used, [{ script: patient(used.repository, finish) }]);
    const directory = used.attempt('test', '01-step-1', 1);
    // All that says so while it works; what it leaves at its end says so too.
    for (const name of ['claim', 'room', 'begun']) rmSync(path.join(directory, name));
    letGo(used);
    expect(outcomes(await used.resume('test'))).toEqual(['1 completed']);
    expect(launches(used)).toBe(1);
  });

  it.each([
    ['with words', 'echo working; '],
    ['without a word', ''],
  ])('where it says itself that it never began, %s', async (_, words) => {
    const used = await rig();
    const script = `${words}${counted(used)}; ${commitFile('early.txt')}; ${inItsDirectory('touch not-started')}; kill -9 $PPID`;
    const result = await used.run([{ script }]);
    expect(outcomes(result)).toEqual(['1 crashed']);
    expect(launches(used)).toBe(1);
  });

  it('where it removes the claim and every sign of its end, and is gone', async () => {
    const used = await rig();
    const script = `${counted(used)}; ${inItsDirectory('rm claim')}; kill -9 $PPID`;
    expect(outcomes(await used.run([{ script }]))).toEqual(['1 crashed']);
    expect(launches(used)).toBe(1);
  });
});
