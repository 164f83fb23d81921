/** Workflows by name, their variables, and what a review compares with. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DryRun } from '@devflow/core/dry-run';
import { commitFile, giveAnswer, scriptedAgent } from '@devflow/core/testing';
import { type CommandLine, commandLine, parseRun } from './command-line.js';

describe('run --workflow', () => {
  let here: CommandLine;
  beforeEach(async () => {
    here = await commandLine();
  });
  afterEach(() => here.remove());

  const configure = (script: string, more: object = {}) =>
    here.write({
      'devflow.config.json': JSON.stringify({
        name: 'ours',
        defaults: { agent: 'scripted', retryDelay: '1ms' },
        profiles: { scripted: scriptedAgent(script) },
        worktree: { setup: [{ command: ['touch', `${here.directory}/set-up`] }] },
        phases: [{ id: 7, name: 'own', prompt: 'Own: {{task}}' }],
        ...more,
      }),
    });
  const plan = async (...args: string[]) => {
    const { stdout, stderr } = await here.devflow(['run', 'x', '--dry-run', '--json', ...args]);
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as DryRun;
  };
  const refused = async (...args: string[]) => {
    const { code, stderr } = await here.devflow(['run', 'x', '--dry-run', ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('(OPTION_INVALID)')]);
    return stderr.replace(/\s+/g, ' ');
  };

  test('does its phases in place of those configured, with the rest of the configuration', async () => {
    configure('true');
    const { workflow, phases, setup } = await plan('--workflow', 'loop', '--var', 'check=make it');
    expect(workflow).toBe('loop');
    expect(phases.map(({ name, agents }) => [name, agents[0]?.name])).toEqual([
      ['work', 'scripted'],
    ]);
    expect(phases[0]?.checks).toMatchObject([{ command: ['sh', '-c', 'make it'] }]);
    expect(phases[0]?.prompt).toContain('make it');
    expect(setup).toHaveLength(1);
    expect((await plan()).phases.map(({ name }) => name)).toEqual(['own']);
  });

  test('is looked at by preflight too, and needs the same', async () => {
    configure('true');
    const { code, stdout } = await here.devflow(['preflight', '--workflow', 'fix', '--var', 'check=x', '--json']); // prettier-ignore
    expect(code).toBe(0);
    const { phases } = JSON.parse(stdout) as { phases: { name: string }[] };
    expect(phases.map(({ name }) => name)).toEqual(['reproduce', 'fix', 'prove']);
    expect((await here.devflow(['preflight', '--workflow', 'fix'])).stderr).toContain(
      'asks for "check"',
    );
  });

  test('takes a configuration of that name for what is meant', async () => {
    configure('true', { name: 'loop' });
    expect((await plan('--workflow', 'loop')).phases.map(({ name }) => name)).toEqual(['own']);
  });

  test('is refused where the configuration gives its check no value', async () => {
    configure('true', { variables: { check: ' ' } });
    expect(await refused('--workflow', 'loop')).toContain('asks for "check"');
  });

  test('protects what the configuration protects by default besides its own', async () => {
    configure('true', { defaults: { agent: 'scripted', protect: ['ours/**'] } });
    const { phases } = await plan('--workflow', 'loop', '--var', 'check=x');
    expect(phases[0]?.protect).toEqual(expect.arrayContaining(['**/{test,tests,spec}', 'ours/**']));
    expect(await refused('--workflow', 'loop')).toContain('--var: the workflow "loop" asks for');
  });

  test('needs no phases in the configuration, and then is standard where none is named', async () => {
    configure('true', { name: undefined, phases: undefined });
    const { phases } = await plan('--workflow', 'loop', '--var', 'check=x');
    expect(phases.map(({ name, agents }) => [name, agents[0]?.name])).toEqual([
      ['work', 'scripted'],
    ]);
    const standard = await plan();
    expect([standard.workflow, standard.phases.length]).toEqual(['standard', 5]);
    expect(standard.phases[0]?.agents[0]?.name).toBe('scripted');
    const { code, stderr } = await withoutPhases({ name: 'ours' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('phases: expected an array')]);
    expect((await withoutPhases({ name: undefined, phase: [] })).stderr).toContain(
      'phase: unknown key',
    );
  });
  const withoutPhases = (more: object) => {
    configure('true', { phases: undefined, ...more });
    return here.devflow(['run', 'x', '--dry-run']);
  };

  test('needs no configuration', async () => {
    expect((await plan('--workflow', 'standard')).phases).toHaveLength(5);
    const fix = await plan('--workflow', 'fix', '--var', 'check=true');
    expect(fix.phases.map(({ name }) => name)).toEqual(['reproduce', 'fix', 'prove']);
  });

  test('refuses a name that it does not know, and suggests one', async () => {
    configure('true');
    expect(await refused('--workflow', 'lop')).toContain(
      '--workflow: there is no workflow "lop"; did you mean "loop"?',
    );
    expect(await refused('--workflow', 'zebra')).toContain(
      'known: standard, review, fix, loop, ours',
    );
  });

  test('needs the values that it asks for, and refuses others', async () => {
    configure('true');
    expect(await refused('--workflow', 'fix')).toContain(
      '--var: the workflow "fix" asks for "check"',
    );
    const loop = ['--workflow', 'loop'];
    expect(await refused(...loop, '--var', 'chekc=x')).toContain(
      '--var: nothing asks for "chekc"; did you mean "check"?',
    );
    expect(await refused(...loop, '--var', 'check')).toContain('"check" is no name=value');
    expect(await refused(...loop, '--var', 'check=')).toContain('"check=" is no name=value');
    for (const blank of [' ', '\n\t'])
      expect(await refused(...loop, '--var', `check=${blank}`)).toContain('is no name=value');
    expect(await refused(...loop, '--var', 'check=a', '--var', 'check=b')).toContain(
      '--var: "check" is given twice',
    );
    expect(await refused('--var', 'check=a')).toContain('nothing asks for "check"');
  });

  test('reads as many variables as are given, and the task beside them', async () => {
    const phase = { id: 1, name: 'a', prompt: '{{vars.one}} {{vars.two}}: {{task}}' };
    configure('true', { variables: { one: '1', two: '2' }, phases: [phase] });
    const { phases } = await plan('--var', 'one=a=b');
    expect(phases[0]?.prompt).toContain('a=b 2: x\n');
    const both = await plan('--var', 'one=I', '--var', 'two=II');
    expect(both.phases[0]?.prompt).toContain('I II: x\n');
  });

  test('are said by --var alone too, also where a prompt file asks for them', async () => {
    here.write({ 'p.md': 'Do {{vars.two}}: {{task}}' });
    const phases = [
      { id: 1, name: 'a', prompt: '{{vars.one}}', checks: [{ command: ['{{vars.three}}'] }] },
      { id: 2, name: 'b', promptFile: 'p.md' },
    ];
    configure('true', { phases });
    const given = ['--var', 'one=I', '--var', 'two=II', '--var', 'three=true'];
    const planned = await plan(...given);
    expect(planned.phases.map(({ prompt }) => prompt.split('\n')[0])).toEqual(['I', 'Do II: x']);
    expect(planned.phases[0]?.checks).toMatchObject([{ command: ['true'] }]);
    const { code, stderr } = await here.devflow(['run', 'x', '--dry-run', ...given.slice(0, 4)]);
    expect(code).toBe(2);
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      'unknown variable {{vars.three}}; give "three" a value in `variables`, which `--var three=…` replaces',
    );
  });

  test('review judges a branch against another, and fails where it finds gaps', async () => {
    const judge = (verdict: 'pass' | 'gaps') =>
      `grep -q '^+content$' && ${giveAnswer({ status: 'success', verdict, reason: 'seen' })}`;
    await here.git('switch', '--quiet', '--create', 'feature');
    await here.commit({ new: 'content\n' }, 'Add it');
    await here.git('switch', '--quiet', 'main');
    const review = async (name: string) => {
      const asked = ['--workflow', 'review', '--base', 'feature', '--against', 'main'];
      const { code, stdout } = await here.devflow(['run', 'x', '--name', name, '--json', ...asked]);
      return { code, result: parseRun(stdout).result };
    };
    configure(judge('pass'));
    expect(await review('good')).toMatchObject({ code: 0, result: { state: 'completed' } });
    configure(judge('gaps'));
    expect(await review('bad')).toMatchObject({
      code: 1,
      result: { state: 'failed', reason: expect.stringContaining('"gaps": seen') },
    });
    const shown = await here.devflow(['run', 'x', '--dry-run', '--workflow', 'review', '--base', 'feature', '--against', 'main']); // prettier-ignore
    expect(shown.stdout).toMatch(/compared with main, from which it parted at [0-9a-f]{10}/);
    expect(await refused('--workflow', 'review')).toContain('--base feature --against main');
    expect(await refused('--base', 'main', '--against', 'feature')).toContain(
      '--against: main has nothing that feature does not have',
    );
  });

  test('is kept by a run without a terminal, with its variables', async () => {
    configure(`${commitFile('made.txt')} && ${giveAnswer()}`);
    const flags = ['--workflow', 'loop', '--var', 'check=test -e made.txt', '--name', 'apart'];
    expect((await here.devflow(['run', 'x', '--detach', ...flags])).code).toBe(0);
    const { code, stdout } = await here.devflow(['attach', 'apart', '--json']);
    expect(code).toBe(0);
    expect(parseRun(stdout).result).toMatchObject({ state: 'completed', attempts: [{ phase: 1 }] });
  });
});
