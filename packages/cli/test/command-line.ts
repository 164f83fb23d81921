import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunEvent, RunResult, WorkflowDefinition } from '@devflow/core';
import { type TemporaryRepository, temporaryRepository } from '@devflow/core/testing';
import { requireFreshBuild } from './built.js';

requireFreshBuild();

export const PROGRAM = fileURLToPath(new URL('../bin/devflow.js', import.meta.url));

export interface Finished {
  /** Undefined where a signal ended it. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly finished: Promise<Finished>;
  /** Waits until its output so far has this text. */
  says(text: string): Promise<void>;
}

export interface CommandLine extends TemporaryRepository {
  /** Runs devflow in the repository to its end. */
  devflow(args: readonly string[], options?: StartOptions): Promise<Finished>;
  start(args: readonly string[], options?: StartOptions): Started;
}

export interface StartOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** A command that runs devflow, as the end of its arguments, under other conditions. */
  readonly through?: readonly string[];
}

/** A repository with a configuration, if one is given, and devflow in it. */
export async function commandLine(
  workflow?: WorkflowDefinition,
  files: Readonly<Record<string, string>> = {},
): Promise<CommandLine> {
  const config =
    workflow === undefined ? {} : { 'devflow.config.json': JSON.stringify(workflow, undefined, 2) };
  const repository = await temporaryRepository({
    files: { 'README.md': '# A repository\n', ...config, ...files },
  });
  const start = (args: readonly string[], options: StartOptions = {}) =>
    startProgram([PROGRAM, ...args], repository, options);
  return {
    ...repository,
    start,
    devflow: (args, options) => start(args, options).finished,
    remove() {
      const left = processesOf(repository.home);
      for (const pid of left) endIfThere(pid);
      repository.remove();
      if (left.length > 0) throw new Error(`the test left processes behind: ${left.join(', ')}`);
    },
  };
}

function startProgram(
  args: readonly string[],
  { root, env }: TemporaryRepository,
  options: StartOptions,
): Started {
  const [program = '', ...rest] = [...(options.through ?? []), process.execPath, ...args];
  const child = spawn(program, rest, {
    cwd: options.cwd ?? root,
    env: { ...env, ...options.env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => undefined); // it may have ended without reading
  child.stdin.end(options.input ?? '');
  const finished = new Promise<Finished>((resolve) => {
    child.once('close', (code) => resolve({ code: code ?? undefined, stdout, stderr }));
  });
  return {
    child,
    finished,
    says: (text) =>
      until(
        () => (stdout + stderr).includes(text),
        () => `"${text}" in: ${stdout}${stderr}`,
      ),
  };
}

function endIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it went in between
  }
}

/** Waits for a condition. @param what is waited for, said where it never comes */
export async function until(condition: () => boolean, what: () => string): Promise<void> {
  const start = performance.now();
  while (!condition()) {
    if (performance.now() - start > 20_000) throw new Error(`never came: ${what()}`);
    await delay(10);
  }
}

/** Waits until whatever a test started is gone: what a run records last is not the last that it does. */
export function nobodyIsLeft(home: string): Promise<void> {
  return until(
    () => processesOf(home).length === 0,
    () => `the end of all processes: ${processesOf(home).join(', ')}`,
  );
}

/** Living processes whose HOME this is: whatever a test started, also indirectly. */
export function processesOf(home: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const isOurs = readFileSync(`/proc/${name}/environ`, 'latin1')
        .split('\0')
        .includes(`HOME=${home}`);
      return isOurs ? [Number(name)] : [];
    } catch {
      return []; // gone, or another user's
    }
  });
}

/** The run events of `--json`, and the result that is its last line. */
export function parseRun(stdout: string): { events: RunEvent[]; result: RunResult } {
  const lines = stdout.trimEnd().split('\n');
  const values = lines.map(
    (line) => JSON.parse(line) as RunEvent | (RunResult & { type: 'result' }),
  );
  const result = values.at(-1);
  if (result?.type !== 'result') throw new Error(`the last line is no result: ${lines.at(-1)}`);
  const events = values.slice(0, -1).filter((value): value is RunEvent => value.type !== 'result');
  return { events, result };
}
