import { describe, expect, it } from 'vitest';
import { command } from '../src/command/index.js';
import { run } from '../src/index.js';
import type { WorkflowDefinition } from '../src/workflow/schema.js';
import { done, expectError, expectUntouched, rig } from './rig.js';

describe('a configuration', () => {
  it('is refused with all its problems at once, each with what is expected', async () => {
    const used = await rig();
    const workflow = {
      fases: [],
      phases: [
        { id: 2, name: 'plan', prompt: 'a', timout: '5m' },
        { id: 2, name: 'plan', prompt: 'a', timeout: 'soon', retries: -1 },
        { id: 1, name: 'Code', prompt: '{{taks}}', mode: 'play' },
      ],
    } as unknown as WorkflowDefinition;
    const error = await expectError(
      run(workflow, {
        task: 't',
        cwd: used.repository.root,
        env: used.repository.env,
        adapters: [command()],
      }),
      'CONFIG_INVALID',
      /problems/,
    );
    expect(error.problems.join('\n')).toMatch(/^fases: unknown key; did you mean "phases"\?$/m);
    expect(error.problems.join('\n')).toMatch(
      /^phases\[0\]\.timout: unknown key; did you mean "timeout"\?$/m,
    );
    expect(error.problems.join('\n')).toMatch(
      /^phases\[1\]\.timeout: expected a duration such as .*, found "soon"$/m,
    );
    expect(error.problems.join('\n')).toMatch(
      /^phases\[1\]\.retries: expected 0 or more, found -1$/m,
    );
    expect(error.problems.join('\n')).toMatch(
      /^phases\[2\]\.name: expected a name of lower-case .*, found "Code"$/m,
    );
    expect(error.problems.join('\n')).toMatch(
      /^phases\[2\]\.mode: expected "work" or "review", found "play"$/m,
    );
    await expectUntouched(used);
  });

  it.each([
    [
      'ids that do not ascend',
      [{ id: 2 }, { id: 1 }],
      /phases\[1\]\.id: expected a number above 2, found 1/,
    ],
    [
      'ids that are twice there',
      [{ id: 1 }, { id: 1 }],
      /phases\[1\]\.id: expected a number above 1, found 1/,
    ],
    [
      'a missing prompt file',
      [{ prompt: undefined, promptFile: 'no.md' }],
      /phases\[0\]\.promptFile: .*no\.md does not exist/,
    ],
    [
      'an unknown variable',
      [{ prompt: '{{taks}}' }],
      /unknown variable \{\{taks\}\}; did you mean "task"\?/,
    ],
    [
      'an unknown agent',
      [{ agent: 'agent-x' }],
      /phases\[0\]\.agent: unknown profile or adapter "agent-x"; did you mean "agent-1"\?/,
    ],
  ])('is refused with %s', async (_, phases, sentence) => {
    const used = await rig();
    const scripted = phases.map((phase) => ({ script: done, ...phase })) as Parameters<
      typeof used.run
    >[0];
    await expectError(used.run(scripted), 'CONFIG_INVALID', sentence);
    await expectUntouched(used);
  });
});

describe('options', () => {
  it.each([
    ['an empty task', { task: ' \n' }, 'TASK_EMPTY', /the task is empty/],
    [
      'a first phase that is not there',
      { from: 9 },
      'OPTION_INVALID',
      /from: there is no phase "9"/,
    ],
    [
      'a last phase that is not there',
      { until: 'stpe-1' },
      'OPTION_INVALID',
      /until: there is no phase "stpe-1"/,
    ],
    [
      'a base that does not exist',
      { base: 'no-such-branch' },
      'BASE_NOT_FOUND',
      /"no-such-branch" names no commit/,
    ],
    [
      'a base that looks like an option',
      { base: '--all' },
      'BASE_NOT_FOUND',
      /"--all" names no commit/,
    ],
    ['a name that is no name', { name: '../x' }, 'OPTION_INVALID', /"\.\.\/x" cannot name a run/],
    ['an environment without HOME', { env: { PATH: '/bin' } }, 'ENVIRONMENT_INCOMPLETE', /HOME/],
    ['an environment without PATH', { env: { HOME: '/tmp' } }, 'ENVIRONMENT_INCOMPLETE', /PATH/],
    ['an unknown agent', { agent: 'nobody' }, 'CONFIG_INVALID', /"nobody"/],
  ])('are refused with %s', async (_, options, code, sentence) => {
    const used = await rig();
    await expectError(used.run([{ script: done }], options), code, sentence);
    await expectUntouched(used);
  });

  it('are refused with the name of a run that exists, which stays as it is', async () => {
    const used = await rig();
    const first = await used.run([{ script: done }]);
    const before = used.journal('test');
    await expectError(used.run([{ script: done }]), 'RUN_EXISTS', /there is a run "test" already/);
    expect(used.journal('test')).toEqual(before);
    expect(await used.repository.git('rev-parse', 'devflow/test/work')).toBe(first.head);
  });
});
