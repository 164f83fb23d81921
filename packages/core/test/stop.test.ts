import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { stop } from '../src/index.js';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import { leaveAtWork } from './holder-process.js';
import { isThere, letGo, patient } from './patient-agent.js';
import { outcomes, processesOf, rig, until } from './rig.js';

describe('stop', () => {
  const escapee = `setsid sh -c 'sh -c "trap : TERM; while :; do sleep 0.05; done"' </dev/null >/dev/null 2>&1 &`;

  it('ends the agent and a grandchild in a session of its own, by the holder', async () => {
    const used = await rig();
    const running = used.run([{ script: `${escapee} ${patient(used.repository)}` }]);
    await until(isThere(used));
    const { root: cwd, env } = used.repository;
    expect(await stop('test', { cwd, env })).toMatchObject({ state: 'stopped' });
    expect(processesOf(used.repository.directory)).toEqual([]);
    expect(outcomes(await running)).toEqual(['1 stopped']);
    expect(await stop('test', { cwd, env })).toMatchObject({ state: 'stopped' });
  });

  it('does the same where the holder is dead', async () => {
    const used = await rig();
    await leaveAtWork(used, [{ script: `${escapee} ${patient(used.repository)}` }]);
    const { root: cwd, env } = used.repository;
    expect(await stop('test', { cwd, env })).toMatchObject({ state: 'stopped' });
    expect(processesOf(used.repository.directory)).toEqual([]);
  });

  it('comes from a signal too, and leaves the checkout as it is', async () => {
    const used = await rig();
    const controller = new AbortController();
    const running = used.run([{ script: `echo half >half.txt; ${patient(used.repository)}` }], {
      signal: controller.signal,
    });
    await until(isThere(used));
    controller.abort();
    const result = await running;
    expect(result.state).toBe('stopped');
    expect(readFileSync(path.join(result.worktree ?? '', 'half.txt'), 'utf8')).toBe('half\n');
    letGo(used);
    const resumed = await used.resume('test');
    expect(outcomes(resumed)).toEqual(['1 stopped', '1 completed']);
  });

  it('ends a check that runs', async () => {
    const used = await rig();
    const controller = new AbortController();
    const flag = path.join(used.repository.directory, 'checking');
    const check = {
      command: [
        'sh',
        '-c',
        `touch '${flag}'; test -e '${path.join(used.repository.directory, 'pass')}' || sleep 300`,
      ],
    };
    const running = used.run([{ script: `${commitFile('a')}; ${giveAnswer()}`, checks: [check] }], {
      signal: controller.signal,
    });
    await until(() => existsSync(flag));
    controller.abort();
    expect(await running).toMatchObject({ state: 'stopped' });
    expect(processesOf(used.repository.directory)).toEqual([]);
    writeFileSync(path.join(used.repository.directory, 'pass'), '');
    const resumed = await used.resume('test');
    expect(outcomes(resumed)).toEqual(['1 completed']);
  });
});
