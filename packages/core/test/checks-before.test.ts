import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import { objections, outcomes, rig } from './rig.js';

const has = (file: string, more: object = {}) => ({
  name: file,
  command: ['sh', '-c', `test -e ${file} || { echo no ${file}; exit 1; }`],
  ...more,
});
const work = (file: string) => `${commitFile(file)}; ${giveAnswer()}`;

describe('a check that is run before the phase too', () => {
  it('tells what the phase made pass from what passed before, and is not required to', async () => {
    const { run, journal } = await rig({ files: { there: '' } });
    const checks = [has('there', { before: true }), has('there'), has('made', { before: true })];
    const result = await run([{ script: work('made'), checks }]);
    expect(outcomes(result)).toEqual(['1 completed']);
    const [attempt] = result.attempts;
    expect(attempt?.checks.map(({ name, before }) => [name, before])).toEqual([
      ['there', 'passed'],
      ['there', undefined],
      ['made', 'failed'],
    ]);
    expect(attempt?.reasons.filter(({ evidence }) => evidence === 'checks')).toMatchObject([
      { text: 'check "there" passed, as before the phase began' },
      { text: 'check "there" passed' },
      { text: 'check "made" passed, and failed before the phase began' },
    ]);
    const types = journal('test').map(({ type }) => type);
    expect(types.indexOf('checks-before')).toBe(types.indexOf('attempt-intended') - 1);
    const [kept] = journal('test').filter(({ type }) => type === 'checks-before');
    const { checks: before } = kept as unknown as { checks: { log: string }[] };
    expect(readFileSync(before[1]?.log ?? '', 'utf8')).toBe('no made\n');
  });

  it('and fails now says that it passed', async () => {
    const { run, attempt } = await rig({ files: { there: '' } });
    const script = `git rm -q there; git commit -qm away; ${giveAnswer()}`;
    const checks = [has('there', { before: true })];
    const result = await run([{ script, checks, retries: 1 }]);
    const said = 'check "there" failed (exit 1): it passed before the phase began';
    expect(objections(result)[0]).toBe(said);
    const prompt = readFileSync(path.join(attempt('test', '01-step-1', 2), 'prompt.md'), 'utf8');
    expect(prompt).toContain(said);
    expect(prompt).toContain('no there');
  });

  it('is run once a visit, not again for further attempts', async () => {
    const { run, events, journal } = await rig();
    const count = { command: ['sh', '-c', 'echo x >>"$HOME/count"; test -e b'], before: true };
    const script = `test -e a && { ${work('b')}; } || { ${work('a')}; }`;
    const result = await run([{ script, checks: [count], retries: 1 }]);
    expect(outcomes(result)).toEqual(['1 rejected', '1 completed']);
    expect(result.attempts.map(({ checks }) => checks[0]?.before)).toEqual(['failed', 'failed']);
    expect(journal('test').filter(({ type }) => type === 'checks-before')).toHaveLength(1);
    const ended = events.filter((event) => event.type === 'check-ended');
    expect(ended.map((event) => 'before' in event)).toEqual([true, false, false]);
  });

  it('is run again on the next visit', async () => {
    const { run, journal } = await rig();
    const turn = 'n=$(cat ../n 2>/dev/null || echo 0); echo $((n+1)) >../n';
    const judging = `${turn}; test $n = 0 && { ${giveAnswer({ status: 'success', verdict: 'gaps' })}; } || { ${giveAnswer({ status: 'success', verdict: 'pass' })}; }`;
    const coding = `test -e a && { ${work('b')}; } || { ${work('a')}; }`;
    const result = await run([
      { name: 'code', script: coding, checks: [has('a', { before: true })] },
      { script: judging, mode: 'review', requires: ['verdict'], onGaps: { goto: 'code', max: 1 } },
    ]);
    expect(outcomes(result)).toEqual(['1 completed', '2 rejected', '1 completed', '2 completed']);
    const before = journal('test').filter(({ type }) => type === 'checks-before');
    expect(before.map((record) => record['checks'])).toMatchObject([[{ passed: false }], [{ passed: true }]]); // prettier-ignore
  });

  it('runs on what checks of the attempt run on', async () => {
    const { run } = await rig({ files: { 'test/a.sh': 'exit 1\n' } });
    const check = { name: 'a', command: ['sh', 'test/a.sh'], before: true };
    const weak = `echo "exit 0" >test/a.sh; git commit -qam weak; ${giveAnswer()}`;
    const result = await run([
      { script: weak },
      { script: work('b'), checks: [check], protect: ['test/**'], checkFrom: 'base' },
    ]);
    expect(result.attempts.at(-1)?.checks[0]).toMatchObject({ passed: false, before: 'failed' });
  });

  it('that a stop cut off is run anew, and nobody was asked by then', async () => {
    const { run, resume, journal, repository } = await rig();
    const controller = new AbortController();
    const check = { name: 'slow', command: ['sh', '-c', 'test -e "$HOME/go" || sleep 60'], before: true }; // prettier-ignore
    const stopped = await run([{ script: work('a'), checks: [check] }], {
      signal: controller.signal,
      onEvent: (event) => {
        if (event.type === 'check-started') controller.abort();
      },
    });
    expect(stopped.state).toBe('stopped');
    const types = journal('test').map(({ type }) => type);
    expect(types).not.toContain('checks-before');
    expect(types).not.toContain('attempt-intended');
    repository.write({ '../home/go': '' });
    const result = await resume('test');
    expect(outcomes(result)).toEqual(['1 completed']);
    expect(result.attempts[0]?.checks[0]).toMatchObject({ before: 'passed' });
  });
});
