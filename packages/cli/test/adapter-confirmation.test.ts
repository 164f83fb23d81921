import { existsSync, writeFileSync } from 'node:fs';
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
    expect((await failure(['run', 'x'])).code).toBe('ADAPTER_UNCONFIRMED');
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

  test('cannot be confirmed where there is no place to keep it', async () => {
    write({ [`${OWN}/mine/run`]: KEEPS });
    writeFileSync(path.join(here.directory, 'file'), '');
    const env = { XDG_STATE_HOME: path.join(here.directory, 'file') };
    const error = await failure(['adapters', '--accept', 'mine'], { env });
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
    for (const no of ['\n', 'n\n', 'yess\n', '\x04', '\x03']) {
      const refused = await onTerminal(['run', 'x', '--name', 'it'], no);
      expect(refused.screen).toContain('ADAPTER_UNCONFIRMED');
      expect(refused.code).toBe(2);
    }
    const asked = await onTerminal(['run', 'x', '--name', 'it'], 'y\n');
    expect(asked.screen).toContain(path.join(here.root, OWN, 'mine'));
    expect(asked.screen).toMatch(/^ {2}lib\.sh\r?$/m);
    expect(asked.screen).toMatch(/^sha256 [0-9a-f]{64}\r?$/m);
    expect(asked.code).toBe(0);
    expect((await here.devflow(['run', 'x'])).code).toBe(0);
  });
});
