import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DryRun } from '@devflow/core/dry-run';
import { type CommandLine, commandLine } from './command-line.js';
import { WORKS, onePhase } from './workflows.js';

const WORKFLOW = { ...onePhase(WORKS), name: 'found' };
const JSON_TEXT = JSON.stringify(WORKFLOW);
const ESM = `export default ${JSON_TEXT};\n`;
const TYPED = `import { defineConfig } from 'devflow';\nconst name: string = 'found';\nexport default defineConfig({ ...${JSON_TEXT}, name });\n`;
const YAML = `name: found
profiles:
  scripted: { adapter: command, command: [/bin/true] }
phases:
  - { id: 1, name: code, agent: scripted, prompt: Do it }
`;

const KINDS: [string, string][] = [
  ['devflow.config.ts', TYPED],
  ['devflow.config.mts', TYPED],
  ['devflow.config.js', ESM],
  ['devflow.config.mjs', ESM],
  ['devflow.config.cjs', `module.exports = ${JSON_TEXT};\n`],
  ['devflow.config.json', JSON_TEXT],
  ['devflow.config.yaml', YAML],
  ['devflow.config.yml', YAML],
  ['.devflowrc', YAML],
  ['.devflowrc.json', JSON_TEXT],
  ['.devflowrc.yaml', YAML],
  ['.devflowrc.yml', YAML],
  ['.devflowrc.js', ESM],
  ['.devflowrc.cjs', `module.exports = ${JSON_TEXT};\n`],
  ['.devflowrc.mjs', ESM],
  ['.devflowrc.ts', TYPED],
  ['package.json', JSON.stringify({ name: 'x', type: 'commonjs', devflow: WORKFLOW })],
];

/** As it is built, so that adapters and devflow itself are found by their package names. */
const BUILT = new URL('../dist/config/load.js', import.meta.url).href;

describe('the configuration', () => {
  let here: CommandLine;
  beforeEach(async () => {
    here = await commandLine();
  });
  afterEach(() => here.remove());

  const plan = async (cwd = here.root) => {
    const { stdout, code } = await here.devflow(['run', 'x', '--dry-run', '--json'], {
      cwd,
    });
    return {
      // A plan, or an error: each test looks for what it expects.
      ...(JSON.parse(stdout) as DryRun & { message?: string; problems: string[] }),
      code,
    };
  };

  test('is found in every form', () => {
    for (const [index, [name, content]] of KINDS.entries())
      here.write({ [`dir-${index}/${name}`]: content });
    // All by one process: starting devflow for each takes longer than all the rest.
    const script = `import { loadConfiguration } from ${JSON.stringify(BUILT)};
      for (let index = 0; index < ${KINDS.length}; index += 1)
        console.error((await loadConfiguration('dir-' + index)).definition.name);`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: here.root,
      env: here.env,
      encoding: 'utf8',
    });
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: 'found\n'.repeat(KINDS.length) });
  });

  test('is searched upwards, to the root of the repository and no further', async () => {
    writeFileSync(path.join(here.directory, 'devflow.config.json'), '{ "broken');
    expect(await plan()).toMatchObject({ workflow: 'standard' });
    here.write({ 'deep/down/file': '', '.devflowrc.json': JSON_TEXT });
    expect(await plan(path.join(here.root, 'deep/down'))).toMatchObject({
      code: 0,
      workflow: 'found',
    });
  });

  test('of none the standard workflow with claude is made, and its preflight says what is missing', async () => {
    const { code, workflow, phases, problems } = await plan();
    expect({ code, workflow, problems }).toMatchObject({
      code: 4,
      workflow: 'standard',
      problems: [{ code: 'AGENT_NOT_FOUND' }],
    });
    expect(phases.map(({ id, name, agents }) => `${id} ${name} ${agents.map((agent) => agent.name).join()}`)).toEqual([
      '1 define claude', '2 plan claude', '3 code claude', '4 validate claude', '5 ship claude',
    ]); // prettier-ignore
  });

  test.each([
    ['devflow.config.json', '{\n  "name": "x",\n  "phases": ]\n}', ':3:13'],
    ['devflow.config.json', '{\n  "name": "x",\n}', ':3:1'],
    ['.devflowrc.json', '{\n  "name": tru', ':2:14'],
    ['package.json', '{\n  "devflow": {},\n  // no\n}', ':3:3'],
    ['devflow.config.yaml', 'name: x\nphases:\n  - a: 1\n   b: 2\n', ':4:4'],
    ['devflow.config.ts', "export default {\n  name: 'x',\n  phases: ]\n};\n", ':3:'],
    ['devflow.config.mjs', "export default {\n  name: 'x',\n  phases: ]\n};\n", ':3'],
    ['devflow.config.cjs', "const a = 1;\n\nthrow new Error('no way');\n", ':3'],
  ])(
    '%s that is broken is an error with its place, never the defaults',
    async (name, content, place) => {
      here.write({ [name]: content });
      const { code, message } = await plan();
      expect(code).toBe(2);
      expect(message).toContain(`${path.join(here.root, name)}${place}`);
      expect(message).toContain('cannot be read');
    },
  );

  test('names every problem at once, with the nearest word that is known', async () => {
    const { phases: [phase], ...rest } = WORKFLOW; // prettier-ignore
    const wrong = { ...rest, wroktree: {}, phases: [{ ...phase, timeout: 'soon', promtp: 'x' }] };
    here.write({ 'devflow.config.json': JSON.stringify(wrong) });
    const { code, message, problems } = await plan();
    expect({ code, message }).toEqual({
      code: 2,
      message: `${here.root}/devflow.config.json has 3 problems`,
    });
    expect(problems.join('\n')).toContain('wroktree: unknown key; did you mean "worktree"?');
    expect(problems.join('\n')).toContain('phases[0].promtp: unknown key; did you mean "prompt"?');
    expect(problems.join('\n')).toContain('phases[0].timeout: expected a duration');
  });

  test('names its file also where an agent is unknown', async () => {
    here.write({
      'devflow.config.json': JSON.stringify({
        phases: [{ id: 1, name: 'code', agent: 'cluade', prompt: 'x' }],
      }),
    });
    const { message, problems } = await plan();
    expect(message).toContain('devflow.config.json');
    expect(problems.join()).toContain('did you mean "claude"?');
  });

  test('is refused where there are two in a directory; a package.json without one does not count', async () => {
    here.write({ 'devflow.config.json': JSON_TEXT, '.devflowrc': YAML, 'package.json': '{}' });
    const { code, problems } = await plan();
    expect(code).toBe(2);
    expect(problems).toEqual(
      ['devflow.config.json', '.devflowrc'].map((name) => path.join(here.root, name)),
    );
  });

  test.each([
    ['devflow.config.json', ''],
    ['devflow.config.mjs', 'export const config = {};\n'],
  ])('%s that holds none is an error', async (name, content) => {
    here.write({ [name]: content });
    expect(await plan()).toMatchObject({
      code: 2,
      message: expect.stringContaining(name) as string,
    });
  });

  test('gives hooks beside the data', async () => {
    const phases = [{ ...WORKFLOW.phases[0], preflight: [{ hook: 'notNow' }] }];
    const hook = `notNow: () => [{ code: 'NOT_NOW', message: 'it is Friday', hint: 'wait' }]`;
    here.write({
      'devflow.config.mjs': `export default { ...${JSON.stringify({ ...WORKFLOW, phases })}, hooks: { ${hook} } };\n`,
    });
    expect(await plan()).toMatchObject({
      code: 4,
      problems: [{ code: 'NOT_NOW', message: 'it is Friday' }],
    });
  });

  test('of data cannot hold hooks, and says so', async () => {
    here.write({ 'devflow.config.json': JSON.stringify({ ...WORKFLOW, hooks: {} }) });
    expect((await plan()).problems).toEqual([
      'hooks: code can only stand in a .ts or .js configuration',
    ]);
  });

  test('reads prompt files relative to itself', async () => {
    const phases = [{ id: 1, name: 'code', agent: 'scripted', promptFile: 'prompts/code.md' }];
    here.write({
      'sub/devflow.config.json': JSON.stringify({ ...WORKFLOW, phases }),
      'sub/prompts/code.md': 'From a file: {{task}}',
    });
    const { phases: [phase] } = await plan(path.join(here.root, 'sub')); // prettier-ignore
    expect(phase?.prompt).toContain('From a file: x');
  });
});
