import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { followLines } from '../../process/follow.js';
import { type WatchedEnd, runWatched } from '../../process/watched.js';
import type { ConformanceCase } from './case.js';
import { endProcessesIn } from './leftovers.js';
import { type CaseResult, type ConformanceReport, reportOf } from './report.js';
import { type Said, readSaid, throwRefused } from './said.js';
import {
  type ConformanceSuite,
  type SuiteOptions,
  casesAsked,
  deadlinePassed,
  timesOf,
  wordsOf,
} from './suite.js';

/** How a subject is asked in a process of its own. */
export interface ApartOptions extends Pick<
  SuiteOptions,
  'only' | 'deadlineMs' | 'onCase' | 'signal'
> {
  /** Starts the process; the path of its file and its options as JSON are added. */
  readonly command: readonly string[];
  /** Name of the subject, until it says its own. */
  readonly name: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the process prints. */
  readonly onOutput: (text: string) => void;
}

/**
 * Asks a subject in a process of its own, and outlives whatever it does there: a case that does not end by its
 * deadline and a process that ends before its time are an ERROR, and so is every case that could not be asked
 * any more.
 *
 * @throws DevflowError OPTION_INVALID where `only` names no case; what the process refuses
 */
export async function runSuiteApart<Subject>(
  suite: ConformanceSuite<Subject>,
  { command, cwd, env, onOutput, signal, ...options }: ApartOptions,
): Promise<ConformanceReport> {
  const asked = casesAsked(suite, options.only);
  const directory = mkdtempSync(path.join(realpathSync(os.tmpdir()), 'devflow-conformance-'));
  const file = path.join(directory, 'said.jsonl');
  writeFileSync(file, '');
  const progress = followProgress(file, asked, options);
  const printed = keepLastLines();
  const { only, deadlineMs } = options;
  let end: WatchedEnd;
  let left: string | undefined;
  try {
    end = await runWatched([...command, file, JSON.stringify({ only, deadlineMs })], {
      cwd,
      env: { ...env, TMPDIR: directory },
      onOutput: (text) => {
        printed.add(text);
        onOutput(text);
      },
      isOver: () => signal?.aborted === true || progress.isLate(),
    });
    progress.look();
  } finally {
    progress.close();
    left = await cleanUp(directory);
  }
  const said = progress.said();
  throwRefused(said);
  const why = signal?.aborted === true ? 'the suite was interrupted' : whyEnded(end, progress);
  const results = completed(asked, progress, why, printed.lines());
  const facts = said.facts ?? { subject: options.name, capabilities: {} };
  return reportOf(suite.name, facts, [
    ...results,
    ...leftBehind(progress, asked.length, end, left),
  ]);
}

/** What is known of the process from what it said. */
interface Progress {
  readonly results: readonly CaseResult[];
  /** The last of each kind: its `begun` is the case under way, or the last one. */
  said(): Said;
  /** What it does now may take this long; there is more time for coming to an end. */
  deadlineMs(): number;
  /** How long it has been at it. */
  tookMs(): number;
  /** Reads what it has said since. */
  look(): void;
  /** Looks, and says whether what it does now takes too long. */
  isLate(): boolean;
  close(): void;
}

function followProgress<Subject>(
  file: string,
  asked: readonly ConformanceCase<Subject>[],
  options: Pick<ApartOptions, 'deadlineMs' | 'onCase'>,
): Progress {
  const results: CaseResult[] = [];
  let said: Said = {};
  let since = performance.now();
  const lines = followLines(file, (line) => {
    const { result, ...more } = readSaid(line);
    if (result !== undefined) results.push(result);
    said = { ...said, ...more };
    since = performance.now();
    if (more.begun !== undefined) options.onCase?.(more.begun);
  });
  const times = () => timesOf(options, asked.find(({ name }) => name === said.begun)?.deadlineMs);
  const look = () => void lines.read(Infinity);
  return {
    results,
    said: () => said,
    deadlineMs: () => times().deadlineMs,
    tookMs: () => performance.now() - since,
    look,
    isLate() {
      look();
      const { deadlineMs, graceMs } = times();
      // Twice: it may have to notice the deadline, and to clean up then.
      return this.tookMs() > deadlineMs + 2 * graceMs;
    },
    close: () => lines.close(),
  };
}

function whyEnded({ how }: WatchedEnd, progress: Progress): string {
  if (how === undefined) return deadlinePassed(progress.deadlineMs());
  return `the adapter ended the process (${how})`;
}

/** All that was asked: a case without a result is an ERROR, the one that was under way by its own fault. */
function completed<Subject>(
  asked: readonly ConformanceCase<Subject>[],
  progress: Progress,
  why: string,
  printed: readonly string[],
): readonly CaseResult[] {
  const { results } = progress;
  const { begun, facts } = progress.said();
  const missing = asked.filter(({ name }) => results.every((result) => result.name !== name));
  const before = facts === undefined ? 'loaded' : 'asked for its command and its version';
  const where = begun === undefined ? `while it was ${before}` : `in ${begun}`;
  const errors = missing.map(({ name }, index) => ({
    name,
    verdict: 'ERROR' as const,
    summary: name === begun ? why : `not asked: ${why} ${where}`,
    evidence: index === 0 ? printed.map((line) => `it printed: ${line}`) : [],
    durationMs: name === begun ? progress.tookMs() : 0,
  }));
  return [...results, ...errors];
}

/** Promises that no case can ask for, because they are about what is there when all have been asked. */
function leftBehind(
  { results }: Progress,
  asked: number,
  end: WatchedEnd,
  left: string | undefined,
): CaseResult[] {
  const one = { name: 'leaves-nothing', evidence: [], durationMs: 0 };
  if (left !== undefined) return [{ ...one, verdict: 'ERROR', summary: `cleaning up: ${left}` }];
  // Where cases are missing they could not clean up: that says nothing of the adapter.
  if (end.left === 0 || results.length < asked) return [];
  const summary = `processes that the adapter had started, and that had to be ended: ${end.left}`;
  return [{ ...one, verdict: 'FAIL', summary }];
}

/** @returns what could not be done */
async function cleanUp(directory: string): Promise<string | undefined> {
  try {
    await endProcessesIn(directory);
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    return undefined;
  } catch (error) {
    return wordsOf(error);
  }
}

const KEEP_LINES = 5;

/** The last lines that say something; where an error was thrown is no news. */
function keepLastLines(): { add(text: string): void; lines(): string[] } {
  let kept = '';
  return {
    add: (text) => (kept = (kept + text).slice(-10_000)),
    lines: () =>
      kept
        .split('\n')
        .filter((line) => line.trim() !== '' && !/^\s+at |^Node\.js v/.test(line))
        .slice(-KEEP_LINES),
  };
}
