/** Each example of docs/workflows.md, run; and what the page says of the workflows that come with devflow. */
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WORKFLOWS, answerGate } from '@devflow/core';
import { type CommandLine, commandLine, parseRun } from '../../packages/cli/test/command-line.js';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const read = (name: string) => readFileSync(file(name), 'utf8');
const page = read('../../docs/workflows.md');
const examples = readdirSync(file('.')).filter((name) => name.endsWith('.mjs'));

let here: CommandLine;
beforeEach(async () => {
  here = await commandLine();
  here.write({ '.devflow/agent.sh': read('agent.sh'), 'test.sh': read('test.sh') });
});
afterEach(() => here.remove());

const use = (example: string, changed: (text: string) => string = (text) => text) =>
  here.commit({ 'devflow.config.mjs': changed(read(example)) }, 'Configure devflow');
async function devflow(...args: string[]) {
  const { code, stdout } = await here.devflow([...args, '--json']);
  const { result } = parseRun(stdout);
  const went = result.attempts.map(({ phase, outcome }) => `${phase} ${outcome}`);
  return { code, went, result };
}
const run = () => devflow('run', 'Greet the world', '--name', 'it');
const greeting = () => here.git('show', 'devflow/it/work:greet.sh');

describe('the example', () => {
  test('of one phase is asked again until its check passes', async () => {
    await use('1-one-phase.mjs');
    expect(await run()).toMatchObject({ code: 0, went: ['1 rejected', '1 completed'] });
    expect(await greeting()).toContain('Hello, world!');
  });

  test('of one phase is not complete where it is not asked again', async () => {
    await use('1-one-phase.mjs', (text) => text.replace('retries: 2', 'retries: 0'));
    expect(await run()).toMatchObject({ code: 1, went: ['1 rejected'] });
  });

  test('of protected tests goes on where they are left alone', async () => {
    await use('3-protected-tests.mjs');
    expect(await run()).toMatchObject({ code: 0, went: ['1 rejected', '1 completed'] });
  });

  test('of protected tests does not believe in weaker ones', async () => {
    await use('3-protected-tests.mjs');
    const weaker = `echo true >test.sh; git commit --quiet --all --message 'Mend it'`;
    const agent = read('agent.sh').replace('git add greet.sh\n', `${weaker}\ngit add greet.sh\n`);
    expect(agent).toContain(weaker);
    await here.commit({ '.devflow/agent.sh': agent }, 'Bend it');
    const { code, went, result } = await run();
    expect([code, went[0]]).toEqual([1, '1 rejected']);
    expect(result.attempts[0]?.reasons).toContainEqual(
      expect.objectContaining({ says: 'no', text: expect.stringContaining('test.sh (changed)') }),
    );
  });

  test('of a person waits for them, and does again what they reject', async () => {
    await use('4-a-person-decides.mjs');
    expect(await run()).toMatchObject({
      code: 3,
      result: { state: 'waiting', waitingFor: 'gate' },
    });
    const { root: cwd, env } = here;
    await answerGate('it', { decision: 'reject', note: 'greet the whole world' }, { cwd, env });
    expect(await devflow('resume', 'it')).toMatchObject({ code: 3 });
    await answerGate('it', { decision: 'approve' }, { cwd, env });
    const went = ['1 completed', '1 completed', '2 completed'];
    expect(await devflow('resume', 'it')).toMatchObject({ code: 0, went });
    expect(await greeting()).toContain('Hello, world!');
  });

  test('of a condition skips what is not wanted, and says so', async () => {
    await use('5-only-where-wanted.mjs');
    const skipped = await run();
    expect(skipped).toMatchObject({ code: 0, went: ['1 rejected', '1 completed'] });
    expect((await here.devflow(['status', 'it'])).stdout).toMatch(/document[^]*skipped/);
    const wanted = await devflow('run', 'Greet the world', '--name', 'both', '--var', 'docs=yes');
    expect(wanted.went).toEqual(['1 rejected', '1 completed', '2 completed']);
  });

  test('of hooks skips what is not wanted, and waits where something stands in the way', async () => {
    await use('6-hooks.mjs');
    expect(await devflow('run', 'Greet', '--name', 'nobody')).toMatchObject({ code: 0, went: [] });
    expect(await run()).toMatchObject({ code: 0, went: ['1 completed'] });
    await here.commit({ FREEZE: '' }, 'Freeze');
    const frozen = await devflow('run', 'Greet the world', '--name', 'frozen');
    expect(frozen).toMatchObject({ code: 4, went: [] });
    expect(frozen.result.problems).toEqual([expect.objectContaining({ code: 'FROZEN' })]);
    expect((await here.devflow(['approve', 'frozen'])).code).toBe(0);
  });

  test('of two phases goes back for what the second finds', async () => {
    await use('2-second-pair-of-eyes.mjs');
    const went = ['1 completed', '2 rejected', '1 completed', '2 completed'];
    expect(await run()).toMatchObject({ code: 0, went });
  });
});

describe('docs/workflows.md', () => {
  test('shows each example as it is', () => {
    expect(examples.length).toBeGreaterThan(1);
    const shown = [...page.matchAll(/^```js\n([^]*?)^```$/gm)].map(([, code]) => code);
    expect(shown).toEqual(examples.map(read));
  });

  test('names the workflows that come with devflow, and their phases', () => {
    for (const [name, { phases }] of Object.entries(WORKFLOWS)) {
      const names = phases.map((phase) => phase.name).join(', ');
      expect(page).toMatch(new RegExp(`^\\| \`${name}\` +\\| ${names} +\\|`, 'm'));
    }
  });

  test('shows commands that can be given', async () => {
    await here.commit({}, 'Start');
    for (const branch of ['login', 'pr-12']) {
      await here.git('switch', '--quiet', '--create', branch);
      await here.commit({ [branch]: 'x' }, 'Change it');
      await here.git('switch', '--quiet', 'main');
    }
    const blocks = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, code = '']) => code);
    const runs = blocks.join('').match(/devflow run .*/g) ?? [];
    expect(runs.length).toBeGreaterThan(4);
    for (const line of runs) {
      const words = [...line.matchAll(/"([^"]*)"|([^\s"]+="[^"]*")|(\S+)/g)];
      const [, ...args] = words.map(
        ([, quoted, assigned, plain]) => quoted ?? assigned?.replaceAll('"', '') ?? plain ?? '',
      );
      const { code, stdout, stderr } = await here.devflow([...args, '--dry-run', '--json'], {
        input: 'x',
      });
      // An agent that is not installed here stands in the way of nothing that the page says.
      expect([0, 4], `${line}: ${stderr}`).toContain(code);
      expect(stdout).toContain('"type":"dry-run"');
    }
  });
});
