/** A person decides on the terminal where the run is; and what docs/gates.md shows is tried. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { nobodyIsLeft, until } from './command-line.js';
import { configureGated, gates, phase, prompts, start, status, stays } from './gated.js';
import { here, useOwnRepository } from './own-adapters.js';
import { startOnTerminal } from './pseudo-terminal.js';

useOwnRepository();

describe('a person at the terminal', () => {
  const one = (more: object = { gate: 'before' }) => configureGated(phase(1, 'code', more));
  const onTerminal = (...more: string[]) =>
    startOnTerminal(['run', 'it', '--name', 'it', ...more], here);
  const CHOICES = '[a]pprove, ';

  test('is shown what `devflow gates` shows, approves, and the note reaches the prompt', async () => {
    one({ gate: { when: 'before', message: 'Is it worth it?' } });
    const terminal = onTerminal();
    await terminal.shows(CHOICES);
    expect(terminal.screen()).toContain('Is it worth it?');
    expect(terminal.screen()).toContain('devflow status it');
    expect(terminal.screen()).toContain('there is no phase to go back to: [a]pprove, a[b]ort, [l]');
    const asked = (times: number) =>
      until(
        () => terminal.screen().split('[a]pprove, ').length === times + 1,
        () => terminal.screen(),
      );
    terminal.type('what?\na\n'); // pasted: no word of it answers
    await asked(2);
    terminal.type('r\n');
    await asked(3);
    terminal.type('a\n');
    await terminal.shows('a note, if you like: ');
    terminal.type('with care\n');
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toContain('approved: with care');
    expect(terminal.screen()).not.toContain('[r]eject');
    expect(await prompts()).toContain('with care');
  });

  test('rejects with a note, to a phase, and is asked again', async () => {
    configureGated(phase(1, 'plan'), phase(2, 'code', { gate: 'after' }));
    const terminal = onTerminal();
    await terminal.shows(CHOICES);
    expect(terminal.screen()).toContain('[a]pprove, [r]eject, a[b]ort, [l]ater? ');
    terminal.type('r\n');
    await terminal.shows('what is to be mended: ');
    terminal.type('\u001B[A\n'); // an arrow says nothing
    await until(
      () => terminal.screen().split(CHOICES).length === 3,
      () => terminal.screen(),
    );
    terminal.type('r\n');
    await until(
      () => terminal.screen().split('what is to be mended: ').length === 3,
      () => terminal.screen(),
    );
    terminal.type('all of it\n');
    await terminal.shows('back to plan, code [code]: ');
    terminal.type('1\n');
    await terminal.shows('rejected: all of it');
    await until(
      () => terminal.screen().split(CHOICES).length === 4,
      () => terminal.screen(),
    );
    terminal.type('b\n');
    await terminal.shows('a note, if you like: ');
    terminal.type('\n');
    expect(await terminal.ended).toBe(1);
    expect(await prompts()).toContain('all of it');
    expect((await status()).attempts).toHaveLength(4);
  });

  test('answers nothing by what was typed before the question', async () => {
    configureGated(phase(1, 'plan', { gate: 'after' }), phase(2, 'code', { gate: 'after' }));
    const terminal = onTerminal();
    terminal.type('a\n\na\n\na'); // the last without an end: it would begin the answer
    await terminal.shows(CHOICES);
    terminal.type('l\n');
    expect(await terminal.ended).toBe(3);
    expect((await gates())[0]?.gate).toMatchObject({ phase: 1 });
  });

  test('rejects with all that is pasted as its note', async () => {
    configureGated(phase(1, 'plan'), phase(2, 'code', { gate: 'after' }));
    const terminal = onTerminal();
    await terminal.shows(CHOICES);
    terminal.type('r\n');
    await terminal.shows('what is to be mended: ');
    terminal.type('three things\na\nand the last\n');
    await terminal.shows('back to plan, code [code]: ');
    terminal.type('\n');
    await until(
      () => terminal.screen().split(CHOICES).length === 3,
      () => terminal.screen(),
    );
    terminal.type('l\n');
    expect(await terminal.ended).toBe(3);
    expect(await prompts()).toContain('three things\na\nand the last');
  });

  test('leaves it for later: the run waits, exit 3', async () => {
    one();
    const terminal = onTerminal();
    await terminal.shows(CHOICES);
    terminal.type('l\n');
    expect(await terminal.ended).toBe(3);
    expect(await gates()).toHaveLength(1);
  });

  test('is asked no more once somebody else has answered', async () => {
    one();
    const terminal = onTerminal();
    await terminal.shows(CHOICES);
    await here.devflow(['approve', '--note', 'from here']);
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toContain('approved: from here');
  });

  test('is asked no more once the time limit has come', async () => {
    one({ gate: { when: 'before', timeout: '2s', onTimeout: 'approve' } });
    const terminal = onTerminal();
    await terminal.shows(CHOICES);
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toContain('approved, as nobody answered in time');
  });

  test('is left by Ctrl-C twice: the run waits at its gate, exit 3', async () => {
    one();
    const terminal = onTerminal();
    await terminal.shows(CHOICES);
    terminal.type('\u0003');
    await terminal.shows('`devflow stop` stops it');
    expect(terminal.screen()).toContain('the run keeps waiting for an answer');
    terminal.type('\u0003');
    expect(await terminal.ended).toBe(3);
    expect((await status()).state).toBe('waiting');
    expect(await gates()).toHaveLength(1);
  });

  test('has a failed preflight looked at again, or goes on once', async () => {
    const key = path.join(here.directory, 'key');
    one({ preflight: [{ name: 'key', command: ['test', '-e', key], hint: 'Turn the key.' }] });
    const terminal = onTerminal();
    const asked = (times: number) =>
      until(
        () => terminal.screen().split('[c]heck again').length === times + 1,
        () => terminal.screen(),
      );
    await asked(1);
    expect(terminal.screen()).toContain('Turn the key.');
    terminal.type('r\n'); // nothing to reject
    await asked(2);
    terminal.type('c\n');
    await asked(3);
    writeFileSync(key, '');
    terminal.type('c\n');
    expect(await terminal.ended).toBe(0);
  });

  test.each([
    ['with --quiet', ['--quiet'], {}],
    ['with --json', ['--json'], {}],
    ['with --detach', ['--detach'], {}],
    ['in CI', [], { CI: 'true' }],
  ] as const)('is not asked %s', async (_, flags, env) => {
    one();
    const place = { root: here.root, env: { ...here.env, ...env } };
    const terminal = startOnTerminal(['run', 'it', '--name', 'it', ...flags], place);
    await until(
      () => existsSync(path.join(here.root, '.git/devflow/runs/it/run.json')),
      () => terminal.screen(),
    );
    if (flags[0] === '--detach') {
      await until(
        () => terminal.screen().includes('goes on without this terminal'),
        () => terminal.screen(),
      );
      await here.devflow(['abort', 'it']);
    }
    expect(await terminal.ended).toBe(flags[0] === '--detach' ? 0 : 3);
    expect(terminal.screen()).not.toContain('[a]pprove');
    await nobodyIsLeft(here.home);
  });

  test('with --wait sees that it stays, having left it for later', async () => {
    one();
    const terminal = onTerminal('--wait');
    await terminal.shows(CHOICES);
    terminal.type('l\n');
    await terminal.shows('waiting for an answer');
    await here.devflow(['approve', 'it']);
    expect(await terminal.ended).toBe(0);
  });
});

describe('a failed preflight', () => {
  const key = () => path.join(here.directory, 'key');
  const locked = () =>
    configureGated(
      phase(1, 'code', {
        preflight: [{ name: 'key', command: ['test', '-e', key()], hint: 'Turn the key.' }],
      }),
    );

  test('exits 4, is a gate with its problems, and is approved once', async () => {
    locked();
    const { code, stdout } = await start();
    expect(code).toBe(4);
    expect(stdout).toContain('\n  devflow resume it\n');
    expect(stdout).toContain('\n  devflow approve it\n  devflow abort it\n');
    const shown = (await here.devflow(['gates'])).stdout;
    expect(shown).toMatch(/waits preflight of phase 1 /);
    expect(shown).toContain('Turn the key.');
    const rejected = await here.devflow(['reject', 'it', '--note', 'x']);
    expect({ ...rejected, stdout: '' }).toMatchObject({ code: 2 });
    expect((await here.devflow(['approve'])).code).toBe(0);
  });

  test('is stayed at with --wait; `resume` from elsewhere has it looked at again', async () => {
    locked();
    const run = await stays();
    writeFileSync(key(), '');
    const { code, stdout } = await here.devflow(['resume', 'it']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^it looked at again\n(process \d+ goes on|it is completed)/);
    expect((await run.finished).code).toBe(0);
  });

  test('is ended by an abort, where a devflow stays at it', async () => {
    locked();
    const run = await stays();
    expect((await here.devflow(['abort', 'it'])).code).toBe(0);
    const { code, stdout } = await run.finished;
    expect(code).toBe(1);
    expect(stdout).toContain('stopped: run it');
  });
});

describe('docs/gates.md', () => {
  const file = fileURLToPath(new URL('../../../docs/gates.md', import.meta.url));
  const text = readFileSync(file, 'utf8');
  const blocks = (language: string) =>
    [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(
      ([, code = '']) => code,
    );

  test('shows phases that are valid', async () => {
    here.write({
      'devflow.config.mjs': `export default { ${(blocks('js')[0] ?? '').trim().replace(/;$/, '')} };`,
    });
    const { stdout } = await here.devflow(['run', 'x', '--dry-run', '--json']);
    const { phases } = JSON.parse(stdout) as { phases: { name: string }[] };
    expect(phases.map(({ name }) => name)).toEqual(['plan', 'publish']);
  });

  test('shows commands that do what it says', async () => {
    configureGated(phase(1, 'plan'), phase(2, 'code', { gate: 'after' }));
    const shown = blocks('sh')
      .flatMap((code) => code.match(/^devflow .*$/gm) ?? [])
      .map((command) =>
        [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? ''),
      )
      .map(([, ...words]) => words);
    expect(shown.length).toBeGreaterThanOrEqual(8);
    const codes: Record<string, number> = { gates: 0, approve: 0, reject: 3, abort: 0, resume: 3 };
    let run = '';
    for (const [index, example] of shown.entries()) {
      const isOpen = example[0] === 'resume' || (await gates()).length > 0; // what was aborted is asked again
      if (!isOpen) run = `run-${index}`;
      if (!isOpen) await here.devflow(['run', 'Add a flag', '--name', run]);
      const words = example.map((word) => (word === 'add-a-flag-3f9a1' ? run : word));
      expect([words, (await here.devflow(words)).code]).toEqual([words, codes[words[0] ?? '']]);
    }
  });
});
