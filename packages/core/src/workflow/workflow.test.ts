import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/temporary.js';
import { DevflowError } from '../errors.js';
import { type PhaseDefinition, workflowJsonSchema } from './schema.js';
import { standardWorkflow } from './standard.js';
import { defineWorkflow, resolveWorkflow } from './workflow.js';

const plan = { id: 1, name: 'plan', prompt: 'Plan {{task}}.' };
const code = { id: 2, name: 'code', prompt: 'Code it.' };

function problemsOf(definition: unknown, dir = '/nonexistent'): readonly string[] {
  try {
    resolveWorkflow(definition, dir, 'devflow.config.ts');
    return [];
  } catch (error) {
    if (error instanceof DevflowError && error.code === 'CONFIG_INVALID') return error.problems;
    throw error;
  }
}
const phaseProblems = (...phases: unknown[]) => problemsOf({ phases });

describe('a workflow', () => {
  it('has its defaults filled in', () => {
    expect(resolveWorkflow({ phases: [plan] }, '/dir')).toEqual({
      name: 'workflow',
      variables: {},
      profiles: {},
      worktree: { copy: [], setup: [], keep: 'unfinished' },
      branchPrefix: 'devflow',
      sandbox: 'none',
      maxAttempts: 20,
      phases: [
        {
          id: 1,
          name: 'plan',
          prompt: 'Plan {{task}}.',
          agents: [],
          answerBy: 'marker',
          mode: 'work',
          requires: ['marker', 'commit', 'clean'],
          checks: [],
          preflight: [],
          timeoutMs: 3_600_000,
          idleTimeoutMs: 900_000,
          maxOutputBytes: 1_000_000_000,
          retries: 1,
        },
      ],
    });
  });

  it('has its units parsed and its profiles taken apart', () => {
    const workflow = resolveWorkflow(
      {
        defaults: { agent: 'fast', timeout: '5m', retries: 3 },
        profiles: {
          fast: {
            adapter: 'command',
            model: 'm',
            command: ['agent'],
            env: { A: '1' },
            envFrom: ['B'],
            effort: 'high',
            instructions: 'Be brief.',
            mcp: { db: { command: ['db'] }, web: { url: 'https://example.com/mcp' } },
          },
        },
        worktree: { dir: 'trees', setup: [{ command: ['npm', 'ci'] }], copy: ['.env'] },
        phases: [
          {
            ...plan,
            timeout: '90s',
            idleTimeout: '1m',
            maxOutput: '2MB',
            preflight: [{ hook: 'ready' }, { command: ['true'], hint: 'Do.' }],
          },
          {
            ...code,
            retries: 0,
            checks: [{ command: ['npm', 'test'] }, { name: 'lint', command: ['x'], timeout: '2s' }],
          },
        ],
      },
      '/dir',
    );
    expect(workflow).toMatchObject({
      profiles: {
        fast: {
          adapter: 'command',
          model: 'm',
          env: { A: '1' },
          envFrom: ['B'],
          effort: 'high',
          instructions: 'Be brief.',
          mcp: { db: { command: ['db'] }, web: { url: 'https://example.com/mcp' } },
          options: { command: ['agent'] },
        },
      },
      worktree: {
        dir: '/dir/trees',
        setup: [{ name: 'npm ci', command: ['npm', 'ci'], timeoutMs: 600_000 }],
      },
      phases: [
        {
          agents: ['fast'],
          timeoutMs: 90_000,
          idleTimeoutMs: 60_000,
          maxOutputBytes: 2_000_000,
          retries: 3,
          preflight: [
            { hook: 'ready' },
            { name: 'true', command: ['true'], timeoutMs: 60_000, hint: 'Do.' },
          ],
        },
        {
          timeoutMs: 300_000,
          retries: 0,
          checks: [
            { name: 'npm test', timeoutMs: 600_000 },
            { name: 'lint', timeoutMs: 2_000 },
          ],
        },
      ],
    });
  });

  it.each<[string, Partial<PhaseDefinition>, readonly string[]]>([
    ['work', {}, ['marker', 'commit', 'clean']],
    [
      'work with checks',
      { checks: [{ command: ['true'] }] },
      ['marker', 'commit', 'clean', 'checks'],
    ],
    ['a review', { mode: 'review' }, ['marker']],
    [
      'a review that judges',
      { mode: 'review', onGaps: { goto: 'plan', max: 1 } },
      ['marker', 'verdict'],
    ],
    ['what says so itself', { requires: ['marker'] }, ['marker']],
    ['what requires nothing', { requires: [] }, []],
  ])('requires of %s all that can be asked', (_, more, requires) => {
    expect(resolveWorkflow({ phases: [{ ...plan, ...more }] }, '/dir').phases[0]?.requires).toEqual(
      requires,
    );
  });

  it('is plain data that JSON keeps as it is', () => {
    const workflow = resolveWorkflow(
      { ...standardWorkflow, profiles: { a: { adapter: 'x', deep: { list: [1, null, true] } } } },
      '/dir',
    );
    expect(JSON.parse(JSON.stringify(workflow))).toEqual(workflow);
  });

  it('that is standard can be used as it is', () => {
    const { phases } = resolveWorkflow(standardWorkflow, '/nonexistent');
    expect(phases.map(({ id, name, mode }) => `${id} ${name} ${mode}`)).toEqual([
      '1 define review',
      '2 plan review',
      '3 code work',
      '4 validate review',
      '5 ship work',
    ]);
    expect(phases[3]).toMatchObject({
      requires: ['marker', 'verdict'],
      onGaps: { goto: 'code', max: 3 },
    });
  });

  it('is defined as it is given', () => {
    const definition = { phases: [plan] };
    expect(defineWorkflow(definition)).toBe(definition);
  });
});

describe('a prompt file', () => {
  it('is read in, relative to the configuration', () => {
    const dir = temporaryDirectory();
    mkdirSync(path.join(dir, 'prompts'));
    writeFileSync(path.join(dir, 'prompts', 'plan.md'), 'Plan {{task}}.\n');
    const { phases } = resolveWorkflow(
      { phases: [{ id: 1, name: 'plan', promptFile: 'prompts/plan.md' }] },
      dir,
    );
    expect(phases[0]?.prompt).toBe('Plan {{task}}.\n');
    expect(phases[0]).not.toHaveProperty('promptFile');
  });

  it('must be there, hold something, and stand alone', () => {
    const dir = temporaryDirectory();
    writeFileSync(path.join(dir, 'empty.md'), ' \n');
    writeFileSync(path.join(dir, 'wrong.md'), '{{taks}}');
    const phases = [
      { id: 1, name: 'a', promptFile: 'none.md' },
      { id: 2, name: 'b', promptFile: 'empty.md' },
      { id: 3, name: 'c', promptFile: '.' },
      { id: 4, name: 'd', promptFile: 'wrong.md' },
      { id: 5, name: 'e', prompt: 'x', promptFile: 'wrong.md' },
      { id: 6, name: 'f' },
    ];
    expect(problemsOf({ phases }, dir)).toEqual([
      `phases[0].promptFile: ${dir}/none.md does not exist`,
      `phases[1].promptFile: ${dir}/empty.md is empty`,
      `phases[2].promptFile: ${dir} cannot be read`,
      'phases[4]: expected prompt or promptFile, found both',
      'phases[5]: expected prompt or promptFile, found neither',
      'phases[3].prompt: unknown variable {{taks}}; did you mean "task"?',
    ]);
  });
});

describe('a definition that is wrong', () => {
  it('is refused with every problem at once: where, what was found, what is expected', () => {
    const wrong = {
      fases: [],
      maxAttempts: 0,
      branchPrefix: 'a/b',
      sandbox: 'srt',
      defaults: { timout: '1m' },
      worktree: { keep: 'never', setup: [{}] },
      profiles: { Fast: { adapter: 'x' }, slow: { env: { A: 1 } } },
      phases: [
        { id: 0, name: 'Plan', prompt: '', mode: 'play', retries: 1.5 },
        {
          id: '1',
          name: 'code',
          prompt: 'x',
          timeout: 20,
          idleTimeout: '20',
          maxOutput: '1G',
          requires: ['commits'],
        },
        {
          id: 3,
          name: 'x',
          prompt: 'x',
          checks: [{ command: [] }, { command: 'npm test' }, { command: [''] }],
          preflight: [{ comand: ['x'] }],
          onGaps: { goto: 'x', max: 0, min: 1 },
        },
      ],
    };
    expect(problemsOf(wrong).toSorted()).toEqual([
      'branchPrefix: expected a plain word, such as "devflow", found "a/b"',
      'defaults.timout: unknown key; did you mean "timeout"?',
      'fases: unknown key; did you mean "phases"?',
      'maxAttempts: expected 1 or more, found 0',
      'phases[0].id: expected 1 or more, found 0',
      'phases[0].mode: expected "work" or "review", found "play"',
      'phases[0].name: expected a name of lower-case letters, digits and hyphens, found "Plan"',
      'phases[0].prompt: expected a text that is not empty, found ""',
      'phases[0].retries: expected a whole number, found 1.5',
      'phases[1].id: expected a number, found "1"',
      'phases[1].idleTimeout: expected a duration such as "90s", "20m" or "2h", found "20"',
      'phases[1].maxOutput: expected a size such as "200MB" or "1GB", found "1G"',
      'phases[1].requires[0]: expected "commit" or "clean" or "marker" or "verdict" or "checks", found "commits"',
      'phases[1].timeout: expected a string, found 20',
      'phases[2].checks[0].command: expected a program and its arguments, such as ["npm", "test"], found []',
      'phases[2].checks[1].command: expected an array, found "npm test"',
      'phases[2].checks[2].command: expected the first word to name a program, found [""]',
      'phases[2].onGaps.max: expected 1 or more, found 0',
      'phases[2].onGaps.min: unknown key; did you mean "max"?',
      'phases[2].preflight[0].comand: unknown key; did you mean "command"?',
      'phases[2].preflight[0].command: expected an array, found nothing',
      'profiles.Fast: Invalid key in record, found {"adapter":"x"}',
      'profiles.slow.env.A: expected a string, found 1',
      'sandbox: expected "none" or "own", found "srt"',
      'worktree.keep: expected "unfinished" or "always", found "never"',
      'worktree.setup[0].command: expected an array, found nothing',
    ]);
  });

  it.each([undefined, null, 3, 'x', [], () => ({})])('such as %s is refused', (definition) => {
    expect(problemsOf(definition).length).toBeGreaterThan(0);
  });

  it('has a count of its problems in its message', () => {
    expect(() => resolveWorkflow({ phases: [] }, '/', 'x.json')).toThrow('x.json has a problem');
    expect(() => resolveWorkflow({ phases: [], a: 1, b: 1 }, '/', 'x.json')).toThrow(
      'x.json has 3 problems',
    );
  });

  it('holds no function, wherever it is', () => {
    const say = 'a function (a workflow is data; give code by name under hooks)';
    const fn = () => 'x';
    expect(
      problemsOf({
        profiles: { p: { adapter: 'x', deep: fn } },
        phases: [{ ...plan, prompt: fn, preflight: [{ hook: fn }], checks: [{ command: fn }] }],
      }),
    ).toEqual([
      `profiles.p.deep: expected plain data, found ${say}`,
      `phases[0].prompt: expected a string, found ${say}`,
      `phases[0].checks[0].command: expected an array, found ${say}`,
      `phases[0].preflight[0].hook: expected a string, found ${say}`,
    ]);
    const circle: Record<string, unknown> = {};
    circle['itself'] = circle;
    for (const option of [circle, [fn], { deep: { deeper: fn } }, new Date(), 1n, Symbol('x')])
      expect(problemsOf({ profiles: { p: { adapter: 'x', option } }, phases: [plan] })).toEqual([
        expect.stringMatching(/^profiles\.p\.option: expected plain data/),
      ]);
  });

  it('has ids that ascend and names that are different', () => {
    expect(phaseProblems(code, plan, { ...code, id: 1 }, { ...plan, id: 7 })).toEqual([
      'phases[1].id: expected a number above 2, found 1',
      'phases[2].id: expected a number above 1, found 1',
      'phases[2].name: "code" is taken by an earlier phase',
      'phases[3].name: "plan" is taken by an earlier phase',
    ]);
  });

  it('requires no evidence that can never be had, and gathers none that would not count', () => {
    const checks = [{ command: ['true'] }];
    expect(
      phaseProblems(
        { ...plan, mode: 'review', requires: ['commit'] },
        { ...code, mode: 'review', requires: ['clean'] },
        { id: 3, name: 'c', prompt: 'x', requires: ['checks'] },
        { id: 4, name: 'd', prompt: 'x', requires: ['marker'], checks },
        { id: 5, name: 'e', prompt: 'x', requires: ['marker'], onGaps: { goto: 'c', max: 1 } },
      ),
    ).toEqual([
      'phases[0].requires: a review keeps no commits, so "commit" can never hold',
      'phases[1].requires: a review\'s checkout is thrown away, so "clean" would decide nothing',
      'phases[2].requires: "checks" is required but the phase has no checks',
      'phases[3].checks: expected "checks" in requires, or the checks would decide nothing',
      'phases[4].onGaps: expected "verdict" in requires, or gaps would never be found',
    ]);
  });

  it('goes back to a phase that is there and not ahead', () => {
    const back = (goto: string) => ({ ...plan, onGaps: { goto, max: 1 } });
    expect(phaseProblems(back('plan'))).toEqual([]);
    expect(phaseProblems(back('paln'), code)).toEqual([
      'phases[0].onGaps.goto: no phase "paln" up to here; did you mean "plan"?',
    ]);
    expect(phaseProblems(back('code'), code)).toEqual([
      expect.stringMatching(/^phases\[0\]\.onGaps\.goto: no phase "code" up to here/),
    ]);
  });

  it('names no variable that is not there', () => {
    const prompt = String.raw`{{task}} {{vars.style}} {{vars.stile}} {{phases.plan.summry}} {{phases.ship.text}} \{{any}} {{taks}}`;
    expect(problemsOf({ variables: { style: 'x' }, phases: [{ ...plan, prompt }] })).toEqual([
      'phases[0].prompt: unknown variable {{vars.stile}}; did you mean "vars.style"?',
      'phases[0].prompt: unknown variable {{phases.plan.summry}}; did you mean "phases.plan.summary"?',
      expect.stringMatching(/^phases\[0\]\.prompt: unknown variable \{\{phases\.ship\.text\}\}; /),
      'phases[0].prompt: unknown variable {{taks}}; did you mean "task"?',
    ]);
  });
});

describe('the JSON Schema of a workflow', () => {
  const schema = workflowJsonSchema() as {
    properties: Record<string, { items?: Record<string, unknown> }>;
    [key: string]: unknown;
  };

  it('knows what the configuration knows, and nothing else', () => {
    expect(schema).toMatchObject({
      type: 'object',
      additionalProperties: false,
      required: ['phases'],
    });
    expect(Object.keys(schema.properties)).toEqual(
      expect.arrayContaining([
        '$schema',
        'name',
        'variables',
        'defaults',
        'profiles',
        'worktree',
        'branchPrefix',
        'sandbox',
        'maxAttempts',
        'phases',
      ]),
    );
    expect(schema.properties['phases']?.items).toMatchObject({
      required: ['id', 'name'],
      additionalProperties: false,
    });
  });

  it('says what each setting of a phase is for', () => {
    const settings = schema.properties['phases']?.items?.['properties'] as Record<
      string,
      { description?: string }
    >;
    for (const { description } of Object.values(settings)) expect(description).toMatch(/.{10,}/);
  });

  it('can be written down', () => {
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  });
});
