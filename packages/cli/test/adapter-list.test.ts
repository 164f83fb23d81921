import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ListedAdapter } from '../src/adapters/list.js';
import {
  KEEPS,
  OWN,
  accept,
  configure,
  failure,
  here,
  listed,
  loaded,
  module,
  onePhase,
  useOwnRepository,
  write,
} from './own-adapters.js';
import { onTerminal } from './terminal.js';

const COLOURS = new RegExp(String.raw`\x1b\[[0-9;]*m`, 'g');

useOwnRepository();

describe('what cannot be an adapter', () => {
  test('is listed with what is wrong, and hides no other', async () => {
    write({
      [`${OWN}/twice/run`]: KEEPS,
      [`${OWN}/twice.mjs`]: '',
      [`${OWN}/both/run`]: KEEPS,
      [`${OWN}/both/adapter.mjs`]: '',
      [`${OWN}/My Agent/run`]: KEEPS,
      [`${OWN}/empty/README.md`]: '',
      [`${OWN}/fine/run`]: KEEPS,
      [`${OWN}/fine.test.mjs`]: '',
      [`${OWN}/README.md`]: '',
    });
    symlinkSync('nowhere', path.join(here.root, OWN, 'broken'));
    symlinkSync('circle', path.join(here.root, OWN, 'circle'));
    const { stdout } = await here.devflow(['adapters', '--json']);
    const own = (JSON.parse(stdout) as ListedAdapter[]).filter(
      ({ origin }) => origin === 'project',
    );
    const said = Object.fromEntries(
      own.map(({ name, problems }) => [name, problems.map(({ message }) => message).join()]),
    );
    expect(said).toEqual({
      both: expect.stringContaining('it has run and adapter.mjs; keep one of them'),
      broken: expect.stringContaining('there is nothing that can be reached'),
      circle: expect.stringContaining('there is nothing that can be reached'),
      empty: expect.stringContaining('no executable `run`, and no module'),
      fine: expect.stringContaining('nobody has confirmed it'),
      'My Agent': expect.stringContaining('expected a directory named by lower-case'),
      twice: expect.stringContaining('twice and twice.mjs are both "twice"; keep one'),
    });
  });

  test('is refused all at once, with what is not confirmed', async () => {
    write({ [`${OWN}/twice/run`]: KEEPS, [`${OWN}/twice.mjs`]: '', [`${OWN}/fine/run`]: KEEPS });
    const [phase] = onePhase('twice').phases;
    const others = ['./nowhere', 'fine', './README.md'].map((agent, index) => ({
      ...phase,
      id: index + 2,
      name: `p${index}`,
      agent,
    }));
    configure({ phases: [phase, ...others] });
    expect(await failure(['run', 'x'])).toMatchObject({
      code: 'ADAPTER_INVALID',
      problems: [
        expect.stringContaining('are both "twice"'),
        expect.stringContaining('nowhere: there is nothing'),
        expect.stringContaining('README.md: it is neither a directory nor a module'),
        expect.stringMatching(/^fine: nobody has confirmed/),
      ],
    });
  });
});

describe('the list of adapters', () => {
  test('says what each can do, where it is, and whether it is confirmed', async () => {
    write({ [`${OWN}/mine/run`]: KEEPS, [`${OWN}/mine/adapter.json`]: '{ "version": "2.1.0" }' });
    expect(await listed('mine')).toMatchObject({
      name: 'mine',
      origin: 'project',
      path: path.join(here.root, OWN, 'mine'),
      program: path.join(here.root, OWN, 'mine/run'),
      version: '2.1.0',
      capabilities: ['work', 'review', 'models'],
      confirmed: false,
    });
    await accept('mine');
    const { stdout } = await here.devflow(['adapters']);
    expect(stdout).toMatch(/^mine {2}project, 2\.1\.0, confirmed$/m);
    expect(stdout).toMatch(/^command {2}built-in$/m);
  });

  test('finds the program of an agent and asks it for its version', async () => {
    const program = path.join(here.directory, 'bin/claude');
    mkdirSync(path.dirname(program));
    writeFileSync(program, '#!/bin/sh\necho "2.1.332 (Claude Code)"\n', { mode: 0o755 });
    const env = { PATH: `${path.dirname(program)}:${here.env['PATH']}` };
    const { stdout } = await here.devflow(['adapters', '--json'], { env });
    const claude = (JSON.parse(stdout) as ListedAdapter[]).find(({ name }) => name === 'claude');
    expect(claude).toMatchObject({ program, version: '2.1.332', origin: 'built-in' });
  });

  test('says what stands in the way of an agent that is there', async () => {
    const bin = path.join(here.directory, 'bin');
    mkdirSync(bin);
    const install = (name: string, script: string) =>
      writeFileSync(path.join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    install(
      'codex',
      `case "$*" in --version) echo codex-cli 0.171.0 ;; *--help) echo '--config --sandbox --model --json --color --output-schema --ignore-rules' ;;
       'login status') echo 'Not logged in' >&2; exit 1 ;; 'mcp list --json') echo '[]' ;; esac`,
    );
    install(
      'claude',
      `case "$*" in --version) echo 2.1.332 ;; 'auth status') echo '{"loggedIn":true,"authMethod":"claude.ai"}' ;; *) exit 1 ;; esac`,
    );
    const env = { PATH: `${bin}:${here.env['PATH']}` };
    const { stdout } = await here.devflow(['adapters'], { env });
    expect(stdout).toMatch(/^codex {2}built-in, 0\.171\.0, not ready$/m);
    expect(stdout).toContain('Codex is not logged in.');
    expect(stdout).toMatch(/^ {2}note: Claude Code bills by subscription/m);
  });

  test('is not disturbed by what modules print', async () => {
    const noisy = (name: string) => `console.log('noise of ${name}');\n${module(loaded)}`;
    write({ [`${OWN}/one.mjs`]: noisy('one'), [`${OWN}/two.mjs`]: noisy('two') });
    await accept('one', 'two');
    const { stdout, stderr } = await here.devflow(['adapters', '--json']);
    expect(JSON.parse(stdout)).toHaveLength(6);
    // They are loaded at the same time: in any order.
    expect(stderr.trim().split('\n').toSorted()).toEqual(['noise of one', 'noise of two']);
  });

  test('fits a screen of 80 columns', async () => {
    write({ [`${OWN}/mine/run`]: KEEPS });
    const { screen } = await onTerminal(['adapters'], '');
    const lines = screen.replaceAll(COLOURS, '').split(/\r?\n/);
    // A path is not wrapped, so that it can be copied.
    expect(lines.filter((line) => line.length > 80 && !line.includes(here.root))).toEqual([]);
    expect(screen).toContain('not confirmed');
  });
});
