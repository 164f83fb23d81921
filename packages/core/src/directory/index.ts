/** Adapters that are directories with a program, and the local code that a person has to confirm. */
import { accessSync, closeSync, constants, existsSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import type { AgentAdapter, ExecRequest } from '../adapter/index.js';
import { DevflowError } from '../errors.js';
import { readManifest } from './manifest.js';
import { type Source, readSource, sourceProblems } from './source.js';

export { type Confirmation, confirm, confirmationOf, isConfirmed } from './confirmed.js';
export { type Source, readSource, sourceProblems } from './source.js';
export { isTracked } from './tracked.js';

/** What is run, and what may be there to wire the agent's interactive sessions. */
const RUN = 'run';
const WIRE = 'wire';

/** One variable holds at most 128 KiB on Linux, with its name; a sandbox may hand it on as a longer word. */
const LONGEST_VARIABLE_BYTES = 100_000;

/** Variables by which a board tells an agent of itself. */
const ENV_FROM = ['BOARD_AGENT_ID', 'BOARD_TASK', 'BOARD_PORT'];

/**
 * A directory with an executable `run` as an agent. `run` reads the prompt on its standard input, and in
 * AGENT_PROMPT unless it is long; its standard output is its text, and exit 0 ends its turn.
 *
 * @param source what the directory held when it was confirmed; what it holds now where it is left out
 * @throws DevflowError ADAPTER_INVALID naming all that is wrong with it
 */
export function directoryAdapter(
  directory: string,
  source: Source = readSource(directory),
): AgentAdapter {
  const name = path.basename(path.resolve(directory));
  const manifest = readManifest(source.path);
  const problems = [
    ...nameProblems(name),
    ...programProblems(source.path, RUN),
    ...(existsSync(path.join(source.path, WIRE)) ? programProblems(source.path, WIRE) : []),
    ...manifest.problems,
  ];
  if (problems.length > 0)
    throw new DevflowError('ADAPTER_INVALID', `${source.path} is no adapter`, { problems });
  return {
    name,
    capabilities: { modes: ['work', 'review'], models: true },
    envFrom: ENV_FROM,
    source,
    execCommand: ({ prompt }) => ({
      program: path.join(source.path, RUN),
      args: [],
      stdin: prompt,
    }),
    completionSignalDetected: () => true, // the exit status says it, and the core judges that
    extraEnv,
    preflight: () =>
      Promise.resolve({
        problems: sourceProblems(source),
        notes: [],
        ...(manifest.version !== undefined && { version: manifest.version }),
      }),
  };
}

function extraEnv({ prompt, mode, cwd, model }: ExecRequest): Record<string, string> {
  const fits = Buffer.byteLength(prompt) <= LONGEST_VARIABLE_BYTES && !prompt.includes('\0');
  return {
    ...(fits && { AGENT_PROMPT: prompt }),
    AGENT_MODE: mode,
    AGENT_CWD: cwd,
    ...(model !== undefined && { AGENT_MODEL: model }),
  };
}

function nameProblems(name: string): string[] {
  if (/^[a-z][a-z0-9-]*$/.test(name)) return [];
  return [
    `${JSON.stringify(name)}: expected a directory named by lower-case letters, digits and hyphens`,
  ];
}

function programProblems(directory: string, name: string): string[] {
  const file = path.join(directory, name);
  try {
    accessSync(file, constants.X_OK);
    const start = startOf(file);
    if (start.startsWith('\x7fELF')) return [];
    // A shell would run it as a script of its own, whatever language it is in.
    if (!start.startsWith('#!'))
      return [`${name}: expected a program, or a script with a first line such as "#!/bin/sh"`];
    const [line = ''] = start.split('\n', 1);
    return line.endsWith('\r')
      ? [`${name}: its first line ends in CR, so no interpreter is found`]
      : [];
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // the file system throws nothing else
    if (code === 'ENOENT') return [`${name}: expected an executable file, found nothing`];
    if (code === 'EACCES') return [`${name}: not executable; \`chmod +x ${file}\``];
    return [`${name}: ${message}`];
  }
}

function startOf(file: string): string {
  const start = Buffer.alloc(256);
  const descriptor = openSync(file, 'r');
  try {
    return start.toString('latin1', 0, readSync(descriptor, start, 0, start.length, 0));
  } finally {
    closeSync(descriptor);
  }
}
