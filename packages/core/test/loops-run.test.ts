import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import { type Rig, expectNothingLeft, outcomes, rig } from './rig.js';

/** Commits a file that is another at each attempt. */
const works = `cat >prompt.tmp; rm prompt.tmp; n=$(git rev-list --count HEAD); ${commitFile('work-$n').replaceAll("'", '"')}; ${giveAnswer()}`;
/** Says that it did what it did already. */
const repeats = `cat >/dev/null; git commit -q --allow-empty -m Again; ${giveAnswer()}`;
const promptOf = (used: Rig, phase: string, attempt: number) =>
  readFileSync(path.join(used.attempt('test', phase, attempt), 'prompt.md'), 'utf8');
const check = (script: string) => [{ name: 'it', command: ['sh', '-c', script] }];

describe('a run that goes back', () => {
  it('for what was rejected does the phase again, and its prompt says why and what was tried', async () => {
    const used = await rig();
    const result = await used.run([
      {
        script: works,
        checks: check('echo "$(ls | wc -l) of 4 files"; test -e work-3'),
        onRejected: { goto: 'step-1', max: 5 },
      },
    ]);
    expect(outcomes(result)).toEqual(['1 rejected', '1 rejected', '1 completed']);
    const second = promptOf(used, '01-step-1', 2);
    expect(second).toContain('- check "it" failed (exit 1)');
    expect(second).toContain('The end of its output:\n\n```\n2 of 4 files\n```');
    expect(second).not.toContain('What was found');
    const third = promptOf(used, '01-step-1', 3);
    expect(third).toContain('3 of 4 files');
    expect(third).toContain(
      'That was attempt 2; before it:\n\n- attempt 1, rejected: check "it" failed (exit 1)',
    );
    expect(used.journal('test').filter(({ loop }) => loop === 'onRejected')).toHaveLength(2);
    await expectNothingLeft(used);
  });

  it('ends where nothing has changed twice, and says so', async () => {
    const used = await rig();
    const result = await used.run([
      {
        script: repeats,
        requires: ['answer', 'checks'],
        checks: check('false'),
        onRejected: { goto: 'step-1', max: 9 },
      },
    ]);
    expect(outcomes(result)).toEqual(['1 rejected', '1 rejected', '1 rejected']);
    expect(result).toMatchObject({
      state: 'failed',
      reason:
        'phase 1 step-1 rejected three times with the same result: check "it" failed (exit 1)',
    });
    const again = await used.resume('test');
    expect(again.attempts).toHaveLength(6);
    expect(again.reason).toContain('three times with the same result');
  });

  it('does not take for the same what is not committed, and ends at its maximum then', async () => {
    const used = await rig();
    const result = await used.run([
      {
        script: `cat >/dev/null; echo x >>left.txt; ${giveAnswer()}`,
        requires: ['answer', 'checks'],
        checks: check('false'),
        onRejected: { goto: 'step-1', max: 3 },
      },
    ]);
    expect(result.attempts).toHaveLength(4);
    expect(result.reason).toMatch(/is still rejected after going back 3 times \(max 3\)/);
  });

  it('for what failed does an earlier phase again, once the retries are used up', async () => {
    const used = await rig();
    const ship = `cat >/dev/null; if test $(git rev-list --count HEAD) -gt 3; then ${giveAnswer()}; else echo no >&2; exit 3; fi`;
    const result = await used.run([
      { script: works },
      {
        script: ship,
        retries: 1,
        requires: ['answer'],
        onFailed: { goto: 'step-1', max: 5 },
      },
    ]);
    const round = ['1 completed', '2 failed', '2 failed'];
    expect(outcomes(result)).toEqual([...round, ...round, '1 completed', '2 completed']);
    const prompt = promptOf(used, '01-step-1', 2);
    expect(prompt).toContain('A later phase could not do its part, and so the run came back here.');
    expect(prompt).toContain('the agent ended with exit 3');
    expect(promptOf(used, '01-step-1', 3)).toMatch(
      /- attempt 1, completed: then phase 2 step-2 did not succeed \(failed\): the agent ended with exit 3/,
    );
    expect(promptOf(used, '02-step-2', 3)).toMatch(
      /## What was tried before\n\n- attempt 1, failed/,
    );
  });
});
