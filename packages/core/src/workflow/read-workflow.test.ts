import { describe, expect, it } from 'vitest';
import { code, plan } from '../../test/workflow-problems.js';
import { DevflowError } from '../errors.js';
import { readWorkflow } from './read-workflow.js';
import type { KnownNames } from './unknown-names.js';

const KNOWN: KnownNames = { hooks: ['ready'], adapters: ['command'] };

/** What is wrong; nothing where the workflow can be used. */
async function problemsOf(definition: unknown, known = KNOWN): Promise<readonly string[]> {
  const error: unknown = await readWorkflow(definition, '/nonexistent', known).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error === undefined) return [];
  if (error instanceof DevflowError && error.code === 'CONFIG_INVALID') return error.problems;
  throw error;
}

describe('a workflow that is read', () => {
  it('is refused with all that is wrong, of its values, across them, and of what stands beside it', async () => {
    const problems = await problemsOf({
      maxAttempts: 0,
      defaults: { agent: 'mien' },
      profiles: { fast: { adapter: 'comand' } },
      phases: [
        { ...plan, mode: 'play', when: '1+' },
        { ...code, agent: ['fast', 'fats'], when: 'vars.x == "1"', preflight: [{ hook: 'redy' }] },
        { id: 3, name: 'ship', prompt: '{{nope}}', when: { hook: 'ship' } },
      ],
    });
    expect(problems).toEqual([
      'maxAttempts: expected 1 or more, found 0',
      'phases[0].mode: expected "work" or "review", found "play"',
      expect.stringMatching(/^phases\[2\]\.prompt: unknown variable \{\{nope\}\}/),
      expect.stringMatching(/^phases\[0\]\.when: .*\(at character 3\)/),
      expect.stringMatching(/^phases\[1\]\.when: No such key: x/),
      'defaults.agent: unknown profile or adapter "mien"; known: fast, command',
      'profiles.fast.adapter: unknown adapter "comand"; did you mean "command"?',
      'phases[1].agent: unknown profile or adapter "fats"; did you mean "fast"?',
      'hook "redy" is not defined; did you mean "ready"?',
      'hook "ship" is not defined; known: ready',
    ]);
  });

  it('is told which names are unknown only with something else, and not of what is not known here', async () => {
    const phases = [{ ...plan, agent: 'mien', preflight: [{ hook: 'x' }] }];
    expect(await problemsOf({ phases })).toEqual([]);
    expect(await problemsOf({ phases, maxAttempts: 0 }, {})).toHaveLength(1);
    const isAdapter = (name: string) => Promise.resolve(name === 'mien');
    const known = { ...KNOWN, hooks: ['x'], isAdapter };
    expect(await problemsOf({ phases, maxAttempts: 0 }, known)).toHaveLength(1);
    const named = { phases: [{ ...plan, agent: 'command' }], defaults: { agent: 'mien' } };
    expect(await problemsOf({ ...named, maxAttempts: 0 })).toHaveLength(1);
  });

  it.each([undefined, null, 7, { phases: 7 }, { phases: [7, null, { when: '1' }] }])(
    'may be of any shape: %j',
    async (definition) => {
      expect(await problemsOf(definition)).not.toEqual([]);
    },
  );

  it.each(['', 'Plan it', 'a.b', '__proto__', '1', 'Für'])(
    'may have a phase of any name beside a condition: %j',
    async (name) => {
      const phases = [
        { ...plan, name },
        { ...code, when: 'task ==' },
      ];
      const problems = await problemsOf({ phases });
      expect(problems[0]).toMatch(/^phases\[0\]\.name: /);
      expect(problems[1]).toMatch(/^phases\[1\]\.when: /);
    },
  );
});
