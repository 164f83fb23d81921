import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  HIDING_KINDS,
  KINDS,
  agentScript,
  newMark,
  processesWith,
} from '../../../scripts/hiding-processes.js';
import { stop } from '../src/index.js';
import { cgroupPlace } from '../src/process/cgroup.js';
import { readClaim } from '../src/process/wrapper.js';
import { kill, runElsewhere } from './holder-process.js';
import { type Rig, rig, until } from './rig.js';

/** `npm run test:stop` has a hundred of these, by the program itself. */
const kinds = { ...KINDS, ...(cgroupPlace() !== undefined && HIDING_KINDS) };

/** How a run with such an agent is ended, once it is at work. */
const WAYS: Readonly<Record<string, (used: Rig, script: string) => Promise<void>>> = {
  async 'by the holder'(used, script) {
    const running = used.run([{ script }]);
    await until(isAtWork(used));
    await stopIt(used);
    await running;
  },
  async 'by a signal'(used, script) {
    const controller = new AbortController();
    const running = used.run([{ script }], { signal: controller.signal });
    await until(isAtWork(used));
    controller.abort();
    await running;
  },
  async 'when the holder is dead'(used, script) {
    const holder = runElsewhere(used, [{ script }]);
    await until(isAtWork(used));
    await kill(holder);
    await stopIt(used);
  },
  async 'when holder and wrapper are dead'(used, script) {
    const holder = runElsewhere(used, [{ script }]);
    await until(isAtWork(used));
    const claim = readClaim(used.attempt('test', '01-step-1', 1));
    if (claim === undefined || claim === 'lost') throw new Error('nobody has the claim');
    process.kill(claim.pid, 'SIGKILL');
    await kill(holder);
    await stopIt(used);
  },
};

const isAtWork =
  ({ repository }: Rig) =>
  () =>
    existsSync(path.join(repository.directory, 'there'));
const stopIt = ({ repository: { root: cwd, env } }: Rig) => stop('test', { cwd, env });

describe('a stop', () => {
  it.each(Object.entries(WAYS))(
    '%s leaves nothing of all that tries to outlive it, three times',
    async (_, way) => {
      await Promise.all([1, 2, 3].map(() => trial(way)));
    },
    60_000,
  );

  async function trial(way: (used: Rig, script: string) => Promise<void>): Promise<void> {
    const used = await rig();
    const mark = newMark();
    await way(used, agentScript(Object.values(kinds), mark, used.repository.directory));
    expect(processesWith(mark)).toEqual([]);
    const records = used.journal('test');
    expect(records.at(-1)).toMatchObject({ type: 'run-ended', state: 'stopped' });
    const worktree = records.find(({ type }) => type === 'worktree-ready')?.['directory'];
    expect(readFileSync(path.join(String(worktree), 'half.txt'), 'utf8')).toBe('half\n');
    const cgroup = records.find(({ type }) => type === 'attempt-intended')?.['cgroup'] as
      string | undefined;
    expect(cgroup === undefined).toBe(cgroupPlace() === undefined);
    expect(existsSync(cgroup ?? '/none')).toBe(false);
  }
});
