import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type ProcessTree, MARKER_VARIABLE, endTree, findTree } from '../src/process/tree.js';
import type { WrappedCommand } from '../src/process/wrapper.js';
import { temporaryDirectory, until } from './temporary.js';

interface Attempt {
  readonly command: WrappedCommand;
  readonly tree: ProcessTree;
  at(name: string): string;
  read(name: string): string;
}

/** A shell script as the command of an attempt; nothing of it outlives the test. */
export function attempt(script: string, more: Partial<WrappedCommand> = {}): Attempt {
  const cwd = temporaryDirectory();
  const dir = path.join(cwd, "an 'attempt' $(x)");
  mkdirSync(dir);
  const stdin = path.join(dir, 'prompt.md');
  writeFileSync(stdin, 'the prompt\n');
  const token = path.basename(cwd);
  const env = { PATH: process.env['PATH'] ?? '', [MARKER_VARIABLE]: token };
  const tree = {
    leader: undefined,
    marker: `${MARKER_VARIABLE}=${token}`,
    seen: new Set<string>(),
  };
  onTestFinished(() => endTree(tree, { graceMs: 0 }).then(() => undefined));
  const at = (name: string) => path.join(dir, name);
  return {
    command: {
      dir,
      stdin,
      program: '/bin/sh',
      args: ['-c', script],
      cwd: dir,
      env,
      timeoutMs: 60_000,
      ...more,
    },
    tree,
    at,
    read: (name) => readFileSync(at(name), 'utf8'),
  };
}

export const emptied = (used: Attempt) => until(() => findTree(used.tree).length === 0);
