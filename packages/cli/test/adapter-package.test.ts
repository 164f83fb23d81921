import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  accept,
  configure,
  failure,
  here,
  listed,
  loaded,
  module,
  onePhase,
  useOwnRepository,
} from './own-adapters.js';

useOwnRepository();

const manifest = (name: string) => JSON.stringify({ name, type: 'module', exports: './index.js' });
function writePackage(directory: string, name: string): void {
  here.write({
    [`${directory}/package.json`]: manifest(name),
    [`${directory}/index.js`]: module(loaded),
  });
}
const link = (to: string, at: string) => symlinkSync(to, path.join(here.root, at));
async function commit(...files: string[]): Promise<void> {
  await here.git('add', '--force', ...files);
  await here.git('commit', '--quiet', '--message', 'More');
}
/** Nothing of it is run, whatever is asked. */
async function expectUnconfirmed(name: string, file: string): Promise<void> {
  configure(onePhase(name));
  expect(await failure(['run', 'x'])).toMatchObject({
    code: 'ADAPTER_UNCONFIRMED',
    problems: [expect.stringContaining(`${path.join(here.root, file)} `)],
  });
  expect(await listed(name)).toMatchObject({ confirmed: false, capabilities: [] });
  expect((await here.devflow(['doctor'])).stdout).toContain('ADAPTER_UNCONFIRMED');
  expect(existsSync(loaded)).toBe(false);
}

describe('a package as an agent', () => {
  test('that the repository brings along is confirmed as a whole', async () => {
    writePackage('node_modules/evil', 'evil');
    await commit('node_modules');
    await expectUnconfirmed('evil', 'node_modules/evil');
    await accept('evil');
    expect(existsSync(loaded)).toBe(false);
    expect((await here.devflow(['run', 'x'])).code).toBe(0);
    expect(existsSync(loaded)).toBe(true);
    rmSync(loaded);
    here.write({ 'node_modules/evil/more.js': '' });
    await expectUnconfirmed('evil', 'node_modules/evil');
  });

  test('that a link of the repository leads to is confirmed', async () => {
    writePackage('vendor/node_modules/evil', 'evil');
    mkdirSync(path.join(here.root, 'node_modules'));
    link('../vendor/node_modules/evil', 'node_modules/evil');
    await expectUnconfirmed('evil', 'vendor/node_modules/evil/index.js');
  });

  test('of a store in node_modules, and of one above the repository, is installed', async () => {
    writePackage('node_modules/.store/@here/one/node_modules/@here/one', '@here/one');
    mkdirSync(path.join(here.root, 'node_modules/@here'));
    link('../.store/@here/one/node_modules/@here/one', 'node_modules/@here/one');
    writePackage('../node_modules/above', 'above');
    const [phase] = onePhase('@here/one').phases;
    configure({ phases: [phase, { ...phase, id: 2, name: 'more', agent: 'above' }] });
    expect((await here.devflow(['run', 'x', '--dry-run'])).stderr).toBe('');
    expect(existsSync(loaded)).toBe(true);
    expect(await listed('above')).toMatchObject({ origin: 'package', capabilities: ['work'] });
  });

  test('of which git cannot say whose it is hides no other, and is not run', async () => {
    writePackage('node_modules/installed', 'installed');
    configure(onePhase('installed'));
    writeFileSync(path.join(here.root, '.git/index'), 'garbage');
    expect((await listed('installed'))?.problems).toMatchObject([{ code: 'GIT_FAILED' }]);
    expect(await listed('command')).toMatchObject({ problems: [] });
    expect(existsSync(loaded)).toBe(false);
  });
});
