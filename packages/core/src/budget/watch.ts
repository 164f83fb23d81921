import { readResult } from '../observe/agent-result.js';
import type { Agent } from '../agents.js';
import { overBudget, phaseBudget, runBudget, tokensOf } from './budget.js';
import type { RunContext } from '../context.js';
import { usageOf } from '../session.js';
import type { Attempt } from '../state/fold.js';
import type { Phase } from '../workflow/workflow.js';

/**
 * Looks while an attempt runs whether a budget is used up: by devflow's clock, and by what the agent has stated
 * so far where it states that live. A turn that is over is judged as it is: what it cost is paid.
 * @returns why it is to be ended, if it is
 */
export function watchBudget(
  { definition, log }: Pick<RunContext, 'definition' | 'log'>,
  phase: Phase,
  { adapter }: Agent,
  attempt: Attempt,
): (soFar: () => unknown) => string | undefined {
  const { workflow } = definition;
  const { state } = log; // nothing is recorded before the attempt has ended
  if ((runBudget(workflow, state) ?? phaseBudget(phase, state)) === undefined)
    return () => undefined;
  const { tokens: whenTokens, usd: whenUsd } = adapter.capabilities.usage ?? {};
  const before = Math.max(0, Date.now() - Date.parse(attempt.startedAt)); // where another devflow began it
  const start = performance.now();
  let found: string | undefined;
  return (soFar) => {
    if (found !== undefined) return found;
    const result = readResult(soFar());
    if (result.turn === 'finished' || result.turn === 'failed') return undefined;
    const tokens = whenTokens === 'live' ? tokensOf(usageOf(result, attempt, state)) : undefined;
    const usd = whenUsd === 'live' ? result.costUsd : undefined;
    found = overBudget(workflow, phase, state, {
      wallClockMs: before + performance.now() - start,
      ...(tokens !== undefined && { tokens }),
      ...(usd !== undefined && { usd }),
    });
    return found;
  };
}
