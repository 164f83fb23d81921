import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WORKFLOWS, resolveWorkflow } from '@devflow/core';
import type { Finding } from '@devflow/core/doctor';
import type { DryRun } from '@devflow/core/dry-run';
import { type CommandLine, commandLine } from './command-line.js';
import { loadConfiguration } from '../src/config/load.js';
import { WORKS, onePhase, untilThere } from './workflows.js';

describe('before a run', () => {
  let here: CommandLine;
  beforeEach(async () => {
    here = await commandLine();
  });
  afterEach(() => here.remove());
  const configure = (workflow: object) =>
    here.write({ 'devflow.config.json': JSON.stringify(workflow) });

  test.each(Object.entries(WORKFLOWS))(
    'init writes the workflow %s, to be changed',
    async (name, written) => {
      const { phases } = written;
      const asked = name === 'standard' ? [] : ['--workflow', name];
      const { code, stdout } = await here.devflow(['init', ...asked]);
      expect(code).toBe(0);
      expect(stdout).toContain('wrote devflow.config.mjs');
      expect(stdout).toContain(`wrote .devflow/prompts/${phases.at(-1)?.name}.md`);
      const { definition, dir } = await loadConfiguration(here.root);
      const variables = JSON.stringify(written).includes('{{vars.check}}')
        ? { variables: { check: 'npm test' } }
        : {};
      const expected = { ...written, ...variables, defaults: { agent: 'claude' } };
      const trimmed = (workflow: ReturnType<typeof resolveWorkflow>) => ({
        ...workflow,
        phases: workflow.phases.map((phase) => ({ ...phase, prompt: phase.prompt.trim() })),
      });
      expect(trimmed(resolveWorkflow(definition, dir))).toEqual(
        trimmed(resolveWorkflow(expected, dir)),
      );
    },
  );

  test('a dry run shows what is asked of a phase, who is asked and told, and what is handed over', async () => {
    const answer = { type: 'object', required: ['n'] };
    configure({
      defaults: { agent: 'mine' },
      profiles: { mine: { adapter: 'command', command: ['true'] } },
      notify: [{ command: ['true'], on: ['gate'] }],
      phases: [
        {
          id: 1,
          name: 'one',
          prompt: 'x',
          changes: { must: ['src/**'], mustNot: ['test/**'] },
          files: ['a.md'],
          answer,
          gate: { when: 'after', message: 'Is it so?', timeout: '2h', onTimeout: 'reject' },
          handOver: { artifacts: ['a.md'], events: [], maxEvents: 5 },
        },
        { id: 2, name: 'two', prompt: 'x' },
      ],
    });
    const { code, stdout } = await here.devflow(['run', 'x', '--dry-run']);
    expect(code).toBe(0);
    const lines = stdout.split('\n');
    for (const line of [
      'told by command true: gate',
      '  must change: src/**',
      '  must not change: test/**',
      '  files: a.md',
      `  output of the answer: ${JSON.stringify(answer)}`,
      '  gate after it: Is it so? (reject after 2h)',
      '  handed over: a.md, events by 0 rules, the last 5 events',
    ])
      expect(lines.filter((other) => other === line)).toEqual([line]); // of the first phase only
    const json = await here.devflow(['run', 'x', '--dry-run', '--json']);
    const { notify, phases } = JSON.parse(json.stdout) as DryRun;
    expect(notify).toEqual([{ name: 'command true', on: ['gate'] }]);
    expect(phases[0]).toMatchObject({ answer, files: ['a.md'], gate: { message: 'Is it so?' } });
    expect(phases[0]?.handOver).toMatchObject({ artifacts: ['a.md'], maxEvents: 5 });
    expect(phases[0]?.changes).toEqual({ must: ['src/**'], mustNot: ['test/**'] });
  });

  test('init knows the workflows by name, and writes nothing for another', async () => {
    const { code, stderr } = await here.devflow(['init', '--workflow', 'reviw']);
    expect(code).toBe(2);
    expect(stderr).toContain('there is no workflow "reviw"; did you mean "review"?');
    expect(existsSync(path.join(here.root, 'devflow.config.mjs'))).toBe(false);
  });

  test('init names all that can be said of a phase, and all that a prompt can ask for', async () => {
    await here.devflow(['init']);
    const text = readFileSync(path.join(here.root, 'devflow.config.mjs'), 'utf8');
    const keys = ['notify', 'checks', 'protect', 'changes', 'files', 'answer', 'when', 'gate', 'handOver', 'onRejected']; // prettier-ignore
    for (const key of keys) expect(text).toMatch(new RegExp(`// +${key}: `));
    for (const evidence of ['answer', 'commit', 'clean', 'verdict', 'changes', 'files', 'checks'])
      expect(text).toMatch(new RegExp(`// requires:.*\\b${evidence}\\b`));
    for (const fact of ['summary', 'text', 'output', 'outcome', 'reasons', 'artifacts', 'events'])
      expect(text).toMatch(new RegExp(`\\.${fact}\\b`));
    for (const name of ['run.since', 'run.diff', 'vars.name'])
      expect(text).toContain(`{{${name}}}`);
    const ofPhase = text.slice(text.indexOf('// requires:'), text.indexOf('  phases: ['));
    const written = ofPhase.split('\n').filter((line) => /^ {2}\/\/ {3}\w+: /.test(line));
    const entries = written.map((line) => line.replace('//', ''));
    const phase = `{ id: 1, name: 'code', prompt: 'x',\n${entries.join('\n')}\n}`;
    here.write({ 'devflow.config.mjs': `export default { phases: [${phase}] };` });
    const { definition } = await loadConfiguration(here.root); // refuses what cannot be said
    expect(Object.keys(definition.phases[0] ?? {})).toHaveLength(3 + 9);
  });

  test('init names no file that is not there, without saying that it has to be made', async () => {
    await here.devflow(['init']);
    const text = readFileSync(path.join(here.root, 'devflow.config.mjs'), 'utf8');
    const named = text.split('\n').filter((line) => line.includes('.devflow/instructions.md'));
    expect(named).toEqual([expect.stringContaining('write it first')]);
  });

  test('init never overwrites, names all that is there, and then writes nothing', async () => {
    here.write({ '.devflow/prompts/plan.md': 'mine', '.devflowrc': 'mine: too' });
    const { code, stderr } = await here.devflow(['init']);
    expect(code).toBe(2);
    expect(stderr).toContain('- .devflowrc\n');
    expect(stderr).toContain('- .devflow/prompts/plan.md\n');
    expect(stderr).toContain('(FILE_EXISTS)');
    expect(readFileSync(path.join(here.root, '.devflow/prompts/plan.md'), 'utf8')).toBe('mine');
    expect(existsSync(path.join(here.root, 'devflow.config.mjs'))).toBe(false);
  });

  test('init sees a configuration in package.json as well', async () => {
    here.write({ 'package.json': JSON.stringify({ devflow: onePhase(WORKS) }) });
    expect((await here.devflow(['init'])).stderr).toContain('- package.json (devflow)');
  });

  test('run --dry-run shows commands, prompts and checks, and changes nothing anywhere', async () => {
    configure({
      ...onePhase(`touch '${here.directory}/agent-ran'; ${WORKS}`, {
        checks: [{ command: ['touch', `${here.directory}/check-ran`] }],
      }),
      worktree: { setup: [{ command: ['touch', `${here.directory}/setup-ran`] }] },
    });
    await here.git('status'); // so that git has refreshed its index by itself
    const before = snapshot(here.directory);
    const { code, stdout } = await here.devflow([
      'run',
      'Make a file',
      '--dry-run',
      '--name',
      'dry',
    ]);
    expect(code).toBe(0);
    expect(snapshot(here.directory)).toEqual(before);
    expect(stdout).toContain('sandbox: none');
    expect(stdout).toContain('branch devflow/dry/work, from main at');
    expect(stdout).toContain("command: /bin/sh -c 'touch");
    expect(stdout).toContain('check: touch ');
    expect(stdout).toContain('requires: a finished turn, answer, commit, clean, checks');
    expect(stdout).toContain('0 retries');
    expect(stdout).toContain('Do: Make a file');
    expect(stdout).toContain('run in it once: touch');
  });

  test('run --dry-run --json gives the plan as data, with what stands in the way', async () => {
    configure({
      ...onePhase(WORKS),
      profiles: { scripted: { adapter: 'command', command: ['no-such-program', '-x'] } },
    });
    const { code, stdout } = await here.devflow(['run', 'x', '--dry-run', '--json']);
    const plan = JSON.parse(stdout) as DryRun;
    expect(code).toBe(4);
    expect(plan.problems).toMatchObject([{ code: 'AGENT_NOT_FOUND' }]);
    expect(plan.phases).toMatchObject([
      { id: 1, name: 'code', mode: 'work', agents: [{ program: 'no-such-program', args: ['-x'] }] },
    ]);
  });

  test('a dry run prints nothing that steers a terminal', async () => {
    const hostile = 'a\u001B[2J\u202Eb';
    const command = ['sh', '-c', `echo ${hostile}`];
    configure({
      ...onePhase(WORKS, { prompt: hostile, checks: [{ command }], preflight: [{ command }] }),
      worktree: { setup: [{ command }] },
    });
    const { stdout, stderr } = await here.devflow(['run', hostile, '--dry-run']);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/prompt:\n +ab\n/);
    for (const unseen of ['\u001B', '\u202E']) expect(stdout).not.toContain(unseen);
  });

  test('doctor finds nothing in the way where nothing is', async () => {
    configure(onePhase(WORKS));
    const { code, stdout } = await here.devflow(['doctor']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/✔ agent scripted +found/);
    expect(stdout).toMatch(/✔ git +2\./);
    expect(stdout).toContain('Nothing stands in the way.');
  });

  test('doctor and adapters look at a configuration whose variables --var is to give', async () => {
    here.write({ 'do.md': 'Do {{ vars.what }}: {{task}}' });
    const checks = [{ command: ['sh', '-c', '{{vars.check}}'] }];
    const { prompt: _, ...phase } = onePhase(WORKS).phases[0] ?? {};
    configure({ ...onePhase(WORKS), phases: [{ ...phase, promptFile: 'do.md', checks }] });
    const { code, stdout } = await here.devflow(['doctor']);
    expect(code).toBe(0);
    expect(stdout).toContain('the variable "what" has no value: a run needs `--var what=…`');
    expect(stdout).toContain('--var check=…');
    expect((await here.devflow(['adapters'])).code).toBe(0);
    expect((await here.devflow(['run', 'x', '--dry-run'])).code).toBe(2);
  });

  test('doctor names every problem with what to do: agent, identity, interrupted run, stale lock', async () => {
    const go = path.join(here.directory, 'go');
    configure(onePhase(untilThere(go)));
    const run = here.start(['run', 'x', '--name', 'cut']);
    await run.says('scripted begins');
    run.child.kill('SIGKILL');
    await run.finished;
    await here.git('config', '--unset', 'user.email');
    configure({
      ...onePhase(WORKS),
      profiles: { scripted: { adapter: 'command', command: ['no-such-program'] } },
    });
    const { code, stdout } = await here.devflow(['doctor', '--json']);
    const findings = JSON.parse(stdout) as Finding[];
    expect(code).toBe(4);
    expect(findings.flatMap(({ problems }) => problems.map((problem) => problem.code))).toEqual([
      'GIT_IDENTITY_MISSING',
      'AGENT_NOT_FOUND',
      'RUN_INTERRUPTED',
    ]);
    expect(findings.flatMap(({ notes }) => notes).join()).toContain(
      'the lock of the run cut is of a dead process',
    );
    expect((await here.devflow(['doctor'])).stdout).toContain('devflow resume cut');
    await here.devflow(['stop']);
  });

  test('doctor with a configuration that is broken reports it and looks at the rest', async () => {
    here.write({ 'devflow.config.json': '{' });
    const broken = await here.devflow(['doctor']);
    expect(broken.code).toBe(4);
    expect(broken.stdout).toMatch(/✖ configuration +cannot be used/);
    expect(broken.stdout).toContain('devflow.config.json:1:2 cannot be read');
    expect(broken.stdout).toMatch(/✔ repository +\//);
    configure({
      ...onePhase(WORKS),
      defaults: {},
      phases: [{ id: 1, name: 'x', agent: 'nobody' }],
    });
    const wrong = JSON.parse((await here.devflow(['doctor', '--json'])).stdout) as Finding[];
    expect(wrong.filter(({ problems }) => problems.length > 0)).toHaveLength(1);
    expect(wrong.map(({ what }) => what)).toContain('git');
  });

  test('doctor --agent looks at agents in place of those of the phases, as run --agent asks them', async () => {
    configure({
      ...onePhase(WORKS),
      profiles: {
        ...onePhase(WORKS).profiles,
        spare: { adapter: 'command', command: ['no-such-program'] },
      },
    });
    expect((await here.devflow(['doctor'])).stdout).not.toContain('agent spare');
    const spare = await here.devflow(['doctor', '--agent', 'spare']);
    expect(spare.code).toBe(4);
    expect(spare.stdout).toMatch(/✖ agent spare +not ready[^]*AGENT_NOT_FOUND/);
    expect(spare.stdout).not.toContain('agent scripted');
    const both = await here.devflow(['doctor', '--agent', 'spare,scripted']);
    expect(both.stdout).toMatch(/agent spare +not ready[^]*AGENT_NOT_FOUND/);
    expect(both.stdout).toMatch(/✔ agent scripted +found/);
    const wrong = await here.devflow(['doctor', '--agent', 'spar']);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain(
      '--agent: unknown profile or adapter "spar"; did you mean "spare"?',
    );
  });

  test('a hint names a document of devflow by a path that can be opened from anywhere', async () => {
    configure({ phases: [{ id: 1, name: 'x', agent: './nowhere', prompt: 'x' }] });
    const opened = [['doctor'], ['run', 'x']].map(async (args) => {
      const { stdout, stderr } = await here.devflow(args);
      return existsSync(/(\/\S+\/docs\/adapters\.md)/.exec(stdout + stderr)?.[1] ?? '');
    });
    expect(await Promise.all(opened)).toEqual([true, true]);
  });

  test('doctor outside a repository says that it is none, and looks at the rest', async () => {
    const { code, stdout } = await here.devflow(['doctor'], { cwd: here.directory });
    expect(code).toBe(4);
    expect(stdout).toContain('(NOT_A_REPOSITORY)');
    expect(stdout).toMatch(/✔ node +\d/);
  });
});

/** Every file below a directory with its content, and its directories. */
function snapshot(directory: string): Record<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).toSorted();
  return Object.fromEntries(
    names.map((name) => {
      const file = path.join(directory, name);
      if (!lstatSync(file).isFile()) return [name, 'no file'];
      return [name, createHash('sha256').update(readFileSync(file)).digest('hex')];
    }),
  );
}
