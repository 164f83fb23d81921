import { type AgentResult, type Usage, usageSince } from './adapter/index.js';
import type { Agent } from './agents.js';
import { UNFINISHED } from './policy/consequence.js';
import type { Attempt, RunState, Visit } from './state/fold.js';
import { allAttempts } from './state/selectors.js';
import type { Phase } from './workflow/workflow.js';

/** A turn that stopped early goes on in its own session, where the agent can do that. */
export function sessionToContinue(
  { adapter, name }: Agent,
  phase: Phase,
  visit: Visit | undefined,
): string | undefined {
  const last = visit?.attempts.at(-1);
  if (last?.ended === undefined || visit?.phase !== phase.id || last.agent !== name)
    return undefined;
  if (phase.mode === 'review' || adapter.capabilities.continue !== true) return undefined;
  return UNFINISHED.has(last.ended.outcome) ? last.ended.sessionId : undefined;
}

/**
 * What an attempt used by itself. Where the agent states the sum of its session, what earlier attempts had
 * used is taken off; unknown where the attempt before left no sum.
 */
export function usageOf(
  { usage, sessionUsage }: AgentResult,
  attempt: Attempt,
  state: RunState,
): Usage | undefined {
  if (sessionUsage === undefined || attempt.continues === undefined) return usage ?? sessionUsage;
  const before = allAttempts(state).findLast(({ ended }) => ended?.sessionId === attempt.continues);
  const earlier = before?.ended?.sessionUsage;
  return earlier === undefined ? undefined : usageSince(sessionUsage, earlier);
}
