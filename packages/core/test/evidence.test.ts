import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import { agent, reporting, start } from './reporting-agent.js';
import { type ScriptedPhase, objections, outcomes, rig } from './rig.js';

const success = { status: 'success', summary: 'done' } as const;
const answering = (output?: unknown) =>
  giveAnswer({ ...success, ...(output !== undefined && { output }) });

async function ended(phase: ScriptedPhase, files?: Record<string, string>) {
  const used = await rig(files === undefined ? {} : { files });
  const result = await used.run([phase]);
  return { ...used, result, outcome: outcomes(result), objections: objections(result) };
}

describe('an output', () => {
  const answer = z.strictObject({ files: z.array(z.string()).min(1) });
  const asked = (output?: unknown): ScriptedPhase => ({
    script: answering(output),
    requires: ['answer'],
    answer,
  });

  it('that holds by the schema completes the phase, and is in journal and result', async () => {
    const { result, outcome, journal } = await ended(asked({ files: ['a'] }));
    expect(outcome).toEqual(['1 completed']);
    expect(result.attempts[0]?.output).toEqual({ files: ['a'] });
    const record = journal('test').find(({ type }) => type === 'attempt-ended');
    expect(record?.['answer']).toEqual({ ...success, output: { files: ['a'] } });
  });

  it('is asked for in the prompt, by the schema', async () => {
    const { attempt } = await ended(asked({ files: ['a'] }));
    const prompt = readFileSync(`${attempt('test', '01-step-1', 1)}/prompt.md`, 'utf8');
    expect(prompt).toMatch(/^DEVFLOW_RESULT: .*"output":<as said below>\}$/m);
    expect(prompt).toContain('"minItems": 1');
  });

  it.each([
    ['missing', undefined, ['the answer has no "output"']],
    [
      'of another form',
      { files: [7], more: 1 },
      ['output: must NOT have additional properties: "more"', 'output.files[0]: must be string'],
    ],
  ])('that is %s is unfinished, and each error is a reason', async (_, output, why) => {
    const { outcome, objections: said } = await ended(asked(output));
    expect(outcome).toEqual(['1 incomplete']);
    expect(said).toEqual(why);
  });

  it('that is longer than what is read of plain text is told as cut, also to the next attempt', async () => {
    const long = `cat >/dev/null; printf 'DEVFLOW_RESULT: {"status":"success","output":"'; head -c 1200000 /dev/zero | tr '\\0' x; echo '"}'`;
    const used = await rig();
    const result = await used.run([{ ...asked(), script: long, retries: 1 }]);
    expect(outcomes(result)).toEqual(['1 incomplete', '1 incomplete']);
    const why = /without "DEVFLOW_RESULT:" at its beginning.* give a shorter answer/;
    expect(objections(result).join()).toMatch(why);
    expect(readFileSync(`${used.attempt('test', '01-step-1', 2)}/prompt.md`, 'utf8')).toMatch(why);
  });

  it('that is as long as it may be is read of plain text too, each character escaped', async () => {
    const name = String.raw`head -c 99900 /dev/zero | sed 's/./\\u00e9/g'`;
    const script = `cat >/dev/null; printf 'DEVFLOW_RESULT: {"status":"success","output":{"files":["'; ${name}; echo '"]}}'`;
    const { result, outcome } = await ended({ ...asked(), script });
    expect(outcome).toEqual(['1 completed']);
    expect(result.attempts[0]?.output).toEqual({ files: ['é'.repeat(99_900)] });
  });

  it('that nobody asked for is left away', async () => {
    const { result, outcome } = await ended({ script: answering({ a: 1 }), requires: ['answer'] });
    expect(outcome).toEqual(['1 completed']);
    expect(result.attempts[0]).not.toHaveProperty('output');
  });

  it('is not asked of an agent that declines', async () => {
    const script = giveAnswer({ status: 'declined', reason: 'it is there' });
    const { outcome, objections: why } = await ended({ ...asked(), script });
    expect(outcome).toEqual(['1 declined']);
    expect(why).toEqual(['the agent answered "declined": it is there']);
  });

  it('that does not hold is mended in the same session, by its errors', async () => {
    const continued: (string | undefined)[] = [];
    let attempts = 0;
    const able = agent('able', 'cat >/dev/null', {
      capabilities: { modes: ['work'], continue: true, structuredOutput: true },
      execCommand({ sessionId, prompt }) {
        continued.push(sessionId);
        return { program: '/bin/sh', args: ['-c', 'cat >/dev/null'], stdin: prompt };
      },
      createParser(clock) {
        attempts += 1;
        const files = attempts === 1 ? 'a' : ['a'];
        const structuredOutput = { ...success, reason: '', output: { files } };
        return reporting({ turn: 'finished', sessionId: 's-1', structuredOutput })(clock);
      },
    });
    const used = await start(
      [able],
      {},
      { agent: 'able', answerBy: 'schema', requires: ['answer'], answer, retries: 1 },
    );
    const result = await used.result;
    expect(outcomes(result)).toEqual(['1 incomplete', '1 completed']);
    expect(continued.at(-1)).toBe('s-1');
    const prompt = readFileSync(`${used.attempt('test', '01-one', 2)}/prompt.md`, 'utf8');
    expect(prompt).toContain('- output.files: must be array');
    expect(result.attempts[1]?.output).toEqual({ files: ['a'] });
  });
});

describe('what must change', () => {
  const work = (script: string, changes: ScriptedPhase['changes']): ScriptedPhase => ({
    script: `cat >/dev/null; ${script}; ${giveAnswer()}`,
    changes,
  });

  it('changed, so that the phase is complete, and each pattern is a ground', async () => {
    const phase = work('mkdir src && ' + commitFile('src/a.ts'), {
      must: ['src/**'],
      mustNot: ['test/**'],
    });
    const { result, outcome } = await ended(phase);
    expect(outcome).toEqual(['1 completed']);
    expect(result.attempts[0]?.reasons).toEqual(
      expect.arrayContaining([
        { evidence: 'changes', says: 'yes', text: 'changed by "src/**": src/a.ts' },
        { evidence: 'changes', says: 'yes', text: 'nothing that matches "test/**" changed' },
      ]),
    );
  });

  it('did not: unfinished, whatever the agent says', async () => {
    const { outcome, objections: why } = await ended(
      work(commitFile('b.ts'), { must: ['src/**'] }),
    );
    expect(outcome).toEqual(['1 incomplete']);
    expect(why).toEqual(['nothing that matches "src/**" changed']);
  });

  it.each([
    ['a link', 'ln -s src docs'],
    ['a file', 'echo x >docs'],
    ['a repository within', 'git clone -q . docs'],
  ])('did not where %s stands in the place of its directory', async (_, script) => {
    const { outcome, objections: why } = await ended(
      work(`${script}; git add docs; git commit -qm x`, { must: ['docs/**'] }),
      { 'src/a': 'x' },
    );
    expect(outcome).toEqual(['1 incomplete']);
    expect(why).toEqual(['nothing that matches "docs/**" changed']);
  });

  it('did not where a file is only hidden from git: it may have changed', async () => {
    const hidden = 'git update-index --assume-unchanged src/a; echo y >src/a';
    const { outcome, objections: why } = await ended(
      { ...work(hidden, { must: ['src/**'] }), requires: ['answer', 'changes'] },
      { 'src/a': 'x' },
    );
    expect(outcome).toEqual(['1 incomplete']);
    expect(why).toEqual(['nothing that matches "src/**" changed']);
  });

  it.each([
    ['removed', 'git rm -q docs/a', 'docs/**', 'docs/a'],
    ['a repository within that is named', 'git clone -q . lib; git add lib', 'lib', 'lib'],
  ])('did where it is %s', async (_, script, pattern, path) => {
    const phase = work(`${script}; git commit -qm x`, { must: [pattern] });
    const { outcome, result } = await ended(phase, { 'docs/a': 'x' });
    expect(outcome).toEqual(['1 completed']);
    expect(result.attempts[0]?.reasons.map(({ text }) => text)).toContain(
      `changed by "${pattern}": ${path}`,
    );
  });

  it.each([
    ['committed', commitFile('test/new.test.ts', 'x')],
    ['not committed', `${commitFile('ok')}; echo weaker >test/a.test.ts`],
    ['renamed away', `mkdir lib; git mv test/a.test.ts lib/a.test.ts; ${commitFile('ok')}`],
    ['removed', `git rm -q test/a.test.ts; ${commitFile('ok')}`],
    [
      'hidden from git',
      `${commitFile('ok')}; git update-index --skip-worktree test/a.test.ts; echo weaker >test/a.test.ts`,
    ],
    ['with a line break in its name', `printf x > "test/b\nc.ts"; ${commitFile('ok')}`],
  ])('and what must not change did: rejected, %s', async (_, script) => {
    const phase = {
      ...work(script, { mustNot: ['test/**'] }),
      requires: ['answer', 'commit', 'changes'] as const,
    };
    const { outcome, objections: why } = await ended(
      { ...phase, requires: [...phase.requires] },
      { 'test/a.test.ts': 'strict' },
    );
    expect(outcome).toEqual(['1 rejected']);
    expect(why).toEqual([expect.stringMatching(/^"test\/\*\*" must not change: test\//)]);
  });

  it('is counted since the phase was entered, not since the attempt', async () => {
    const once = `test -e src/a.ts || { mkdir src && ${commitFile('src/a.ts')}; exit 0; }`;
    const used = await rig();
    const result = await used.run([{ ...work(once, { must: ['src/**'] }), retries: 1 }]);
    expect(outcomes(result)).toEqual(['1 incomplete', '1 completed']);
  });

  it('is said to the agent', async () => {
    const { attempt } = await ended(
      work(commitFile('b'), { must: ['src/**'], mustNot: ['test/**'] }),
    );
    const prompt = readFileSync(`${attempt('test', '01-step-1', 1)}/prompt.md`, 'utf8');
    expect(prompt).toContain('- Change what matches each of these: `src/**`.');
    expect(prompt).toContain('- Change nothing that matches one of these: `test/**`.');
  });
});

describe('a required file', () => {
  const phase = (script: string): ScriptedPhase => ({
    script: `cat >/dev/null; ${script}; ${giveAnswer()}`,
    requires: ['answer', 'files'],
    files: ['docs/plan.md'],
  });

  it('that is there completes the phase, and is said to the agent', async () => {
    const { outcome, attempt } = await ended(phase('mkdir docs; echo x >docs/plan.md'));
    expect(outcome).toEqual(['1 completed']);
    const prompt = readFileSync(`${attempt('test', '01-step-1', 1)}/prompt.md`, 'utf8');
    expect(prompt).toContain('- These files must be there in the end: `docs/plan.md`.');
  });

  it.each([
    ['nothing', 'true', 'nothing'],
    ['a directory', 'mkdir -p docs/plan.md', 'a directory'],
    ['a symbolic link', 'mkdir docs; ln -s /etc/hostname docs/plan.md', 'a symbolic link'],
    ['a pipe', 'mkdir docs; mkfifo docs/plan.md', 'neither file nor directory'],
    ['a file below a link', 'mkdir d; echo x >d/plan.md; ln -s d docs', 'a symbolic link at docs'],
    ['a file in the place of its directory', 'echo x >docs', 'docs is a file'],
  ])('in whose place is %s is missing', async (_, script, is) => {
    const { outcome, objections: why } = await ended(phase(script));
    expect(outcome).toEqual(['1 incomplete']);
    expect(why).toEqual([`docs/plan.md is not there as a file: ${is}`]);
  });
});
