import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DevflowError } from '../../errors.js';
import type { CaseContext, ConformanceCase, Finding } from './case.js';
import { endProcessesIn } from './leftovers.js';
import { type CaseResult, type ConformanceReport, type SubjectFacts, reportOf } from './report.js';

export interface ConformanceSuite<Subject> {
  readonly name: string;
  readonly cases: readonly ConformanceCase<Subject>[];
}

export interface SuiteOptions {
  /** Only the case of this name. */
  readonly only?: string;
  /** What a case may take at the most, also where its own deadline is later. */
  readonly deadlineMs?: number;
  /** Before the first case. */
  readonly onFacts?: (facts: SubjectFacts) => void;
  /** Before a case begins. */
  readonly onCase?: (name: string) => void;
  readonly onResult?: (result: CaseResult) => void;
  /** Ends the case under way, which is then an ERROR; no other is begun. */
  readonly signal?: AbortSignal | undefined;
  /** How long a case may take to notice that its deadline has passed, and a cleanup to do its work; 10 s where it is left out, and half of `deadlineMs` at the most. */
  readonly graceMs?: number;
}

const DEADLINE_MS = 30_000;
const GRACE_MS = 10_000;

/** How long a case may take, or what is done before the first one; and what it may take to come to its end then. */
export function timesOf(
  { deadlineMs: most = Infinity, graceMs }: Pick<SuiteOptions, 'deadlineMs' | 'graceMs'>,
  own = DEADLINE_MS,
): { readonly deadlineMs: number; readonly graceMs: number } {
  return { deadlineMs: Math.min(own, most), graceMs: graceMs ?? Math.min(GRACE_MS, most / 2) };
}

/** @throws DevflowError OPTION_INVALID where `only` names no case */
export function casesAsked<Subject>(
  { name, cases }: ConformanceSuite<Subject>,
  only: string | undefined,
): readonly ConformanceCase<Subject>[] {
  const asked = only === undefined ? cases : cases.filter((one) => one.name === only);
  if (asked.length > 0) return asked;
  throw new DevflowError('OPTION_INVALID', `the suite "${name}" has no case "${only}"`, {
    hint: `Its cases are: ${cases.map((one) => one.name).join(', ')}.`,
  });
}

/** Asks a subject every case, one after the other. @throws DevflowError OPTION_INVALID where `only` names no case */
export async function runSuite<Subject>(
  suite: ConformanceSuite<Subject>,
  subject: Subject,
  facts: SubjectFacts,
  options: SuiteOptions = {},
): Promise<ConformanceReport> {
  const { only, onFacts, onCase, onResult, signal } = options;
  const asked = casesAsked(suite, only);
  const results: CaseResult[] = [];
  const interrupted = interruption(signal);
  onFacts?.(facts);
  for (const one of asked) {
    if (signal?.aborted === true) break;
    onCase?.(one.name);
    const limits = { interrupted, ...timesOf(options, one.deadlineMs) };
    const result = await runCase(one, subject, limits);
    results.push(result);
    onResult?.(result);
  }
  return reportOf(suite.name, facts, results);
}

interface Limits {
  /** Rejects when the suite is interrupted. */
  readonly interrupted: Promise<never>;
  readonly deadlineMs: number;
  readonly graceMs: number;
}

async function runCase<Subject>(
  one: ConformanceCase<Subject>,
  subject: Subject,
  limits: Limits,
): Promise<CaseResult> {
  const start = performance.now();
  const evidence: string[] = [];
  let finding: Finding;
  try {
    const unsupported = one.unsupported?.(subject);
    finding =
      unsupported === undefined
        ? await runInDirectory(one, subject, (seen) => evidence.push(seen), limits)
        : { verdict: 'UNSUPPORTED', summary: unsupported };
  } catch (error) {
    finding = { verdict: 'ERROR', summary: wordsOf(error) };
  }
  return { name: one.name, ...finding, evidence, durationMs: performance.now() - start };
}

async function runInDirectory<Subject>(
  { run }: ConformanceCase<Subject>,
  subject: Subject,
  observe: CaseContext<Subject>['observe'],
  { interrupted, deadlineMs, graceMs }: Limits,
): Promise<Finding> {
  const directory = mkdtempSync(path.join(realpathSync(os.tmpdir()), 'devflow-conformance-'));
  const cleanups: (() => Promise<void> | void)[] = [];
  const over = new AbortController();
  const onCleanup = (cleanup: () => Promise<void> | void) => void cleanups.push(cleanup);
  const context = { subject, directory, signal: over.signal, observe, onCleanup };
  const running = Promise.resolve(context).then(run);
  try {
    return await Promise.race([
      within(deadlineMs, running, deadlinePassed(deadlineMs)),
      interrupted,
    ]);
  } finally {
    over.abort();
    await within(graceMs, running, '').catch(() => undefined); // its verdict is in already
    try {
      await cleanUp(cleanups, graceMs);
    } finally {
      await removeDirectory(directory, observe);
    }
  }
}

/** Rejects when the suite is interrupted, if ever: a case is raced with it. */
function interruption(signal: AbortSignal | undefined): Promise<never> {
  const rejects = new Promise<never>((_, reject) => {
    const interrupt = () => reject(new Error('the suite was interrupted'));
    signal?.addEventListener('abort', interrupt, { once: true });
  });
  rejects.catch(() => undefined); // between two cases nobody waits for it
  return rejects;
}

/** Every cleanup is tried; what went wrong is thrown when all have been. */
async function cleanUp(
  cleanups: readonly (() => Promise<void> | void)[],
  graceMs: number,
): Promise<void> {
  const failures: unknown[] = [];
  for (const cleanup of cleanups.toReversed()) {
    const done = Promise.resolve().then(cleanup);
    await within(graceMs, done, 'it did not end').catch((error) => failures.push(error));
  }
  if (failures.length > 0) throw new Error(`cleaning up: ${failures.map(wordsOf).join('; ')}`);
}

async function removeDirectory(
  directory: string,
  observe: (evidence: string) => void,
): Promise<void> {
  const ended = await endProcessesIn(directory);
  if (ended > 0) observe(`processes that were left and had to be ended: ${ended}`);
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}

export function deadlinePassed(deadlineMs: number): string {
  return `the deadline of ${deadlineMs / 1000} s passed`;
}

export async function within<T>(limitMs: number, work: Promise<T>, otherwise: string): Promise<T> {
  const ended = new AbortController();
  const limit = delay(limitMs, undefined, { signal: ended.signal }).then(() => {
    throw new Error(otherwise);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    limit.catch(() => undefined); // it is called off now
    ended.abort();
  }
}

/** Of whatever was thrown: also of what throws when it is looked at. */
export function wordsOf(error: unknown): string {
  try {
    const words: unknown = error instanceof Error ? error.message : error; // it may be set to anything
    return String(words);
  } catch {
    return 'something was thrown that has no words';
  }
}
