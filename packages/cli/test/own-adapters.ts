import { chmodSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { commitFile, giveAnswer } from '@devflow/core/testing';
import type { ListedAdapter } from '../src/adapters/list.js';
import { type CommandLine, commandLine } from './command-line.js';
import { WORKS } from './workflows.js';

export const OWN = '.devflow/adapters';
/** A program that keeps what it was told, then works. */
export const KEEPS = `#!/bin/sh\ncat >prompt.txt; env | sort >env.txt; ${WORKS}\n`;

const OTHER = `${commitFile('other.txt')} && ${giveAnswer()}`;
/** A module whose loading shows. */
export const module = (loaded: string, more = '') =>
  `import { writeFileSync } from 'node:fs';
   writeFileSync(${JSON.stringify(loaded)}, '');
   export const adapter = { name: 'anything', capabilities: { modes: ['work'] },
     execCommand: ({ prompt }) => ({ program: '/bin/sh', args: ['-c', ${JSON.stringify(OTHER)}], stdin: prompt }),
     completionSignalDetected: () => true, ${more} };`;
export const onePhase = (agent: string, phase = {}) => ({
  name: 'one',
  phases: [
    { id: 1, name: 'code', agent, prompt: 'Do: {{task}}', retries: 0, retryDelay: '1ms', ...phase },
  ],
});

/** The repository of the test that runs. */
export let here: CommandLine;
/** A file that the module above writes when it is loaded. */
export let loaded: string;

/** Gives each test of a file a repository of its own. */
export function useOwnRepository(): void {
  beforeEach(async () => {
    here = await commandLine();
    loaded = path.join(here.directory, 'loaded');
  });
  afterEach(() => here.remove());
}

export function write(files: Record<string, string>): void {
  here.write(files);
  for (const file of Object.keys(files))
    if (path.basename(file) === 'run') chmodSync(path.join(here.root, file), 0o755);
}
export function configure(workflow: object): void {
  here.write({ 'devflow.config.json': JSON.stringify(workflow) });
}
export const accept = async (...names: string[]) => {
  const { code, stderr } = await here.devflow(['adapters', '--accept', ...names]);
  expect(stderr).toBe('');
  expect(code).toBe(0);
};
export const failure = async (args: readonly string[], options = {}, exit = 2) => {
  const { stdout, code } = await here.devflow([...args, '--json'], options);
  expect(code).toBe(exit);
  return JSON.parse(stdout) as { code: string; message: string; problems: string[]; hint: string };
};
export const listed = async (name: string) => {
  const { stdout } = await here.devflow(['adapters', '--json']);
  return (JSON.parse(stdout) as ListedAdapter[]).find((adapter) => adapter.name === name);
};
export const made = (file: string) => here.git('show', `devflow/it/work:${file}`);
