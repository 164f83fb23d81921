/** What the README shows is tried. */
import { chmodSync, existsSync, readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import path from 'node:path';
import { commitFile, giveAnswer } from '@devflow/core/testing';
import { type CommandLine, commandLine } from './command-line.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
const blocks = [...readme.matchAll(/^```js\n([^]*?)^```$/gm)].map(([, code = '']) => code);

function block(containing: string): string {
  const found = blocks.find((code) => code.includes(containing));
  if (found === undefined) throw new Error(`the README shows nothing with "${containing}"`);
  return found;
}

describe('the README', () => {
  let here: CommandLine;
  beforeEach(async () => {
    here = await commandLine();
  });
  afterEach(() => here.remove());

  test('shows a configuration that works', async () => {
    const code = block('export default');
    const [, file = ''] = /^\/\/ (\S+)\n/.exec(code) ?? [];
    expect((await here.devflow(['init'], { cwd: here.directory })).stdout).toContain(
      `wrote ${file}\n`,
    );
    here.write({ [file]: code });
    const { stdout } = await here.devflow(['run', 'Add a flag', '--dry-run', '--json']);
    const plan = JSON.parse(stdout) as { phases: { name: string; requires: string[] }[] };
    expect(plan.phases.map(({ name, requires }) => [name, requires])).toEqual([
      ['code', ['answer', 'commit', 'clean', 'checks']],
      ['validate', ['answer', 'verdict']],
    ]);
  });

  test('puts devflow into the PATH of a new user, and nothing else', async () => {
    const [, command = ''] = /^```sh\n(.* ln -s .*)\n```$/m.exec(readme) ?? [];
    const bin = path.join(here.home, '.local/bin');
    const env = { ...here.env, PATH: `${bin}:${here.env['PATH']}` };
    const shell = promisify(execFile);
    await shell('/bin/sh', ['-ec', command], { cwd: root, env });
    expect(readdirSync(bin)).toEqual(['devflow']);
    const { stdout } = await shell('/bin/sh', ['-ec', 'devflow --version && devflow list'], {
      cwd: here.root,
      env,
    });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\nThere is no run here yet/);
    const [alias = ''] = /alias devflow=[^`]*/.exec(readme) ?? [];
    const aliased = `${alias}\ncd '${here.root}'\ndevflow list`;
    const listed = await shell('/bin/sh', ['-c', aliased], { cwd: root, env: here.env });
    expect(listed.stdout).toContain('There is no run here yet');
  });

  test('shows a library call that works', async () => {
    here.write({ 'my-agent.sh': `#!/bin/sh\n${commitFile('flag')}\n${giveAnswer()}\n` });
    chmodSync(path.join(here.root, 'my-agent.sh'), 0o755);
    await here.git('add', 'my-agent.sh');
    await here.git('commit', '--quiet', '--message', 'Add the agent');
    const dist = path.join(root, 'packages/core/dist');
    const code = block('@devflow/core')
      .replace("'@devflow/core'", `'${dist}/index.js'`)
      .replace("'@devflow/core/command'", `'${dist}/command/index.js'`);
    here.write({ 'try.mjs': code });
    const { stdout } = await promisify(execFile)(process.execPath, ['try.mjs'], {
      cwd: here.root,
      env: here.env,
    });
    expect(stdout).toMatch(/^completed devflow\/add-a-flag-\w+\/work \[/);
  });

  test('names commands and scripts that exist', async () => {
    const { stdout } = await here.devflow(['--help']);
    const table = /\| command[^]*?\n\n/.exec(readme)?.[0] ?? '';
    const commands = [...table.matchAll(/`(?:devflow )?([a-z]+)(?: \[task\])?`/g)].map(
      ([, name]) => name,
    );
    expect(commands).toContain('resume');
    for (const name of commands) expect(stdout).toMatch(new RegExp(`^ +${name}\\b`, 'm'));
    const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      scripts: object;
    };
    const named = [...readme.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name);
    for (const name of named) expect(Object.keys(scripts)).toContain(name);
  });
});

describe('what is promised', () => {
  const promised = readFileSync(path.join(root, 'docs/reliability.md'), 'utf8');

  test('names tests and scripts that exist', () => {
    const files = [...promised.matchAll(/`([\w./-]+\.(?:test\.)?ts)`/g)].map(
      ([, file = '']) => file,
    );
    expect(files.length).toBeGreaterThan(5);
    expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
    const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      scripts: object;
    };
    for (const [, name] of promised.matchAll(/npm run ([\w:-]+)/g))
      expect(Object.keys(scripts)).toContain(name);
  });
});
