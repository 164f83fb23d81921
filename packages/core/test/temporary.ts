import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import {
  type TemporaryRepository,
  type TemporaryRepositoryOptions,
  temporaryRepository,
} from '../src/testing/index.js';

/** A directory of its own for the test that runs; gone when it has finished. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'devflow-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
}

/** A repository of its own for the test that runs; gone when it has finished. */
export async function repositoryForTest(
  options?: TemporaryRepositoryOptions,
): Promise<TemporaryRepository> {
  const repository = await temporaryRepository(options);
  onTestFinished(() => repository.remove());
  return repository;
}

/** A process that does not outlive the test. */
export function processForTest(
  program: string,
  args: readonly string[],
  options: SpawnOptions = {},
): ChildProcess & { readonly pid: number } {
  const child = spawn(program, args, { stdio: 'ignore', ...options });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await exitOf(child);
  });
  if (child.pid === undefined) throw new Error(`${program} could not be started`);
  return child as ChildProcess & { readonly pid: number };
}

export async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null)
    await new Promise((resolve) => child.once('exit', resolve));
  return child.exitCode;
}

/** What must be there for the test to make sense. */
export function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('it is not known');
  return value;
}

/** A zombie-to-be: a living process whose parent never looks after it. @returns its pid */
export async function neglectedProcess(): Promise<number> {
  const script = 'sleep 60 & echo $!; exec sleep 60';
  const parent = processForTest('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  const pid = Number(await new Promise((resolve) => parent.stdout?.once('data', resolve)));
  await until(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n'); // before, the shell would
  return pid;
}

/** Waits for a condition, never for time. */
export async function until<T>(condition: () => T | undefined | false): Promise<T> {
  const start = performance.now();
  for (;;) {
    const value = condition();
    if (value !== undefined && value !== false) return value;
    if (performance.now() - start > 20_000) expect.fail(`never came: ${condition.toString()}`);
    await delay(5);
  }
}
