import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
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

useOwnRepository();

/** Where confirmations are kept, one file each. */
const kept = () => path.join(here.home, '.local/state/devflow/confirmed-adapters');

describe('code of your own', () => {
  test('is not run before it is confirmed: not by run, a dry run, the doctor or a list', async () => {
    write({ [`${OWN}/one.mjs`]: module(loaded), [`${OWN}/two/run`]: `#!/bin/sh\n>'${loaded}'\n` });
    const [phase] = onePhase('one').phases;
    configure({ phases: [phase, { ...phase, id: 2, name: 'more', agent: 'two' }] });
    const run = await failure(['run', 'x']);
    expect(run).toMatchObject({
      code: 'ADAPTER_UNCONFIRMED',
      problems: [expect.stringMatching(/^one: /), expect.stringMatching(/^two: /)],
      hint: expect.stringContaining('`devflow adapters --accept one two`'),
    });
    expect(await failure(['run', 'x', '--dry-run'])).toEqual(run);
    const doctor = await here.devflow(['doctor']);
    expect(doctor.code).toBe(4);
    expect(doctor.stdout).toContain('ADAPTER_UNCONFIRMED');
    expect(await listed('one')).toMatchObject({ confirmed: false, capabilities: [] });
    expect(await listed('two')).toMatchObject({ confirmed: false, origin: 'project' });
    expect(existsSync(loaded)).toBe(false);
    await accept('one', 'two');
    expect((await here.devflow(['run', 'x', '--dry-run'])).code).toBe(0);
    expect(existsSync(loaded)).toBe(true);
  });

  test('is confirmed as it is, and asked for again when it has changed', async () => {
    write({ [`${OWN}/mine/adapter.mjs`]: module(loaded), [`${OWN}/mine/program.js`]: '' });
    configure(onePhase('mine'));
    await accept('mine');
    expect(await listed('mine')).toMatchObject({ confirmed: true });
    write({ [`${OWN}/mine/program.js`]: 'process.exit()' }); // also what its module starts
    expect(await listed('mine')).toMatchObject({ confirmed: false });
    expect(await failure(['run', 'x'])).toMatchObject({
      code: 'ADAPTER_UNCONFIRMED',
      problems: [expect.stringContaining('has changed since it was confirmed')],
    });
    expect((await listed('mine'))?.problems[0]?.message).toContain(
      'changed since it was confirmed',
    );
    await accept('mine');
    expect((await here.devflow(['run', 'x'])).code).toBe(0);
  });

  test('is confirmed all or none', async () => {
    write({ [`${OWN}/mine/run`]: KEEPS, [`${OWN}/wrong/run`]: 'no shebang' });
    const args = ['adapters', '--accept', 'mine'];
    expect(await failure([...args, 'mien'])).toMatchObject({
      code: 'ADAPTER_UNKNOWN',
      message: 'there is no adapter "mien"',
      hint: expect.stringContaining('mine'),
    });
    expect((await failure([...args, 'wrong'])).code).toBe('ADAPTER_INVALID');
    expect(await listed('mine')).toMatchObject({ confirmed: false });
  });

  test('is confirmed by two at once, each for its own', async () => {
    const names = ['one', 'two', 'three'];
    write(Object.fromEntries(names.map((name) => [`${OWN}/${name}/run`, KEEPS])));
    await Promise.all(names.map((name) => accept(name)));
    for (const name of names) expect(await listed(name)).toMatchObject({ confirmed: true });
  });

  test('is confirmed by several at once, all for the same', async () => {
    write({ [`${OWN}/mine/run`]: KEEPS });
    await Promise.all([1, 2, 3, 4].map(() => accept('mine')));
    expect(await listed('mine')).toMatchObject({ confirmed: true });
    expect(readdirSync(kept())).toHaveLength(1); // nothing half written is left beside it
  });

  test('is not confirmed by what is no confirmation', async () => {
    write({ [`${OWN}/mine.mjs`]: module(loaded) });
    configure(onePhase('mine'));
    await accept('mine');
    const [name = ''] = readdirSync(kept());
    const file = path.join(kept(), name);
    const whole = readFileSync(file, 'utf8');
    for (const garbage of ['', '\0\xff\n', whole.slice(0, -1), `${whole}more`, '{}']) {
      writeFileSync(file, garbage, 'latin1');
      const { code, problems } = await failure(['run', 'x']);
      expect(code).toBe('ADAPTER_UNCONFIRMED');
      expect(problems).toEqual([expect.stringContaining('nobody has confirmed')]);
    }
    expect(await listed('mine')).toMatchObject({ confirmed: false });
    expect(existsSync(loaded)).toBe(false);
    await accept('mine');
    expect((await here.devflow(['run', 'x'])).code).toBe(0);
  });

  test('is not confirmed where a directory is in the place of its confirmation', async () => {
    write({ [`${OWN}/mine/run`]: KEEPS });
    await accept('mine');
    const [name = ''] = readdirSync(kept());
    rmSync(path.join(kept(), name));
    mkdirSync(path.join(kept(), name));
    expect(await failure(['adapters', '--accept', 'mine'], {}, 1)).toMatchObject({
      code: 'STATE_UNWRITABLE',
      message: expect.stringMatching(`${name}: there is a directory where a file is needed`),
    });
    expect((await listed('mine'))?.problems).toMatchObject([{ code: 'STATE_UNREADABLE' }]);
  });

  test('cannot be confirmed where there is no place to keep it', async () => {
    write({ [`${OWN}/mine/run`]: KEEPS });
    writeFileSync(path.join(here.directory, 'file'), '');
    const env = { XDG_STATE_HOME: path.join(here.directory, 'file') };
    const error = await failure(['adapters', '--accept', 'mine'], { env }, 1);
    expect(error.code).toBe('STATE_UNWRITABLE');
  });

  test('is not loaded where nobody asks for it', async () => {
    write({ [`${OWN}/other.mjs`]: module(loaded), [`${OWN}/mine/run`]: KEEPS });
    configure({ ...onePhase('mine'), profiles: { unused: { adapter: 'other' } } });
    await accept('mine', 'other');
    expect((await here.devflow(['run', 'x'])).code).toBe(0);
    expect((await here.devflow(['run', 'x', '--agent', 'mine', '--dry-run'])).code).toBe(0);
    expect(existsSync(loaded)).toBe(false);
    await here.devflow(['run', 'x', '--agent', 'unused', '--dry-run']);
    expect(existsSync(loaded)).toBe(true);
  });

  test('is shown to a person, who is asked; only a plain yes counts, and is remembered', async () => {
    write({ [`${OWN}/mine/run`]: KEEPS, [`${OWN}/mine/lib.sh`]: '' });
    configure(onePhase('mine'));
    for (const no of ['\n', 'n\n', 'yess\n', '\x04']) {
      const refused = await onTerminal(['run', 'x', '--name', 'it'], no);
      expect(refused.screen).toContain('ADAPTER_UNCONFIRMED');
      expect(refused.code).toBe(2);
    }
    const left = await onTerminal(['run', 'x', '--name', 'it'], '\x03'); // Ctrl-C
    expect(left.screen).toContain('interrupted: nothing was started');
    expect(left.screen).not.toContain('ADAPTER_UNCONFIRMED');
    expect(left.code).toBe(130);
    const asked = await onTerminal(['run', 'x', '--name', 'it'], 'y\n');
    expect(asked.screen).toContain('is code that you have not confirmed yet:');
    expect(asked.screen).toContain(path.join(here.root, OWN, 'mine'));
    expect(asked.screen).toMatch(/^ {2}lib\.sh\r?$/m);
    expect(asked.screen).toMatch(/^sha256 [0-9a-f]{64}\r?$/m);
    expect(asked.code).toBe(0);
    expect((await here.devflow(['run', 'x'])).code).toBe(0);
    write({ [`${OWN}/mine/lib.sh`]: '# more' });
    const again = await onTerminal(['run', 'x'], 'n\n');
    expect(again.screen).toContain('is code that has changed since you confirmed it:');
  });

  const CHANGED: [what: string, file: string, before: string, after: () => string][] = [
    ['a module', `${OWN}/mine.mjs`, 'export {};', () => module(loaded)],
    ['what lies beside a module', `${OWN}/mine/lib.mjs`, '', () => module(loaded)],
    ['a program', `${OWN}/mine/run`, KEEPS, () => `#!/bin/sh\n>'${loaded}'\n`],
  ];
  test.each(CHANGED)('is not run where it changes while it asks: %s', async (_, file, old, now) => {
    const entry = file.endsWith('lib.mjs')
      ? { [`${OWN}/mine/adapter.mjs`]: 'import "./lib.mjs";' }
      : {};
    write({ ...entry, [file]: old });
    configure(onePhase('mine'));
    const asked = await onTerminal(['run', 'x', '--name', 'it'], 'y\n', () =>
      write({ [file]: now() }),
    );
    expect(asked.screen).toMatch(/has\s+changed since[^]*--accept mine`[^]*ADAPTER_UNCONFIRMED/);
    expect(asked.code).toBe(2);
    expect(existsSync(loaded)).toBe(false);
    expect((await here.devflow(['list', '--json'])).stdout).not.toContain('"it"'); // nothing was started
    expect(await listed('mine')).toMatchObject({ confirmed: false });
  });

  test('that a run goes on with is confirmed and accepted: both are said at once', async () => {
    write({ [`${OWN}/mine/run`]: '#!/bin/sh\nexit 1\n' });
    configure(onePhase('mine'));
    await accept('mine');
    expect((await here.devflow(['run', 'x', '--name', 'it'])).code).toBe(1);
    write({ [`${OWN}/mine/run`]: KEEPS });
    const { hint } = await failure(['resume', 'it']);
    expect(hint).toContain('`devflow adapters --accept mine`');
    expect(hint).toContain('`devflow resume it --accept-code`');
    expect((await onTerminal(['resume', 'it'], 'n\n')).screen).toContain('--accept-code');
    expect((await failure(['resume', 'it', '--accept-code'])).hint).not.toContain('--accept-code');
    await accept('mine');
    expect((await failure(['resume', 'it'])).code).toBe('CODE_CHANGED');
    expect((await here.devflow(['resume', 'it', '--accept-code'])).code).toBe(0);
  });
});
