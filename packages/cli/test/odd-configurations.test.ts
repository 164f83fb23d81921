/** A configuration is code, and may do anything while it is loaded. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { type CommandLine, PROGRAM, commandLine } from './command-line.js';
import { WORKS, onePhase } from './workflows.js';

describe('a configuration', () => {
  let here: CommandLine;
  beforeEach(async () => {
    here = await commandLine();
  });
  afterEach(() => here.remove());

  const configure = (before: string) =>
    here.write({
      'devflow.config.mjs': `${before}\nexport default ${JSON.stringify(onePhase(WORKS))};`,
    });

  test('that prints does not spoil what --json prints', async () => {
    configure(`console.log('noise');`);
    const { code, stdout, stderr } = await here.devflow(['run', 'x', '--json']);
    expect(code).toBe(0);
    for (const line of stdout.trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
    expect(stderr).toContain('noise');
  });

  test('that leaves a timer does not keep devflow from ending', async () => {
    configure(`setInterval(() => {}, 1000);`);
    const { code, stdout } = await here.devflow(['run', 'x']);
    expect(code).toBe(0);
    expect(stdout).toContain('completed');
  });

  test.each([
    ['ends the process', `process.exit(0);`],
    ['waits for what never comes', `await new Promise(() => {});`],
  ])('that %s is no success', async (_, before) => {
    configure(before);
    const { code, stderr } = await here.devflow(['run', 'x']);
    expect(code).toBe(1);
    expect(stderr).toContain('ended before its work was done');
  });
});

test('a full disk behind stdout ends no run', async () => {
  const here = await commandLine(onePhase(WORKS));
  try {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [PROGRAM, 'run', 'x', '--name', 'x', '--json'], {
      cwd: here.root,
      env: here.env,
      stdio: ['ignore', full, 'pipe'],
    });
    let words = '';
    child.stderr?.on('data', (chunk) => (words += String(chunk)));
    await new Promise((resolve) => child.once('close', resolve));
    expect(words).toContain('stdout cannot be written');
    const { stdout } = await here.devflow(['status', 'x', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ state: 'completed' });
  } finally {
    here.remove();
  }
});
