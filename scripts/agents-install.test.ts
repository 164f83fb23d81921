import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { installAgent, installVersion, installedAgent } from './agents-install.js';

let directory: string;
let env: Record<string, string>;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'devflow-agents-'));
  mkdirSync(path.join(directory, 'bin'));
  const PATH = `${path.join(directory, 'bin')}:${process.env['PATH']}`;
  env = { PATH, DEVFLOW_AGENTS_DIR: path.join(directory, 'agents') };
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** An npm that notes its arguments and leaves the packages of every platform. */
function stubNpm(more = ''): void {
  const packages = ['x64', 'arm64', 'x64-musl', 'arm64-musl'].map((arch) => {
    return `node_modules/@anthropic-ai/claude-code-${process.platform}-${arch}`;
  });
  const lines = packages.map((name) => `mkdir -p ${name} && echo native > ${name}/claude`);
  const npm = path.join(directory, 'bin', 'npm');
  const calls = path.join(directory, 'calls');
  writeFileSync(npm, `#!/bin/sh\necho "$*" >> ${calls}\n${more}\n${lines.join('\n')}\n`);
  chmodSync(npm, 0o755);
}

test('what is not installed has no path', () => {
  expect(installedAgent('claude', env)).toBeUndefined();
});

test('installs the pinned version once, without install scripts', () => {
  stubNpm();
  const binary = installAgent('claude', env);
  expect(readFileSync(binary, 'utf8')).toBe('native\n');
  expect(installedAgent('claude', env)).toBe(binary);
  expect(installAgent('claude', env)).toBe(binary);
  const calls = readFileSync(path.join(directory, 'calls'), 'utf8').trim().split('\n');
  expect(calls).toHaveLength(1);
  expect(calls[0]).toMatch(/--ignore-scripts .*@anthropic-ai\/claude-code@\d+\.\d+\.\d+$/);
});

test('a failed installation leaves nothing behind', () => {
  stubNpm('exit 1');
  expect(() => installAgent('claude', env)).toThrow('Command failed');
  expect(readdirSync(env['DEVFLOW_AGENTS_DIR'] ?? '')).toEqual([]);
  expect(existsSync(path.join(directory, 'calls'))).toBe(true);
});

test('an unknown agent is an error that names the known ones', () => {
  expect(() => installAgent('cloud', env)).toThrow(
    'unknown agent "cloud"; known: claude, codex, opencode',
  );
});

test('another version stands beside the pinned one, and a tag is the version behind it', () => {
  stubNpm(`[ "$1" = view ] && { echo '"9.9.9"'; exit; }`);
  const pinned = installAgent('claude', env);
  const other = installVersion('claude', 'latest', env);
  expect(other.version).toBe('9.9.9');
  expect(other.binary).not.toBe(pinned);
  expect(other.binary).toContain('claude-9.9.9');
  expect(installedAgent('claude', env)).toBe(pinned);
});
