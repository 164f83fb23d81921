import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import { isThere, launches, letGo, patient } from './patient-agent.js';
import { expectError, outcomes, rig, until } from './rig.js';

describe('resume', () => {
  it('looks again at what stood in the way', async () => {
    const used = await rig();
    const flag = path.join(used.repository.directory, 'flag');
    const phase = {
      script: `${commitFile('a')}; ${giveAnswer()}`,
      preflight: [{ name: 'flag', command: ['test', '-e', flag], hint: 'touch it' }],
    };
    const first = await used.run([phase]);
    expect(first).toMatchObject({ state: 'waiting', waitingFor: 'preflight' });
    expect(first.problems).toEqual([
      { code: 'PREFLIGHT_COMMAND_FAILED', message: '"flag" exit 1', hint: 'touch it' },
    ]);
    writeFileSync(flag, '');
    expect(await used.resume('test')).toMatchObject({ state: 'completed' });
  });

  it('tries a failed run again, with the total that never resets', async () => {
    const used = await rig();
    const script = `if test -e "$HOME/mended"; then ${commitFile('a')}; ${giveAnswer()}; fi`;
    expect(await used.run([{ script }])).toMatchObject({ state: 'failed' });
    writeFileSync(path.join(used.repository.home, 'mended'), '');
    const result = await used.resume('test');
    expect(result.state).toBe('completed');
    expect(outcomes(result)).toEqual(['1 incomplete', '1 completed']);
  });

  it('is a newer word than a stop that was asked of a holder before it died', async () => {
    const used = await rig();
    await used.run([{ script: 'exit 1' }]);
    const inbox = path.join(used.repository.root, '.git/devflow/runs/test/inbox');
    writeFileSync(path.join(inbox, 'stop-x.json'), '{}');
    expect(outcomes(await used.resume('test'))).toEqual(['1 failed', '1 failed']);
  });

  it('goes on after a devflow that died between a stop and its record', async () => {
    const used = await rig();
    const controller = new AbortController();
    const running = used.run([{ script: patient(used.repository) }], { signal: controller.signal });
    await until(isThere(used));
    controller.abort();
    await running;
    const journal = path.join(used.repository.root, '.git/devflow/runs/test/journal.jsonl');
    const lines = readFileSync(journal, 'utf8').trim().split('\n');
    expect(lines.at(-1)).toContain('run-ended');
    writeFileSync(journal, `${lines.slice(0, -1).join('\n')}\n`);
    letGo(used);
    expect(outcomes(await used.resume('test'))).toEqual(['1 stopped', '1 completed']);
  });

  it('refuses a run that is completed, one that is held, and one that is not there', async () => {
    const used = await rig();
    await used.run([{ script: `${commitFile('a')}; ${giveAnswer()}` }]);
    await expectError(used.resume('test'), 'RUN_FINISHED', /is completed/);
    await expectError(used.resume('other'), 'RUN_NOT_FOUND', /no run "other"/);
    const other = await rig();
    const running = other.run([{ script: patient(other.repository) }]);
    await until(isThere(other));
    await expectError(other.resume('test'), 'RUN_HELD', /held by process/);
    letGo(other);
    expect(await running).toMatchObject({ state: 'completed' });
    expect(launches(other)).toBe(1);
  });

  it('stops at a journal line that it cannot read, and destroys nothing', async () => {
    const used = await rig();
    await used.run([{ script: 'exit 1' }]);
    const journal = path.join(used.repository.root, '.git/devflow/runs/test/journal.jsonl');
    const lines = readFileSync(journal, 'utf8').split('\n');
    const broken = lines.with(2, lines[2]?.slice(0, 20) ?? '').join('\n');
    writeFileSync(journal, broken);
    await expectError(used.resume('test'), 'JOURNAL_CORRUPT', /journal\.jsonl, line 3/);
    expect(readFileSync(journal, 'utf8')).toBe(broken);
    writeFileSync(journal, lines.with(2, '{"v":2,"seq":3,"type":"x"}').join('\n'));
    await expectError(used.resume('test'), 'JOURNAL_NEWER', /format 2/);
  });

  it('says so when the branch was moved to where the work is no longer part of it', async () => {
    const used = await rig();
    const result = await used.run([{ script: `${commitFile('a')}; exit 1` }]);
    await used.repository.git('-C', result.worktree ?? '', 'reset', '--quiet', '--hard', 'HEAD~1');
    const resumed = await used.resume('test');
    expect(resumed.problems.map(({ code }) => code)).toEqual(['BRANCH_MOVED']);
  });

  it('refuses hooks that have changed, until that is accepted', async () => {
    const used = await rig();
    const phase = { script: `${commitFile('a')}; ${giveAnswer()}`, preflight: [{ hook: 'ready' }] };
    const no = () => [{ code: 'NOT_YET', message: 'not yet', hint: 'wait' }];
    expect(await used.run([phase], { hooks: { ready: no } })).toMatchObject({
      state: 'waiting',
      problems: no(),
    });
    const yes = () => undefined;
    await expectError(used.resume('test', { hooks: { ready: yes } }), 'CODE_CHANGED', /ready/);
    await expectError(used.resume('test'), 'HOOK_MISSING', /ready/);
    expect(await used.resume('test', { hooks: { ready: yes }, acceptCode: true })).toMatchObject({
      state: 'completed',
    });
  });
});
