import { chmodSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ConformanceReport } from '@devflow/core/testing';
import { type CommandLine, commandLine, until } from './command-line.js';

/** A module that is an adapter for the program `parrot`, and keeps the contract. */
const ADAPTER = `export const adapter = {
  name: 'mine',
  capabilities: { modes: ['work'] },
  execCommand: ({ prompt }) => ({ program: 'parrot', args: [], stdin: prompt }),
  completionSignalDetected: (output) => output.includes('DEVFLOW_RESULT'),
};
`;
/** The same, with a status of its own. */
const LYING = ADAPTER.replace(
  "program: 'parrot', args: []",
  `program: '/bin/sh', args: ['-c', 'parrot; exit 0']`,
);

describe('devflow conform adapter', () => {
  let here: CommandLine;
  beforeEach(async () => {
    here = await commandLine();
  });
  afterEach(() => here.remove());

  const conform = async (...args: string[]) => here.devflow(['conform', 'adapter', ...args]);

  test('passes an adapter of its own, and says what it could not ask', async () => {
    const { code, stdout, stderr } = await conform('claude');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^adapter conformance: claude\n/);
    expect(stdout).toMatch(/^PASS +interrupted +\d+\.\d s$/m);
    expect(stdout).toMatch(/^UNSUPPORTED +wire-idempotent/m);
    expect(stdout).toMatch(/^16 cases: 15 PASS, 1 UNSUPPORTED$/m);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test.each(['codex', 'opencode', 'command'])(
    'passes %s, which devflow brings along',
    async (name) => {
      const { code, stdout } = await conform(name, '--json');
      const { counts } = JSON.parse(stdout) as ConformanceReport;
      expect({ code, counts }).toMatchObject({ code: 0, counts: { FAIL: 0, ERROR: 0, SKIP: 0 } });
      expect(counts.PASS).toBeGreaterThanOrEqual(10);
    },
  );

  test('runs one case, and prints it as JSON or as Markdown', async () => {
    const json = await conform('command', '--case', 'names-itself', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      suite: 'adapter conformance',
      subject: 'command',
      capabilities: { modes: ['work', 'review'] },
      counts: { PASS: 1 },
      cases: [{ name: 'names-itself', verdict: 'PASS', evidence: [expect.any(String)] }],
    });
    const markdown = await conform('command', '--case', 'names-itself', '--markdown');
    expect(markdown.stdout).toMatch(/^\| names-itself \| PASS \|/m);
  });

  test('a module of the project: one that keeps the contract, and one that does not', async () => {
    const kit = `export const conformance = { stub: { program: 'parrot' } };\n`;
    here.write({ 'mine.mjs': ADAPTER, 'lying.mjs': LYING + kit });
    const good = await conform('./mine.mjs', '--json');
    expect((JSON.parse(good.stdout) as ConformanceReport).counts).toMatchObject({ FAIL: 0, ERROR: 0 });
    expect(good.code).toBe(0);
    const bad = await conform('./lying.mjs');
    expect(bad.code).toBe(1);
    expect(bad.stdout).toMatch(/^FAIL +exit-passthrough .*\n +exit 1 came to completed/m);
  }); // prettier-ignore

  test('a directory: with what it says of its agent, and what is wrong with that', async () => {
    here.write({
      'mine/run': '#!/bin/sh\nexec parrot\n',
      'mine/conformance.json': '{ "program": "parrot" }',
    });
    chmodSync(path.join(here.root, 'mine/run'), 0o755);
    const { code, stdout } = await conform('./mine');
    expect(stdout).toMatch(/^adapter conformance: mine\n/);
    expect(stdout).toMatch(/^PASS +builds-a-command/m);
    expect(stdout).toMatch(/^16 cases: 11 PASS, 5 UNSUPPORTED$/m);
    expect(code).toBe(0);
    writeFileSync(path.join(here.root, 'mine/conformance.json'), '{}');
    const wrong = await conform('./mine');
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('(ADAPTER_INVALID)');
    expect(wrong.stderr).toContain('conformance.json');
  });

  test.each([
    [['nobody'], 'ADAPTER_UNKNOWN'],
    [['claude', '--case', 'none'], 'OPTION_INVALID'],
    [['claude', '--deadline', 'soon'], 'OPTION_INVALID'],
    [['claude', '--json', '--markdown'], 'OPTION_INVALID'],
    [[], 'OPTION_INVALID'],
  ])('%j cannot be tested: exit 2', async (args, error) => {
    const { code, stdout, stderr } = await conform(...args);
    expect(code).toBe(2);
    expect(stdout + stderr).toContain(error);
  });

  test('an interruption ends what runs, and leaves nothing', async () => {
    const started = here.start(
      ['conform', 'adapter', 'command', '--case', 'exit-passthrough'],
      { env: { TMPDIR: here.directory } },
    ); // prettier-ignore
    const directories = () =>
      readdirSync(here.directory).filter((name) => name.startsWith('devflow-conformance-'));
    const said = () =>
      directories()
        .map((name) => path.join(here.directory, name, 'said.jsonl'))
        .filter((file) => existsSync(file))
        .map((file) => readFileSync(file, 'utf8'));
    await until(
      () => said().some((text) => text.includes('"begun"')),
      () => 'the case',
    );
    started.child.kill('SIGTERM');
    const { code, stdout } = await started.finished;
    expect(stdout).toMatch(/^ERROR +exit-passthrough .*\n +the suite was interrupted/m);
    expect(code).toBe(130);
    expect(directories()).toEqual([]);
  });

  test('has help with examples', async () => {
    const { code, stdout } = await conform('--help');
    expect(code).toBe(0);
    expect(stdout).toContain('Usage: devflow conform adapter [options] <adapter>');
    expect(stdout).toContain('Examples:\n  $ devflow conform adapter claude');
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});
