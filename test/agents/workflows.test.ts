/** The workflows that come with devflow, done by real agents that ask a scripted model. */
import { WORKFLOWS, type WorkflowDefinition } from '@devflow/core';
import { expect, test } from 'vitest';
import { say, shell, work } from '../model-server/scenarios.ts';
import type { Step } from '../model-server/turns.ts';
import { type AgentName, runAgent } from './agent-rig.ts';
import { answer } from './cases.ts';

const WITHOUT_TESTS = { 'greet.sh': 'echo "Hello, $1!"\n' };
const WITH_TESTS = {
  ...WITHOUT_TESTS,
  'test.sh': 'test "$(sh greet.sh Ada)" = "Hello, Ada!" || { echo "wrong for Ada"; exit 1; }\n',
};

/** What each agent's model says, in order. */
function walk(
  agent: AgentName,
  name: keyof typeof WORKFLOWS,
  script: readonly Step[],
  files: Readonly<Record<string, string>>,
  variables: NonNullable<WorkflowDefinition['variables']> = {},
) {
  const { phases } = WORKFLOWS[name];
  const task = 'Greet the world where there is no name';
  return runAgent(agent, { phases, script, files, task, workflow: { name, variables } });
}

const run = (said: string, command: string) => work(said, shell(command));
const says = (text: string, fields?: object) => say(`${text}\n\n${answer(fields)}`);
const greet = `printf 'echo "Hello, \${1:-world}!"\\n' >greet.sh && git commit --quiet -am 'Greet the world'`;
const addTest = `printf 'test "$(sh greet.sh)" = "Hello, world!" || { echo "wrong without a name"; exit 1; }\\n' >>test.sh && git add test.sh && git commit --quiet -m 'Test it'`;

test.each([
  ['claude', 'with tests', WITH_TESTS],
  ['codex', 'without tests', WITHOUT_TESTS],
] as const)('standard, by %s, in a repository %s', async (agent, _, files) => {
  const { result, server, repository } = await walk(
    agent,
    'standard',
    [
      says('Without a name it greets the world; with one, nothing changes.'),
      says('First a test, then greet.sh.'),
      run('A test.', addTest),
      run('The code.', greet),
      run('It is run.', 'sh test.sh'),
      says('It greets the world.'),
      says('The README does not say it: greet.sh, no documentation.', { verdict: 'gaps', reason: 'no README' }),
      run('The README.', `echo '# Greetings' >README.md && git add README.md && git commit --quiet -m 'Say it'`),
      says('It is said.'),
      says('Nothing is missing.', { verdict: 'pass' }),
      says('greet.sh greets the world where there is no name.'),
    ],
    files,
  ); // prettier-ignore
  expect(result.attempts.map(({ phase, outcome }) => `${phase} ${outcome}`)).toEqual([
    '1 completed', '2 completed', '3 completed', '4 rejected', '3 completed', '4 completed', '5 completed',
  ]); // prettier-ignore
  expect(result.state).toBe('completed');
  expect(await repository.git('show', 'devflow/real/work:greet.sh')).toContain('world');
  const asked = server.requests.map(({ body }) => body);
  expect(asked[1]).toContain('Without a name it greets the world; with one');
  expect(asked[7]).toContain('greet.sh, no documentation');
  expect(asked[6]).toContain('since the phase began'); // what was measured
  expect(server.strays).toEqual([]);
});

test('fix, by opencode: what mends nothing is not complete, and is told what the test printed', async () => {
  const { result, server } = await walk(
    'opencode',
    'fix',
    [
      run('A test.', addTest),
      says('Without a name it says "Hello, !"; the test prints "wrong without a name".'),
      run('I try.', `echo '# tried' >>greet.sh && git commit --quiet -am Try`),
      says('It should do.'),
      run('So this.', greet),
      says('An empty name was greeted as it is.'),
      says('The test fails without the fix.', { verdict: 'pass' }),
    ],
    WITH_TESTS,
    { check: 'sh test.sh' },
  );
  expect(result.attempts.map(({ phase, outcome }) => `${phase} ${outcome}`)).toEqual([
    '1 completed', '2 rejected', '2 completed', '3 completed',
  ]); // prettier-ignore
  expect(result.state).toBe('completed');
  expect(result.commits.map(({ subject }) => subject)).toEqual([
    'Test it',
    'Try',
    'Greet the world',
  ]);
  const asked = server.requests.map(({ body }) => body);
  expect(asked[4]).toContain('wrong without a name');
  expect(asked[6]).toContain('shows the fault: sh test.sh'); // what was measured
});

test('loop, by claude: asked until the check passes', async () => {
  const { result } = await walk(
    'claude',
    'loop',
    [
      run('A step.', 'echo more >notes && git add notes && git commit -qm Notes'),
      says('A step.'),
      run('The rest.', greet),
      says('All of it.'),
    ],
    { ...WITHOUT_TESTS, 'test.sh': 'test "$(sh greet.sh)" = "Hello, world!"\n' },
    { check: 'sh test.sh' },
  );
  expect(result.attempts.map(({ outcome }) => outcome)).toEqual(['rejected', 'completed']);
  expect(result.state).toBe('completed');
});

test.each([
  ['pass', 'completed', ['completed']],
  ['gaps', 'failed', ['rejected']],
] as const)('review, by codex, that finds "%s" has %s', async (verdict, state, ended) => {
  const { result, server } = await runAgent('codex', {
    phases: WORKFLOWS.review.phases,
    files: WITH_TESTS,
    task: 'Greet the world where there is no name',
    prepare: async ({ git, commit }) => {
      await git('switch', '--quiet', '--create', 'feature');
      await commit({ 'greet.sh': 'echo "Hello, ${1:-world}!"\n' }, 'Greet the world');
      await git('switch', '--quiet', 'main');
    },
    options: { base: 'feature', against: 'main' },
    script: [run('I look.', 'cat greet.sh'), says('Read.', { verdict, reason: 'no test' })],
  });
  expect(result.attempts.map(({ outcome }) => outcome)).toEqual(ended);
  expect(result).toMatchObject({ state, commits: [] });
  expect(server.requests[0]?.body).toContain('{1:-world}');
});
