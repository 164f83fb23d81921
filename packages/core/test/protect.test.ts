import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import { expectError, objections, outcomes, rig } from './rig.js';

const FILES = {
  'calc.sh': 'echo 4\n',
  'test/calc.test.sh': 'test "$(sh calc.sh)" = 5\n',
  'package.json': '{\n  "scripts": { "test": "sh test/calc.test.sh" }\n}\n',
};
const protect = ['test/**', 'package.json#scripts.test', '.github/**', 'jest.config.*'];
const checks = [{ name: 'test', command: ['sh', 'test/calc.test.sh'] }];
const commit = `git add --all && git commit -qm work && ${giveAnswer()}`;
const solved = 'echo "echo 5" >calc.sh';

/** An agent that does something else each time it is asked. */
function inTurn(...scripts: readonly string[]): string {
  const cases = scripts.map((script, at) => `${at + 1}) ${script};;`).join(' ');
  return `cat >/dev/null; n=$(cat ../turn 2>/dev/null || echo 0); n=$((n+1)); echo $n >../turn; case $n in ${cases} esac`;
}

describe('an agent that', () => {
  it.each([
    ['weakens the test', 'echo true >test/calc.test.sh', 'test/calc.test.sh (changed)'],
    ['deletes the test', 'rm -r test', 'test/calc.test.sh (deleted)'],
    ['renames the test', 'git mv test/calc.test.sh calc.old.sh', 'test/calc.test.sh (deleted)'],
    [
      'edits the script of package.json',
      `echo '{"scripts":{"test":"true"}}' >package.json`,
      'package.json#scripts.test',
    ],
    ['adds a configuration', 'echo "{}" >jest.config.js', 'jest.config.js (added)'],
  ])(
    '%s is rejected, with the diff, and so is what it left to the next one',
    async (_, act, named) => {
      const { run, attempt } = await rig({ files: FILES });
      const script = inTurn(`${act}; ${commit}`, `${solved}; ${commit}`);
      const result = await run([{ script, protect, checks, retries: 1 }]);
      expect(outcomes(result)).toEqual(['1 rejected', '1 rejected']);
      const [first, second] = result.attempts;
      for (const tried of [first, second]) {
        const reason = tried?.reasons.find(({ says }) => says === 'no');
        expect(reason).toMatchObject({
          evidence: 'protected',
          text: expect.stringContaining(named),
        });
        expect(reason?.detail).toMatch(/^[-+]/m);
        expect(tried?.checks).toEqual([]);
      }
      const prompt = readFileSync(path.join(attempt('test', '01-step-1', 2), 'prompt.md'), 'utf8');
      expect(prompt).toContain(named);
      expect(prompt).toContain(first?.reasons.find(({ detail }) => detail)?.detail?.trim());
    },
  );

  it('puts it back is judged by its work', async () => {
    const { run, journal } = await rig({ files: FILES });
    const script = inTurn(
      `echo true >test/calc.test.sh; ${commit}`,
      `git revert --no-edit HEAD >&2; ${solved}; ${commit}`,
    );
    const result = await run([{ script, protect, checks, retries: 1 }]);
    expect(outcomes(result)).toEqual(['1 rejected', '1 completed']);
    const ended = journal('test').filter(({ type }) => type === 'attempt-ended');
    expect(ended.map((record) => record['protected'])).toEqual(['changed', 'kept']);
  });

  it('commits it and reverts that has changed nothing', async () => {
    const { run } = await rig({ files: FILES });
    const script = `echo true >test/calc.test.sh; git commit -qam weak; git revert --no-edit HEAD >&2; ${solved}; ${commit}`;
    expect(outcomes(await run([{ script, protect, checks }]))).toEqual(['1 completed']);
  });

  it('leaves it changed without a commit is rejected, whatever else is required', async () => {
    const { run } = await rig({ files: FILES });
    const script = `${solved}; git commit -qam work; echo true >test/calc.test.sh; ${giveAnswer()}`;
    const result = await run([{ script, protect, requires: ['answer', 'commit'] }]);
    expect(outcomes(result)).toEqual(['1 rejected']);
  });

  it('makes the index lie is rejected', async () => {
    const { run } = await rig({ files: FILES });
    const script = `${solved}; git commit -qam work; git update-index --assume-unchanged test/calc.test.sh; echo true >test/calc.test.sh; ${giveAnswer()}`;
    const result = await run([{ script, protect, requires: ['answer', 'commit'] }]);
    expect(objections(result)).toEqual([expect.stringContaining('test/calc.test.sh (changed)')]);
  });
});

/** Has the test pass over its cases: their names end in CR in a checkout. */
const CASES = {
  'greet.sh': 'echo Hello!\n',
  'cases.txt': 'a\n',
  'cases/a': 'Hello!\n',
  'test.sh':
    'while read -r c; do [ -f "cases/$c" ] || continue; test "$(sh greet.sh)" = "$(cat "cases/$c")" || exit 1; done <cases.txt\n',
};

describe('attributes', () => {
  const cases = {
    protect: ['test.sh', 'cases.txt', 'cases/**'],
    checks: [{ name: 'tests', command: ['sh', 'test.sh'] }],
  };
  const attribute = `echo 'cases.txt text eol=crlf' >.gitattributes; rm cases.txt; git checkout -q cases.txt`;
  const breaking = `echo 'echo broken' >greet.sh; ${attribute}; ${commit}`;

  it.each(['worktree', 'accepted', 'base'] as const)(
    'that make protected files other ones are a change, with checks from %s',
    async (checkFrom) => {
      const { run } = await rig({ files: CASES });
      const result = await run([{ script: breaking, ...cases, checkFrom }]);
      expect(outcomes(result)).toEqual(['1 rejected']);
      expect(objections(result)[0]).toBe(
        'changed although protected, put it back: cases.txt (changed), cases.txt (text, eol by .gitattributes)',
      );
    },
  );

  it('that an earlier phase changed do not help where checks are from the base', async () => {
    const { run } = await rig({ files: CASES });
    const review = { script: giveAnswer(), mode: 'review' as const, ...cases };
    const result = await run([{ script: breaking }, { ...review, checkFrom: 'base' }]);
    expect(outcomes(result)).toEqual(['1 completed', '2 rejected']);
    expect(objections(result)).toEqual(['check "tests" failed (exit 1)']);
  });
});

describe('what a phase may change', () => {
  it('is accepted for those after it: they may not change that', async () => {
    const { run } = await rig({ files: FILES });
    const tests = `echo 'test "$(sh calc.sh)" = 6' >test/calc.test.sh; ${commit}`;
    const work = `echo "echo 6" >calc.sh; ${commit}`;
    const result = await run([{ script: tests }, { script: work, protect, checks }]);
    expect(outcomes(result)).toEqual(['1 completed', '2 completed']);
  });

  it('is no gap of the work: the run is not sent back for what a phase changed itself', async () => {
    const { run } = await rig({ files: FILES });
    const gaps = giveAnswer({ status: 'success', verdict: 'gaps' });
    const result = await run([
      { name: 'plan', script: `${commitFile('plan.md')}; ${giveAnswer()}` },
      {
        script: `echo true >test/calc.test.sh; git commit -qam weak; ${gaps}`,
        protect,
        requires: ['verdict'],
        onGaps: { goto: 'plan', max: 1 },
      },
    ]);
    expect(outcomes(result)).toEqual(['1 completed', '2 rejected']);
  });

  it('is everything in a review: what it changes is thrown away', async () => {
    const { run } = await rig({ files: FILES });
    const result = await run([
      { script: `${solved}; ${commit}` },
      { script: `echo true >test/calc.test.sh; ${giveAnswer()}`, mode: 'review', protect },
    ]);
    expect(outcomes(result)).toEqual(['1 completed', '2 completed']);
  });

  it('is by default what the defaults protect, and a phase may say otherwise', async () => {
    const { run } = await rig({ files: FILES });
    const script = `echo true >test/calc.test.sh; ${commit}`;
    const result = await run(
      [{ script, protect: [] }, { script: `echo false >test/calc.test.sh; ${commit}` }],
      {
        workflow: { defaults: { protect } },
      },
    );
    expect(outcomes(result)).toEqual(['1 completed', '2 rejected']);
  });
});

describe('what cannot be compared', () => {
  it('is unknown, and never kept', async () => {
    const { run, journal } = await rig({ files: FILES });
    const script = `${solved}; git commit -qam work; rm test/calc.test.sh; mkfifo test/calc.test.sh; ${giveAnswer()}`;
    const result = await run([{ script, protect, requires: ['answer'] }]);
    expect(outcomes(result)).toEqual(['1 incomplete']);
    expect(objections(result)).toEqual([
      expect.stringMatching(/^what is protected could not be compared: /),
    ]);
    const ended = journal('test').find(({ type }) => type === 'attempt-ended');
    expect(ended).toMatchObject({ protected: 'unknown' });
  });

  it('is refused where the workflow names it wrongly', async () => {
    const { run } = await rig({ files: FILES });
    const wrong = run([{ script: 'true', protect: ['/etc/**', 'ci.yml#jobs'] }]);
    const error = await expectError(wrong, 'CONFIG_INVALID', /protect\[0\].*from the root/s);
    expect(error.problems).toHaveLength(2);
  });
});
