import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { patient, quick } from './agents.js';
import { type Place, makePlace } from './devflow.js';
import { endState } from './end-state.js';

const run = ['run', 'Add a file', '--name', 'test'];
const resume = ['resume', 'test'];
const onePhase = (agent: typeof quick) => (outside: string) => ({
  profiles: { agent: agent(outside) },
  phases: [{ id: 1, name: 'code', agent: 'agent', prompt: '{{task}}', retries: 0 }],
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(20);
}

describe('an attempt', () => {
  let place: Place;
  afterEach(() => place.remove());

  it.each(['before the other takes the claim', 'after the other took it'])(
    'whose devflow died between launch and claim is launched once, its wrapper waking %s',
    async (when) => {
      place = await makePlace(onePhase(quick));
      const holdClaims = path.join(place.directory, 'wrappers');
      await place.devflow(run, { kill: 'after attempt.launch #1', holdClaims });
      expect(place.wasKilled()).toBe(true);
      const wrapper = Number(readFileSync(holdClaims, 'utf8'));
      expect(existsSync(path.join(place.run, '01-code', '1', 'claim'))).toBe(false);
      const wake = () => process.kill(wrapper, 'SIGCONT');
      if (when.startsWith('before')) wake();
      const resumed = await place.devflow(resume);
      if (when.startsWith('after')) {
        try {
          wake();
        } catch {
          // it was ended with what else the attempt had left
        }
      }
      expect(resumed).toMatchObject({ code: 0 });
      expect(await endState(place)).toMatchObject({
        ended: 'completed',
        launches: ['quick'],
        leftovers: [],
      });
    },
  );

  it('that two devflow take up at once is followed by one; the other is told who holds it', async () => {
    place = await makePlace(onePhase(patient));
    await place.devflow(run, { kill: 'before attempt.events #1' });
    await until(() => existsSync(path.join(place.directory, 'launches')));
    const both = [place.devflow(resume), place.devflow(run)];
    const first = await Promise.race(both);
    writeFileSync(path.join(place.directory, 'go'), '');
    const all = await Promise.all(both);
    expect(new Set(all.map(({ code }) => code))).toEqual(new Set([0, 2]));
    expect(first.output).toMatch(/held by process \d+/);
    expect(await endState(place)).toMatchObject({
      ended: 'completed',
      launches: ['patient'],
      commits: ['Start', 'Configure devflow', 'Add made.txt'],
      leftovers: [],
    });
  });

  it('that an agent still works at lets its devflow die as often as it will', async () => {
    place = await makePlace(onePhase(patient));
    await place.devflow(run, { kill: 'before attempt.events #1' });
    for (const kill of [
      'after run.lock #1',
      'after journal run-resumed #1',
      'after attempt.events #1',
    ]) {
      await place.devflow(resume, { kill });
      expect(place.wasKilled()).toBe(true);
    }
    writeFileSync(path.join(place.directory, 'go'), '');
    expect(await place.devflow(resume)).toMatchObject({ code: 0 });
    expect(await endState(place)).toMatchObject({ ended: 'completed', launches: ['patient'] });
  });
});
