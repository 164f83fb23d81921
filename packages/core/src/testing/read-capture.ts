import type { AgentAdapter, AgentEvent, AgentResult, Clock } from '../adapter/index.js';
import { findAnswer } from '../evidence/answer.js';
import { judge } from '../judge/judge.js';
import type { Outcome, Reason } from '../state/records.js';

/** What an agent printed, and how it ended. */
export interface Capture {
  readonly stdout: string;
  /** Exit status as a shell sees it: 143 after SIGTERM. */
  readonly status: number;
  /** The prompt it was given: an echo of it is no answer. */
  readonly prompt?: string;
  readonly clock?: Clock;
}

/** How devflow reads it. */
export interface CaptureReading {
  /** The verdict in a review that requires nothing but a finished turn. */
  readonly outcome: Outcome;
  readonly reasons: readonly Reason[];
  readonly result: AgentResult;
  readonly events: readonly AgentEvent[];
  readonly completionSignal: boolean;
  readonly openCalls: number;
}

const CLOCK: Clock = { now: () => new Date('2026-03-10T12:00:00Z'), timeZone: 'UTC' };
/** A checkout in which nothing happened: what counts here is the agent's own word. */
const UNTOUCHED = {
  head: 'head',
  branch: 'branch',
  commits: [],
  onBranch: [],
  moved: false,
  uncommitted: [],
  underWay: undefined,
  descends: true,
  differs: false,
  errors: [],
};

/** Reads a captured output as a run would, with the adapter's parser, its completion signal and the judge. */
export function readCapture(adapter: AgentAdapter, capture: Capture): CaptureReading {
  const { stdout, status, prompt = '', clock = CLOCK } = capture;
  const parser = adapter.createParser?.(clock);
  const events = stdout.split('\n').flatMap((line) => parser?.line(line) ?? []);
  const result = parser?.result() ?? { turn: 'unknown' as const, finalText: stdout };
  const completionSignal = adapter.completionSignalDetected(stdout);
  const { outcome, reasons } = judge(
    {
      process: { end: 'exited', status },
      agent: { result, completionSignal, ...findAnswer(result.finalText ?? '', prompt) },
      git: UNTOUCHED,
      changedByReview: [],
    },
    [],
    { mode: 'review', evidence: [], branch: UNTOUCHED.branch },
  );
  const openCalls = parser?.openCalls() ?? 0;
  return { outcome, reasons, result, events, completionSignal, openCalls };
}
