import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DevflowError } from '../../errors.js';
import type { CaseContext, ConformanceCase, Finding } from './case.js';
import { endProcessesIn } from './leftovers.js';
import { type CaseResult, type ConformanceReport, countVerdicts } from './report.js';

export interface ConformanceSuite<Subject> {
  readonly name: string;
  readonly cases: readonly ConformanceCase<Subject>[];
}

/** What the report says of the subject. */
export type SubjectFacts = Pick<ConformanceReport, 'subject' | 'capabilities'> &
  Partial<Pick<ConformanceReport, 'versions'>>;

export interface SuiteOptions {
  /** Only the case of this name. */
  readonly only?: string;
  /** Before a case begins. */
  readonly onCase?: (name: string) => void;
  readonly onResult?: (result: CaseResult) => void;
  /** Ends the case under way, which is then an ERROR; no other is begun. */
  readonly signal?: AbortSignal | undefined;
  /** How long a case may take to notice that its deadline has passed, and a cleanup to do its work; 10 s where it is left out. */
  readonly graceMs?: number;
}

const DEADLINE_MS = 30_000;
const GRACE_MS = 10_000;

/** Asks a subject every case, one after the other. @throws DevflowError OPTION_INVALID where `only` names no case */
export async function runSuite<Subject>(
  { name, cases }: ConformanceSuite<Subject>,
  subject: Subject,
  facts: SubjectFacts,
  { only, onCase, onResult, signal, graceMs = GRACE_MS }: SuiteOptions = {},
): Promise<ConformanceReport> {
  const asked = only === undefined ? cases : cases.filter((one) => one.name === only);
  if (asked.length === 0) {
    throw new DevflowError('OPTION_INVALID', `the suite "${name}" has no case "${only}"`, {
      hint: `Its cases are: ${cases.map((one) => one.name).join(', ')}.`,
    });
  }
  const results: CaseResult[] = [];
  const limits = { interrupted: interruption(signal), graceMs };
  for (const one of asked) {
    if (signal?.aborted === true) break;
    onCase?.(one.name);
    const result = await runCase(one, subject, limits);
    results.push(result);
    onResult?.(result);
  }
  return {
    suite: name,
    subject: facts.subject,
    capabilities: facts.capabilities,
    platform: `${os.platform()} ${os.release()} ${os.arch()}`,
    versions: { node: process.versions.node, devflow: ownVersion(), ...facts.versions },
    counts: countVerdicts(results),
    cases: results,
  };
}

interface Limits {
  /** Rejects when the suite is interrupted. */
  readonly interrupted: Promise<never>;
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
  { run, deadlineMs = DEADLINE_MS }: ConformanceCase<Subject>,
  subject: Subject,
  observe: CaseContext<Subject>['observe'],
  { interrupted, graceMs }: Limits,
): Promise<Finding> {
  const directory = mkdtempSync(path.join(realpathSync(os.tmpdir()), 'devflow-conformance-'));
  const cleanups: (() => Promise<void> | void)[] = [];
  const over = new AbortController();
  const onCleanup = (cleanup: () => Promise<void> | void) => void cleanups.push(cleanup);
  const context = { subject, directory, signal: over.signal, observe, onCleanup };
  const running = Promise.resolve(context).then(run);
  try {
    const deadline = `the deadline of ${deadlineMs / 1000} s passed`;
    return await Promise.race([within(deadlineMs, running, deadline), interrupted]);
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

async function within<T>(limitMs: number, work: Promise<T>, otherwise: string): Promise<T> {
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

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function ownVersion(): string {
  const file = new URL('../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version; // our own package
}
