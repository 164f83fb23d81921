import { cut } from './adapter/index.js';
import type { RunContext } from './context.js';
import type { Observation, ProtectedFacts } from './judge/observation.js';
import type { Verdict } from './judge/judge.js';
import { usageOf } from './session.js';
import type { Attempt } from './state/fold.js';
import type { CheckResult, Left, Protected } from './state/records.js';

/** How much of an agent's last words goes into the journal, and so into later prompts, in characters. */
const KEPT_TEXT = 20_000;

/** Writes what an attempt came to: once, whole, and on the disk before anything follows from it. */
export function record(
  context: RunContext,
  attempt: Attempt,
  { process, agent, git, protected: protectedFacts }: Observation,
  durationMs: number,
  checks: readonly CheckResult[],
  left: Left | undefined,
  { outcome, reasons }: Verdict,
): void {
  const { result, answer } = agent;
  const name = { phase: attempt.phase, attempt: attempt.attempt };
  // What is on another branch, or stands no longer on what was there, is not the run's.
  const isOurs = git.branch === context.definition.branch && git.descends === true;
  const commits = isOurs ? (git.onBranch ?? []) : [];
  const usage = usageOf(result, attempt, context.log.state);
  const cost = result.costUsd === undefined ? {} : { costUsd: result.costUsd };
  context.log.append({
    type: 'attempt-ended',
    ...name,
    outcome,
    reasons,
    commits,
    checks,
    durationMs,
    ...cost,
    ...(left !== undefined && Object.keys(left).length > 0 && { left }),
    ...(protectedFacts !== undefined && { protected: protectedWord(protectedFacts) }),
    ...(process.endedBy === 'fault' && { unwatched: true as const }),
    ...(git.head !== undefined && isOurs && { head: git.head }),
    ...(git.tree !== undefined && { tree: git.tree }),
    ...(process.status !== undefined && { status: process.status }),
    ...(answer !== undefined && { answer }),
    ...(result.finalText !== undefined && { text: cut(result.finalText, KEPT_TEXT) }),
    ...(result.sessionId !== undefined && { sessionId: result.sessionId }),
    ...(usage !== undefined && { usage }),
    ...(result.sessionUsage !== undefined && { sessionUsage: result.sessionUsage }),
    ...(result.failure?.resetsAt !== undefined && { resetsAt: result.failure.resetsAt }),
  });
  context.emit({ type: 'attempt-ended', ...name, outcome, reasons, commits, durationMs, ...cost });
}

function protectedWord(facts: ProtectedFacts): Protected {
  if ('unknown' in facts) return 'unknown';
  return facts.changed.length === 0 ? 'kept' : 'changed';
}
