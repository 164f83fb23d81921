import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import { expectNothingLeft, objections, outcomes, rig, worktreeCount } from './rig.js';

const work = (file: string) => `cat >/dev/null; ${commitFile(file)}; ${giveAnswer()}`;

describe('a run', () => {
  it('takes a task through its phases and leaves a branch with their commits', async () => {
    const { run, repository, ...rest } = await rig();
    const result = await run([{ script: work('one.txt') }, { script: work('two.txt') }]);
    expect(result).toMatchObject({ state: 'completed', branch: 'devflow/test/work' });
    expect(outcomes(result)).toEqual(['1 completed', '2 completed']);
    const subjects = await repository.git(
      'log',
      '--format=%s',
      `${result.base}..devflow/test/work`,
    );
    expect(subjects.split('\n')).toEqual(['Add two.txt', 'Add one.txt']);
    expect(result.commits.map(({ subject }) => subject)).toEqual(['Add one.txt', 'Add two.txt']);
    expect(result.head).toBe(await repository.git('rev-parse', 'devflow/test/work'));
    await expectNothingLeft({ run, repository, ...rest });
  });

  it('gives each agent the prompt on its standard input, whole', async () => {
    const { run, attempt } = await rig();
    const task = 'x'.repeat(300_000);
    const script = `cat >received; git add .; git commit -qm r; ${giveAnswer()}`;
    const result = await run([{ script, requires: ['commit'] }], {
      task,
      workflow: { worktree: { keep: 'always' } },
    });
    const prompt = readFileSync(path.join(attempt('test', '01-step-1', 1), 'prompt.md'), 'utf8');
    expect(prompt).toContain(task);
    expect(readFileSync(path.join(result.worktree ?? '', 'received'), 'utf8')).toBe(prompt);
  });

  it('passes on what an earlier phase said, and never expands it again', async () => {
    const { run, attempt } = await rig();
    await run([
      {
        name: 'plan',
        script: giveAnswer({ status: 'success', summary: 'use {{task}} and $(id)' }),
        requires: ['answer'],
      },
      { script: work('a'), prompt: 'Plan: {{phases.plan.summary}}' },
    ]);
    const prompt = readFileSync(path.join(attempt('test', '02-step-2', 1), 'prompt.md'), 'utf8');
    expect(prompt).toContain('Plan: use {{task}} and $(id)\n');
  });

  it('gives a prompt that asks for it the change so far, as it is', async () => {
    const { run, attempt } = await rig();
    await run([
      { script: `${commitFile('a', '{{task}}')}; ${giveAnswer()}` },
      { script: giveAnswer(), mode: 'review', prompt: 'Judge:\n{{run.diff}}' },
    ]);
    const prompt = readFileSync(path.join(attempt('test', '02-step-2', 1), 'prompt.md'), 'utf8');
    expect(prompt).toMatch(/^Judge:\ndiff --git a\/a b\/a\n[^]*^\+\{\{task\}\}$/m);
  });

  it('goes back when a phase finds gaps, and tells the agent what was found', async () => {
    const { run, attempt } = await rig();
    const validate = `echo 'see line 7 of mended'; if test -e mended; then ${giveAnswer({ status: 'success', verdict: 'pass' })}; else ${giveAnswer({ status: 'success', verdict: 'gaps', reason: 'mended is missing' })}; fi`;
    const code = `if grep -q 'mended is missing'; then ${commitFile('mended')}; else ${commitFile('first')}; fi; ${giveAnswer()}`;
    const result = await run([
      { name: 'code', script: code },
      {
        name: 'validate',
        script: validate,
        mode: 'review',
        requires: ['answer', 'verdict'],
        onGaps: { goto: 'code', max: 2 },
      },
    ]);
    expect(outcomes(result)).toEqual(['1 completed', '2 rejected', '1 completed', '2 completed']);
    expect(result.state).toBe('completed');
    const prompt = readFileSync(path.join(attempt('test', '01-code', 2), 'prompt.md'), 'utf8');
    expect(prompt).toMatch(/What was found[^]*mended is missing[^]*see line 7 of mended/);
  });

  it('goes back only as often as it may, over the whole run', async () => {
    const { run } = await rig();
    const code = `date +%N >f; echo "$$" >>f; git add .; git commit -qm more; ${giveAnswer()}`;
    const result = await run([
      { name: 'code', script: code },
      {
        name: 'validate',
        script: giveAnswer({ status: 'success', verdict: 'gaps' }),
        mode: 'review',
        requires: ['verdict'],
        onGaps: { goto: 'code', max: 2 },
      },
    ]);
    expect(result.state).toBe('failed');
    expect(outcomes(result).filter((outcome) => outcome === '2 rejected')).toHaveLength(3);
    expect(result.reason).toMatch(/going back 2 times/);
  });

  it('tries again as often as the phase allows, and says why the attempt before did not count', async () => {
    const { run, attempt } = await rig();
    const script = `if grep -q 'no commit since the phase began'; then ${commitFile('late')}; fi; ${giveAnswer()}`;
    const result = await run([{ script, retries: 1 }]);
    expect(outcomes(result)).toEqual(['1 no-change', '1 completed']);
    expect(readFileSync(path.join(attempt('test', '01-step-1', 2), 'prompt.md'), 'utf8')).toContain(
      'What happened before',
    );
  });

  it('counts commits since the phase was entered: a second attempt may find nothing left to do', async () => {
    const { run } = await rig();
    const script = `if test -e done.txt; then ${giveAnswer()}; else ${commitFile('done.txt')}; exit 1; fi`;
    const result = await run([{ script, retries: 1 }]);
    expect(outcomes(result)).toEqual(['1 failed', '1 completed']);
  });

  it('never makes more attempts than its total', async () => {
    const { run } = await rig();
    const result = await run([{ script: 'exit 1', retries: 50 }], { workflow: { maxAttempts: 3 } });
    expect(outcomes(result)).toEqual(['1 failed', '1 failed', '1 failed']);
    expect(result.reason).toMatch(/used its 3 attempts/);
  });

  it('does only the phases that were asked for', async () => {
    const { run } = await rig();
    const result = await run([{ script: 'exit 1' }, { script: work('b') }, { script: 'exit 1' }], {
      from: 2,
      until: 'step-2',
    });
    expect(outcomes(result)).toEqual(['2 completed']);
    expect(result.state).toBe('completed');
  });

  it('can run beside another in one process', async () => {
    const { run, repository } = await rig();
    const results = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => run([{ script: work(`${name}.txt`) }], { name })),
    );
    expect(results.map(({ state }) => state)).toEqual([
      'completed',
      'completed',
      'completed',
      'completed',
    ]);
    expect(results.map(({ commits }) => commits.map(({ subject }) => subject))).toEqual([
      ['Add a.txt'],
      ['Add b.txt'],
      ['Add c.txt'],
      ['Add d.txt'],
    ]);
    expect(await worktreeCount(repository)).toBe(1);
  });

  it('keeps the worktree where a change in it is hidden from git', async () => {
    const { run } = await rig();
    const script = `echo precious >README.md; git update-index --assume-unchanged README.md; ${giveAnswer()}`;
    const result = await run([{ script, requires: ['answer'] }]);
    expect(result.state).toBe('completed');
    expect(readFileSync(path.join(result.worktree ?? '', 'README.md'), 'utf8')).toBe('precious\n');
  });

  it('keeps the worktree where something in it is not committed', async () => {
    const { run, events } = await rig();
    const result = await run([
      { script: `echo precious >notes; ${giveAnswer()}`, requires: ['answer'] },
    ]);
    expect(result.state).toBe('completed');
    expect(readFileSync(path.join(result.worktree ?? '', 'notes'), 'utf8')).toBe('precious\n');
    expect(events.some((event) => event.type === 'note' && event.text.includes('is kept'))).toBe(
      true,
    );
  });
});

describe('checks', () => {
  it('decide: a failing one rejects the attempt, its output reaches the next', async () => {
    const { run, attempt } = await rig();
    const script = `if grep -q 'hello is missing'; then ${commitFile('hello')}; else ${commitFile('other')}; fi; ${giveAnswer()}`;
    const check = {
      name: 'hello',
      command: ['sh', '-c', 'test -e hello || { echo hello is missing; exit 3; }'],
    };
    const result = await run([{ script, checks: [check], retries: 1 }]);
    expect(outcomes(result)).toEqual(['1 rejected', '1 completed']);
    expect(objections(result)).toEqual(['check "hello" failed (exit 3)']);
    expect(readFileSync(path.join(attempt('test', '01-step-1', 2), 'prompt.md'), 'utf8')).toContain(
      'hello is missing',
    );
  });

  it('have a time limit that ends their children too', async () => {
    const { run, repository, ...rest } = await rig();
    const check = {
      name: 'slow',
      command: ['sh', '-c', 'sleep 300 & sleep 300'],
      timeout: '300ms',
    };
    const result = await run([{ script: work('a'), checks: [check] }]);
    expect(objections(result)).toEqual(['check "slow" failed (timed out after 0.3s)']);
    await repository.git('worktree', 'remove', '--force', '--force', result.worktree ?? '');
    await expectNothingLeft({ run, repository, ...rest });
  });

  it('are those of the run: a configuration that the agent changes has no say', async () => {
    const { run, journal } = await rig({ files: { 'devflow.config.json': '{}', a: '' } });
    const script = `echo '{"checks":[]}' >devflow.config.json; git commit -qam weaker; ${giveAnswer()}`;
    const result = await run([{ script, checks: [{ command: ['false'] }] }]);
    expect(outcomes(result)).toEqual(['1 rejected']);
    expect(journal('test').some(({ type }) => type === 'run-ended')).toBe(true);
  });

  it('are not run where something else has decided already', async () => {
    const { run, events } = await rig();
    await run([{ script: 'exit 1', checks: [{ command: ['true'] }] }]);
    expect(events.filter(({ type }) => type === 'check-started')).toEqual([]);
  });
});

describe('a review', () => {
  it('works in a checkout of its own, of which nothing reaches the run', async () => {
    const { run, repository } = await rig();
    const review = `echo broken >README.md; git commit -qam sneaky; echo more >new; ${giveAnswer()}`;
    const result = await run([{ script: work('a') }, { script: review, mode: 'review' }]);
    expect(outcomes(result)).toEqual(['1 completed', '2 completed']);
    expect(await repository.git('log', '--format=%s', 'main..devflow/test/work')).toBe('Add a');
    expect(await repository.git('show', 'devflow/test/work:README.md')).toBe('# A repository');
  });

  it('is checked on what the run has, not on what the reviewer changed in its own checkout', async () => {
    const { run } = await rig();
    const result = await run([
      { script: work('a') },
      {
        script: `echo fixed >fixed.txt; ${giveAnswer()}`,
        mode: 'review',
        checks: [{ command: ['test', '-e', 'fixed.txt'] }],
      },
    ]);
    expect(outcomes(result)).toEqual(['1 completed', '2 rejected']);
  });

  it('that moves the branch has found no gaps: the run is not sent back for it', async () => {
    const { run } = await rig();
    const review = `git commit -q --allow-empty -m sneaky; git update-ref refs/heads/devflow/test/work HEAD; ${giveAnswer({ status: 'success', verdict: 'pass' })}`;
    const result = await run([
      { name: 'code', script: work('a') },
      { script: review, mode: 'review', requires: ['verdict'], onGaps: { goto: 'code', max: 3 } },
    ]);
    expect(outcomes(result)).toEqual(['1 completed', '2 rejected']);
  });

  it("is rejected when it moves the run's branch behind its back", async () => {
    const { run } = await rig();
    const review = `git commit -q --allow-empty -m sneaky; git update-ref refs/heads/devflow/test/work HEAD; ${giveAnswer()}`;
    const result = await run([{ script: work('a') }, { script: review, mode: 'review' }]);
    expect(outcomes(result)).toEqual(['1 completed', '2 rejected']);
  });
});
