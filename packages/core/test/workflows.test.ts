/** The workflows that come with devflow, each walked to its end, and to where it must not be complete. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { command } from '../src/command/index.js';
import { type RunOptions, type RunResult, WORKFLOWS, run } from '../src/index.js';
import { commitFile, giveAnswer, scriptedAgent } from '../src/testing/index.js';
import { type Rig, expectError, expectNothingLeft, outcomes, rig } from './rig.js';

/** What the agent does in each phase, by its number. */
type Scripts = Readonly<Record<number, string>>;

const WITH_TESTS = {
  'greet.sh': 'echo "Hello, $1!"\n',
  'test.sh': 'test "$(sh greet.sh Ada)" = "Hello, Ada!" || { echo "wrong for Ada"; exit 1; }\n',
};
const WITHOUT = { 'greet.sh': 'echo "Hello, $1!"\n' };
const says = giveAnswer();
const passes = giveAnswer({ status: 'success', verdict: 'pass' });
const finds = (reason: string) => giveAnswer({ status: 'success', verdict: 'gaps', reason });

async function walk(
  name: keyof typeof WORKFLOWS,
  scripts: Scripts,
  { files = WITHOUT, check, ...more }: WalkOptions = {},
): Promise<Rig & { result: RunResult }> {
  const used = await rig({ files });
  return { ...used, result: await walkIn(used, name, scripts, { check, ...more }) };
}

interface WalkOptions extends Partial<RunOptions> {
  readonly files?: Readonly<Record<string, string>>;
  readonly check?: string | undefined;
}

function walkIn(
  { repository }: Rig,
  name: keyof typeof WORKFLOWS,
  scripts: Scripts,
  { check, ...more }: Omit<WalkOptions, 'files'>,
): Promise<RunResult> {
  const cases = Object.entries(scripts).map(([phase, script]) => `${phase}) ${script} ;;`);
  const script = `prompt=$(cat); case $DEVFLOW_PHASE in ${cases.join(' ')} esac`;
  const variables = check === undefined ? {} : { variables: { check } };
  const workflow = { ...WORKFLOWS[name], ...variables, profiles: { sh: scriptedAgent(script) } };
  return run(workflow, {
    task: 'Greet the world where there is no name',
    name: 'test',
    agent: 'sh',
    cwd: repository.root,
    env: repository.env,
    adapters: [command()],
    ...more,
  });
}

const promptOf = (used: Rig, phase: string, attempt = 1) =>
  readFileSync(path.join(used.attempt('test', phase, attempt), 'prompt.md'), 'utf8');
const more = 'echo more >>notes; git add notes; git commit -qm More';
const greet = `printf 'echo "Hello, \${1:-world}!"\\n' >greet.sh; git commit -qam 'Greet the world'`;
const test = `printf 'test "$(sh greet.sh)" = "Hello, world!" || { echo "wrong without a name"; exit 1; }\\n' >>test.sh; git add test.sh; git commit -qm 'Test it'`;

describe.each([
  ['with tests', WITH_TESTS],
  ['without tests', WITHOUT],
])('in a repository %s', (_, files) => {
  it('standard goes from a definition to a branch that can be merged', async () => {
    const used = await walk(
      'standard',
      {
        1: `echo 'Without a name it greets the world.'; ${says}`,
        2: `echo 'One line.'; ${says}`,
        3: `${test}; ${greet}; ${says}`,
        4: passes,
        5: `echo 'It greets the world.'; ${says}`,
      },
      { files },
    );
    expect(used.result.state).toBe('completed');
    expect(outcomes(used.result)).toEqual([1, 2, 3, 4, 5].map((phase) => `${phase} completed`));
    expect(promptOf(used, '02-plan')).toContain('Without a name it greets the world.');
    expect(promptOf(used, '03-code')).toContain('One line.');
    expect(promptOf(used, '04-validate')).toContain('+echo "Hello, ${1:-world}!"');
    await expectNothingLeft(used);
  });

  it('fix is complete where a test failed before, and passes after', async () => {
    const used = await walk(
      'fix',
      { 1: `${test}; echo 'It says Hello, !'; ${says}`, 2: `${greet}; ${says}`, 3: passes },
      { files, check: 'sh test.sh' },
    );
    expect(outcomes(used.result)).toEqual(['1 completed', '2 completed', '3 completed']);
    expect(promptOf(used, '02-fix')).toContain('It says Hello, !');
    const proof = promptOf(used, '03-prove');
    expect(proof).toContain(
      `- yes: check "shows the fault: sh test.sh" passed, and failed before the phase began`,
    );
    expect(proof).toContain('- yes: check "sh test.sh" passed');
    expect(used.result.commits.map(({ subject }) => subject)).toEqual([
      'Test it',
      'Greet the world',
    ]);
    await expectNothingLeft(used);
  });
});

describe('standard', () => {
  it('goes back for gaps three times, and is not complete while there are any', async () => {
    const used = await walk('standard', {
      1: says, 2: says, 4: finds('no test'),
      3: `${more}; ${says}`,
    }); // prettier-ignore
    expect(used.result.state).toBe('failed');
    expect(used.result.reason).toMatch(/still finds gaps after going back 3 times.*no test/);
    expect(promptOf(used, '03-code', 2)).toContain('the verdict is "gaps": no test');
  });

  it('ends where there is nothing to do, and changes nothing', async () => {
    const declined = giveAnswer({ status: 'declined', reason: 'it does that already' });
    const { result } = await walk('standard', { 1: declined });
    expect(result).toMatchObject({ state: 'failed', commits: [] });
    expect(result.reason).toMatch(/define declined: .*it does that already/);
  });
});

describe('fix', () => {
  const check = 'sh test.sh';

  it('does not believe in a fault that no test shows', async () => {
    const used = await walk(
      'fix',
      { 1: `${commitFile('x')}; ${says}` },
      { files: WITH_TESTS, check },
    );
    expect(outcomes(used.result)).toEqual(['1 rejected', '1 rejected']);
    expect(used.result.reason).toContain('check "shows the fault: sh test.sh" failed');
    expect(used.result.attempts[0]?.checks[0]?.output).toContain('nothing shows the fault');
  });

  it('tells the review where the command had failed before the test too', async () => {
    const red = 'test -e never';
    const scripts = { 1: `${test}; ${says}`, 2: `${more}; touch never; git add never; git commit -qm it; ${says}`, 3: says }; // prettier-ignore
    const used = await walk('fix', scripts, { check: red });
    expect(promptOf(used, '03-prove')).toContain(
      'check "shows the fault: test -e never" passed, as before the phase began',
    );
  });

  it('takes a command that cannot be run for no proof of a fault', async () => {
    const { result } = await walk('fix', { 1: `${commitFile('x')}; ${says}` }, { check: './none' });
    expect(outcomes(result)).toEqual(['1 rejected', '1 rejected']);
    expect(result.attempts[0]?.checks[0]?.output).toContain('could not be run (exit 127)');
  });

  it('takes a script that is not there for no proof either, whatever its shell ends with', async () => {
    const { result } = await walk(
      'fix',
      { 1: `${commitFile('x')}; ${says}` },
      { check: 'sh none.sh' },
    );
    expect(outcomes(result)).toEqual(['1 rejected', '1 rejected']);
    expect(result.attempts[0]?.checks[0]?.output).toContain('There is no none.sh');
  });

  it('is not complete while the test fails, and tells the agent what it printed', async () => {
    const tries = `${more}; ${says}`;
    const used = await walk('fix', { 1: `${test}; ${says}`, 2: tries }, { check });
    expect(used.result.state).toBe('failed');
    expect(outcomes(used.result).slice(0, 2)).toEqual(['1 completed', '2 rejected']);
    expect(promptOf(used, '02-fix', 2)).toContain('wrong without a name');
  });

  it('is not complete by a weaker test, wherever tests stand by custom', async () => {
    const inPlace = test.replaceAll('test.sh', 'greet.test.sh');
    const weaker = `echo true >greet.test.sh; git commit -qam 'Mend it'; ${says}`;
    const scripts = { 1: `${inPlace}; ${says}`, 2: weaker };
    const used = await walk('fix', scripts, { check: 'sh greet.test.sh' });
    expect(used.result.state).toBe('failed');
    expect(outcomes(used.result).slice(0, 2)).toEqual(['1 completed', '2 rejected']);
    expect(promptOf(used, '02-fix', 2)).toContain('-test "$(sh greet.sh)"');
  });

  const no = "echo 'exit 1' >"; // what fails before and passes after, and has nothing to do with any fault
  const yes = "echo 'exit 0' >";
  it.each(['test.sh', 'reproduce.sh', 'check.sh', 'bin/test', 'my-tests.sh', 'e2e/greet.sh'])(
    'is not complete where its first phase made %s fail and its second made it pass',
    async (file) => {
      const end = `git add .; git commit -qm It; ${says}`;
      const scripts = {
        1: `mkdir -p bin e2e; ${no}${file}; ${end}`,
        2: `${yes}${file}; ${end}`,
        3: passes,
      };
      const used = await walk('fix', scripts, { check: `sh ${file}` });
      expect(used.result.state).toBe('failed');
      expect(outcomes(used.result).slice(0, 2)).toEqual(['1 completed', '2 rejected']);
    },
  );

  it('leaves names that only hold the word to the fix', async () => {
    const name = 'latest.sh';
    const fixed = `${greet}; echo true >${name}; git add .; git commit -qm More; ${says}`;
    const used = await walk('fix', { 1: `${test}; ${says}`, 2: fixed, 3: passes }, { check });
    expect(used.result.state).toBe('completed');
  });

  it('has its review look for a fault that was made to be mended', async () => {
    const made = `echo broken >greet.sh; ${test}; git commit -qam Break; ${says}`;
    const seen = `git log -p main..HEAD | grep -q '^+broken' && ${finds('made by itself')} || ${passes}`;
    const used = await walk(
      'fix',
      { 1: made, 2: `${more}; ${greet}; ${says}`, 3: seen },
      { check },
    );
    expect(used.result.state).toBe('failed');
    const proof = promptOf(used, '03-prove');
    expect(proof).toMatch(/git log -p [0-9a-f]{40}\.\.HEAD/);
    expect(proof).toContain('Commits of the first phase that change more than tests');
  });

  it('goes back where the proof finds that the cause is still there', async () => {
    const proof = `test "$(wc -l <notes)" = 2 && ${passes} || ${finds('only hidden')}`;
    const fixed = `grep -q :- greet.sh || { ${greet}; }; ${more}; ${says}`;
    const used = await walk('fix', { 1: `${test}; ${says}`, 2: fixed, 3: proof }, { check });
    expect(outcomes(used.result)).toEqual([
      '1 completed', '2 completed', '3 rejected', '2 completed', '3 completed',
    ]); // prettier-ignore
    expect(promptOf(used, '02-fix', 2)).toContain('only hidden');
  });
});

describe('loop', () => {
  const step = `echo x >>steps; git add steps; git commit -qm Step; ${says}`;
  const check = 'echo "there are $(wc -l <steps)"; test "$(wc -l <steps)" -ge 3 # enough';

  it('asks again until the check passes, with what it printed', async () => {
    const used = await walk('loop', { 1: step }, { check });
    expect(used.result.state).toBe('completed');
    expect(outcomes(used.result)).toEqual(['1 rejected', '1 rejected', '1 completed']);
    expect(promptOf(used, '01-work', 2)).toContain('there are 1');
    await expectNothingLeft(used);
  });

  it('has an end', async () => {
    const { result } = await walk('loop', { 1: step }, { check: 'cat steps; false' });
    expect(result.state).toBe('failed');
    expect(result.attempts).toHaveLength(10);
  });

  it('is not complete because the check passed before anything was done', async () => {
    const { result } = await walk('loop', { 1: says }, { check: 'true' });
    expect(outcomes(result)).toEqual(['1 no-change', '1 no-change']);
    expect(result.state).toBe('failed');
  });

  it('is not complete by a weaker test', async () => {
    const files = { ...WITHOUT, 'test/t.sh': 'false\n' };
    const weaker = `echo true >test/t.sh; git commit -qam Weaker; ${says}`;
    const used = await walk('loop', { 1: weaker }, { files, check: 'sh test/t.sh' });
    expect(used.result.state).toBe('failed');
    expect(promptOf(used, '01-work', 2)).toContain('test/t.sh');
  });

  it('needs its check', async () => {
    await expectError(
      walk('loop', { 1: step }),
      'CONFIG_INVALID',
      /unknown variable \{\{vars\.check\}\}/,
    );
  });
});

describe('review', () => {
  /** A branch of somebody's, and a commit on main since. */
  async function branched(): Promise<Rig> {
    const used = await rig({ files: WITHOUT });
    const { git, commit } = used.repository;
    await git('switch', '--quiet', '--create', 'feature');
    await commit({ 'greet.sh': 'echo "Hello, ${1:-world}!"\n' }, 'Greet the world');
    await git('switch', '--quiet', 'main');
    await commit({ 'other.txt': 'of main\n' }, 'Other');
    return used;
  }
  const asked = { base: 'feature', against: 'main' } as const;

  it('is shown what the branch has that the other has not, and passes', async () => {
    const used = await branched();
    const result = await walkIn(used, 'review', { 1: passes }, asked);
    expect(result).toMatchObject({ state: 'completed', commits: [] });
    const prompt = promptOf(used, '01-review');
    expect(prompt).toContain('+echo "Hello, ${1:-world}!"');
    expect(prompt).not.toContain('of main');
    expect(prompt).toContain(await used.repository.git('merge-base', 'main', 'feature'));
    await expectNothingLeft(used);
  });

  it('is not complete where it finds gaps, and asks once', async () => {
    const used = await branched();
    const result = await walkIn(used, 'review', { 1: finds('no test, greet.sh:1') }, asked);
    expect(result.state).toBe('failed');
    expect(outcomes(result)).toEqual(['1 rejected']);
    expect(result.reason).toContain('the verdict is "gaps": no test, greet.sh:1');
  });

  it('of nothing is refused, and of what has no commit in common, or is not there', async () => {
    const used = await branched();
    const review = (options: Partial<RunOptions>) => walkIn(used, 'review', { 1: passes }, options);
    await expectError(
      review({}),
      'OPTION_INVALID',
      /review is shown the change, and no phase before/,
    );
    await expectError(
      review({ base: 'feature', against: 'feature' }),
      'OPTION_INVALID',
      /feature has nothing that feature/,
    );
    await expectError(
      review({ base: 'main~1', against: 'feature' }),
      'OPTION_INVALID',
      /main~1 has nothing/,
    );
    await used.repository.git('switch', '--quiet', '--create', 'empty', 'main');
    await used.repository.git('commit', '--quiet', '--allow-empty', '--message', 'Nothing');
    await expectError(
      review({ base: 'empty', against: 'main' }),
      'OPTION_INVALID',
      /empty changes nothing since it parted from main/,
    );
    for (const against of ['nowhere', '--all', 'main..feature'])
      await expectError(
        review({ base: 'feature', against }),
        'BASE_NOT_FOUND',
        /names no commit here/,
      );
    await used.repository.git('checkout', '--quiet', '--orphan', 'apart');
    await used.repository.commit({ a: 'a' });
    await expectError(
      review({ against: 'main' }),
      'OPTION_INVALID',
      /HEAD and main have no commit in common/,
    );
  });
});
