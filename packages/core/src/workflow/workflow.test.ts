import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/temporary.js';
import { code, plan, problemsOf } from '../../test/workflow-problems.js';
import type { PhaseDefinition } from './schema.js';
import { WORKFLOWS } from '../workflows/index.js';
import { defineWorkflow, resolveWorkflow } from './workflow.js';

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
          requires: ['answer', 'commit', 'clean'],
          checks: [],
          checkFrom: 'worktree',
          protect: [],
          preflight: [],
          timeoutMs: 3_600_000,
          idleTimeoutMs: 900_000,
          maxOutputBytes: 1_000_000_000,
          retries: 1,
          retryDelayMs: 2_000,
        },
      ],
    });
  });

  it('has its units parsed and its profiles taken apart', () => {
    const workflow = resolveWorkflow(
      {
        budget: { usd: 5, wallClock: '2h', enforce: 'between-attempts' },
        defaults: { agent: 'fast', timeout: '5m', retries: 3, budget: { tokens: 100 } },
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
            retries: { failed: 2 },
            retryDelay: '1m',
            checks: [{ command: ['npm', 'test'] }, { name: 'lint', command: ['x'], timeout: '2s' }],
          },
        ],
      },
      '/dir',
    );
    expect(workflow).toMatchObject({
      budget: { usd: 5, wallClockMs: 7_200_000, enforce: 'between-attempts' },
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
          budget: { tokens: 100 },
          preflight: [
            { hook: 'ready' },
            { name: 'true', command: ['true'], timeoutMs: 60_000, hint: 'Do.' },
          ],
        },
        {
          timeoutMs: 300_000,
          retries: { failed: 2 },
          retryDelayMs: 60_000,
          checks: [
            { name: 'npm test', timeoutMs: 600_000 },
            { name: 'lint', timeoutMs: 2_000 },
          ],
        },
      ],
    });
  });

  it.each<[string, Partial<PhaseDefinition>, readonly string[]]>([
    ['work', {}, ['answer', 'commit', 'clean']],
    [
      'work with checks',
      { checks: [{ command: ['true'] }] },
      ['answer', 'commit', 'clean', 'checks'],
    ],
    ['a review', { mode: 'review' }, ['answer']],
    [
      'a review that judges',
      { mode: 'review', onGaps: { goto: 'plan', max: 1 } },
      ['answer', 'verdict'],
    ],
    ['what says so itself', { requires: ['answer'] }, ['answer']],
    ['what requires nothing', { requires: [] }, []],
  ])('requires of %s all that can be asked', (_, more, requires) => {
    expect(resolveWorkflow({ phases: [{ ...plan, ...more }] }, '/dir').phases[0]?.requires).toEqual(
      requires,
    );
  });

  it('is plain data that JSON keeps as it is', () => {
    const workflow = resolveWorkflow(
      { ...WORKFLOWS.standard, profiles: { a: { adapter: 'x', deep: { list: [1, null, true] } } } },
      '/dir',
    );
    expect(JSON.parse(JSON.stringify(workflow))).toEqual(workflow);
  });

  it('that is standard can be used as it is', () => {
    const { phases } = resolveWorkflow(WORKFLOWS.standard, '/nonexistent');
    expect(phases.map(({ id, name, mode }) => `${id} ${name} ${mode}`)).toEqual([
      '1 define review',
      '2 plan review',
      '3 code work',
      '4 validate review',
      '5 ship work',
    ]);
    expect(phases[3]).toMatchObject({
      requires: ['answer', 'verdict'],
      onGaps: { goto: 'code', max: 3 },
    });
  });

  it.each(Object.values(WORKFLOWS))(
    '$name names no agent and says nothing of how to answer',
    (known) => {
      const { phases } = resolveWorkflow(
        { ...known, variables: { check: 'true' } },
        '/nonexistent',
      );
      for (const { agents, prompt } of phases) {
        expect(agents).toEqual([]);
        expect(prompt).not.toMatch(/DEVFLOW_RESULT|claude|codex|opencode|https?:/i);
      }
    },
  );

  it('fills the variables into the commands of its checks, and names those that have no value', () => {
    const checks = [{ command: ['sh', '-c', '{{vars.chek}}'] }];
    expect(problemsOf({ variables: { check: 'x' }, phases: [{ ...plan, checks }] })).toEqual([
      'phases[0].checks[0]: unknown variable {{vars.chek}}; did you mean "vars.check"?',
    ]);
    const { phases } = resolveWorkflow(
      { ...WORKFLOWS.loop, variables: { check: 'make test' } },
      '/dir',
    );
    expect(phases[0]?.checks).toMatchObject([
      { name: 'make test', command: ['sh', '-c', 'make test'] },
    ]);
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
