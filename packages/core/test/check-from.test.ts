import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import { expectError, expectNothingLeft, objections, outcomes, rig, worktreeCount } from './rig.js';

const FILES = {
  '.gitignore': 'tools/\n',
  'calc.sh': 'echo 4\n',
  'test/calc.test.sh': 'test "$(sh calc.sh)" = 4\n',
};
const protect = ['test/**'];
const checks = [{ name: 'test', command: ['sh', 'test/calc.test.sh'] }];
const review = { script: giveAnswer(), mode: 'review', protect, checks } as const;
const commit = `git add --all && git commit -qm work && ${giveAnswer()}`;
/** Breaks the work, and the test so that it does not see it. */
const weakening = `echo "echo 5" >calc.sh; echo true >test/calc.test.sh; ${commit}`;

describe('checks from the base', () => {
  it('see what weakened tests do not', async () => {
    const used = await rig({ files: FILES });
    const phases = [
      { script: weakening, checks },
      { ...review, checkFrom: 'base' as const },
    ];
    const result = await used.run(phases);
    expect(outcomes(result)).toEqual(['1 completed', '2 rejected']);
    expect(objections(result)).toEqual(['check "test" failed (exit 1)']);
    expect(await worktreeCount(used.repository)).toBe(2); // the run's own is kept, nothing else
  });

  it.each(['worktree', 'accepted'] as const)(
    'are others than those from the %s',
    async (checkFrom) => {
      const { run } = await rig({ files: FILES });
      const result = await run([{ script: weakening }, { ...review, checkFrom }]);
      expect(outcomes(result)).toEqual(['1 completed', '2 completed']);
    },
  );

  it('have deleted tests again, and not those that were added', async () => {
    const { run } = await rig({ files: FILES });
    const script = `rm test/calc.test.sh; echo x >test/new.sh; ${commit}`;
    const look = { name: 'look', command: ['sh', '-c', 'test "$(ls test)" = calc.test.sh && git diff --quiet HEAD'] }; // prettier-ignore
    const result = await run([{ script }, { ...review, checks: [look], checkFrom: 'base' }]);
    expect(objections(result)).toEqual([]);
  });

  it('leave nothing of their checkout, whatever they write there', async () => {
    const used = await rig({ files: FILES });
    const writing = [{ command: ['sh', '-c', 'echo x >new; echo y >calc.sh; git commit -qam sneaky'] }]; // prettier-ignore
    const result = await used.run([
      { script: commitAll('a'), protect, checks: writing, checkFrom: 'base' },
    ]);
    expect(outcomes(result)).toEqual(['1 completed']);
    await expectNothingLeft(used);
    expect(await used.repository.git('show', `${result.branch}:calc.sh`)).toBe('echo 4');
  });
});

describe('what git takes away when it commits', () => {
  const greet = `: '$Id: '; echo Hello!; : '$'`;
  const script = `cat >/dev/null; echo 'greet.sh ident' >.gitattributes; cat >greet.sh <<'E'\n${greet}\nE\n${commit}`;
  const files = { 'greet.sh': '', 'test.sh': 'test "$(sh greet.sh)" = "Hello!"\n' };
  const tests = [{ name: 'tests', command: ['sh', 'test.sh'] }];

  it.each([
    ['worktree', '1 completed'], // as docs/evidence.md says
    ['accepted', '1 rejected'],
    ['base', '1 rejected'],
  ] as const)('with checks from %s ends %s', async (checkFrom, outcome) => {
    const { run } = await rig({ files });
    const result = await run([{ script, protect: ['test.sh'], checks: tests, checkFrom }]);
    expect(outcomes(result)).toEqual([outcome]);
  });
});

describe('checks from what was accepted', () => {
  it('do not see what git ignores in the worktree: it is filled anew', async () => {
    const used = await rig({ files: { ...FILES, 'setup.sh': 'mkdir -p tools; echo "exit 1" >tools/runner\n' } }); // prettier-ignore
    const script = `echo "exit 0" >tools/runner; ${commitFile('a')}; ${giveAnswer()}`;
    const runner = [{ name: 'runner', command: ['sh', 'tools/runner'] }];
    const workflow = { worktree: { setup: [{ command: ['sh', 'setup.sh'] }] } };
    const phase = { script, protect, checks: runner };
    const lax = await used.run([{ ...phase }], { workflow });
    expect(outcomes(lax)).toEqual(['1 completed']);
    const strict = await used.run([{ ...phase, checkFrom: 'accepted' }], { workflow, name: 'two' });
    expect(outcomes(strict)).toEqual(['1 rejected']);
  });

  it('are unknown where their checkout cannot be filled: never passed', async () => {
    const { run, repository } = await rig({ files: FILES });
    const setup = [{ name: 'ready', command: ['sh', '-c', 'test ! -e broken'] }];
    const script = `${commitFile('broken')}; ${giveAnswer()}`;
    const passing = [{ command: ['true'] }];
    const result = await run([{ script, protect, checks: passing, checkFrom: 'accepted' }], {
      workflow: { worktree: { setup } },
    });
    expect(outcomes(result)).toEqual(['1 incomplete']);
    expect(objections(result)).toEqual([
      expect.stringMatching(/^the checks were not run: setup "ready" in .*: exit 1/),
    ]);
    expect(await worktreeCount(repository)).toBe(2);
  });

  it('are unknown where a value cannot be laid over', async () => {
    const { run } = await rig({ files: { ...FILES, 'package.json': '{"scripts":{"test":"x"}}' } });
    const result = await run([
      { script: `echo '{' >package.json; ${commit}` },
      { ...review, protect: ['package.json#scripts.test'], checkFrom: 'base' },
    ]);
    expect(outcomes(result)).toEqual(['1 completed', '2 incomplete']);
    expect(objections(result)[0]).toMatch(/no value can be put back in package.json/);
  });

  it('are not run where somebody has the place of their checkout, which stays', async () => {
    const used = await rig({ files: FILES });
    const place = 'd=../test.review-1-1-checks; mkdir $d; echo mine >$d/file';
    const script = `${place}; ${commitFile('a')}; ${giveAnswer()}`;
    const result = await used.run([{ script, protect, checks, checkFrom: 'accepted' }]);
    expect(objections(result)[0]).toMatch(/review-1-1-checks is there already/);
    const worktrees = path.dirname(result.worktree ?? '');
    expect(readdirSync(path.join(worktrees, 'test.review-1-1-checks'))).toEqual(['file']);
    expect(existsSync(result.worktree ?? '')).toBe(true);
  });

  it.each([
    [{ protect: [], checks }, /checkFrom: expected "protect"/],
    [{ protect, checks: [] }, /checkFrom: the phase has no checks/],
  ])('need something that is protected, and checks', async (phase, words) => {
    const { run } = await rig({ files: FILES });
    const wrong = run([{ script: 'true', checkFrom: 'accepted', ...phase }]);
    await expectError(wrong, 'CONFIG_INVALID', words);
  });
});

function commitAll(file: string): string {
  return `${commitFile(file)}; ${giveAnswer()}`;
}
