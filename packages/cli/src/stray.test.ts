import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { sourceProgram } from '../../core/test/source-program.js';

/** Does what is asked in the midst of its work, after code of the user's has come to where all of stdout goes to. */
const program = sourceProgram(
  `
  import { watchStrays } from 'devflow:stray';
  import { openTerminal } from 'devflow:terminal';
  const [, , how, ...flags] = process.argv;
  const terminal = openTerminal({});
  process.stdout.write = process.stderr.write.bind(process.stderr);
  const strays = watchStrays({ json: flags.includes('--json') }, terminal, () =>
    flags.includes('--none') ? undefined : 'x');
  if (how === 'throws') setTimeout(() => { throw new Error('stray'); }, 1);
  if (how === 'throws no error') setTimeout(() => { throw { a: 1 }; }, 1);
  if (how === 'rejects') void Promise.reject(new Error('stray'));
  if (how === 'exits') process.exit(0);
  if (how === 'interrupted') process.exit(130);
  if (how === 'ends') strays.close();
  else setTimeout(() => undefined, 60_000);
  process.stdout.write('noise');
  terminal.out('asked for ');
`,
  fileURLToPath(new URL('.', import.meta.url)),
);

function ended(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program(), ...args], { encoding: 'utf8' }); // prettier-ignore
  return { status, stdout, stderr: stderr.replaceAll(/\s+/g, ' ') };
}

describe('code that ends the process in the midst of its work', () => {
  it.each(['throws', 'rejects'])('and %s is named, with the run and how it goes on', (how) => {
    const { status, stderr } = ended(how);
    expect(status).toBe(1);
    expect(stderr).toContain('stray');
    expect(stderr).toContain('(INTERNAL)');
    expect(stderr).toContain('`devflow resume x` goes on');
    expect(stderr).not.toContain('in the midst'); // said once
    expect(ended(how, '--none').stderr).toContain('No run had begun.');
  });

  it('is told to programs as the error that it is', () => {
    const { status, stdout } = ended('throws no error', '--json');
    expect(status).toBe(1);
    expect(stdout).toMatch(/^asked for \{.*\}\n$/);
    expect(JSON.parse(stdout.slice('asked for '.length))).toMatchObject({
      type: 'error',
      code: 'INTERNAL',
      message: expect.stringContaining('{ a: 1 }'),
      hint: expect.stringContaining('`devflow resume x` goes on'),
    });
  });

  it('and exits has not come to the end, whatever status it asks for', () => {
    const { status, stderr } = ended('exits');
    expect(status).toBe(1);
    expect(stderr).toContain('does a hook exit? What run "x" did is kept');
  });

  it('by a signal has said it already', () => {
    expect(ended('interrupted')).toEqual({ status: 130, stdout: '', stderr: '' });
  });

  it('is none where the work has ended; and stdout has what was asked for alone', () => {
    expect(ended('ends')).toEqual({ status: 0, stdout: 'asked for ', stderr: 'noise' });
  });
});
