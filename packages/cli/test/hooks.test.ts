/** Hooks are code of the user's in devflow's own process. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandLine, commandLine } from './command-line.js';
import { WORKS, onePhase } from './workflows.js';

describe('a hook', () => {
  let here: CommandLine;
  beforeEach(async () => {
    here = await commandLine();
  });
  afterEach(() => here.remove());

  const WORKFLOW = onePhase(WORKS);
  const phases = [{ ...WORKFLOW.phases[0], preflight: [{ hook: 'asked' }] }];
  const configure = (body: string) =>
    here.write({
      'devflow.config.mjs': `export default { ...${JSON.stringify({ ...WORKFLOW, phases })},
        hooks: { async asked() { ${body} } } };`,
    });
  const goOn = async () => {
    configure('');
    const { code, stderr } = await here.devflow(['resume', 'x', '--accept-code']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
  };

  test('that prints does not spoil what --json prints, also later', async () => {
    configure(`console.log('noise'); process.stdout.write('more noise\\n');
      setTimeout(() => console.info('late noise'), 1); await new Promise((go) => setTimeout(go, 20));`);
    for (const args of [['preflight'], ['run', 'x', '--dry-run'], ['run', 'x', '--name', 'x']]) {
      const { code, stdout, stderr } = await here.devflow([...args, '--json']);
      expect(code).toBe(0);
      expect(stdout).not.toBe('');
      for (const line of stdout.trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
      const noise = args.includes('--dry-run') ? [] : ['noise', 'more noise', 'late noise'];
      expect(stderr.split('\n')).toEqual(expect.arrayContaining(noise));
    }
  });

  test('that gives back something else is shown by preflight, with what was expected', async () => {
    configure(`return 1;`);
    const { code, stdout } = await here.devflow(['preflight']);
    expect(code).toBe(4);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'hook "asked" gave back a number; expected a list of { code, message, hint }',
    );
  });

  test.each([
    ['a timer that throws', `setTimeout(() => { throw new Error('stray'); }, 1);`],
    ['a promise that is rejected', `void Promise.reject(new Error('stray'));`],
  ])('that leaves %s behind ends devflow, which names the run; it goes on', async (_, body) => {
    configure(`${body} await new Promise(() => {});`);
    const { code, stderr } = await here.devflow(['run', 'x', '--name', 'x']);
    expect(code).toBe(1);
    expect(stderr).toContain('stray');
    expect(stderr).toContain('`devflow resume x` goes on');
    expect(stderr).toContain('(INTERNAL)');
    await goOn();
  });

  test('that leaves an error behind is told to programs too', async () => {
    configure(`setTimeout(() => { throw null; }, 1); await new Promise(() => {});`);
    const { code, stdout } = await here.devflow(['run', 'x', '--name', 'x', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
      type: 'error',
      code: 'INTERNAL',
      hint: expect.stringContaining('`devflow resume x` goes on'),
    });
  });

  test.each([0, 3])('that exits with %i is no end of the run, which is named', async (status) => {
    configure(`process.exit(${status});`);
    const { code, stderr } = await here.devflow(['run', 'x', '--name', 'x']);
    expect(code).toBe(1);
    expect(stderr).toContain('`devflow resume x` goes on');
    await goOn();
  });
});
