import { type Agents, budgetProblems } from '../agents.js';
import { overBudget, phasesOverBudget, runBudget } from './budget.js';
import { DevflowError } from '../errors.js';
import { decide } from '../policy/policy.js';
import type { RunDefinition } from '../state/definition.js';
import { type RunState, fold } from '../state/fold.js';
import { ownHolder } from '../state/lock.js';
import { type BudgetGiven, JOURNAL_VERSION } from '../state/records.js';
import type { Budget } from '../workflow/budget.js';

/**
 * A person's word on what more a run may spend, as it is journalled. Changes nothing.
 * @throws DevflowError OPTION_INVALID where its agents cannot keep to it, or where it is spent already
 */
export function budgetGiven(
  { workflow, range }: RunDefinition,
  agents: Agents,
  state: RunState,
  limit: Budget,
): BudgetGiven {
  const budget = { limit, phases: phasesOverBudget(workflow, state) };
  const resumed = { type: 'run-resumed', holder: ownHolder(), budget } as const;
  const after = fold([{ v: JOURNAL_VERSION, seq: 0, at: '', ...resumed }], state);
  const asked = runBudget(workflow, after);
  const problems = budgetProblems({ ...workflow, ...(asked && { budget: asked }) }, agents);
  if (problems.length > 0)
    throw new DevflowError('OPTION_INVALID', 'budget: its agents cannot keep to it', { problems });
  const step = decide(workflow, range, after, Date.now());
  const reason =
    step.do === 'adopt'
      ? overBudget(workflow, step.phase, after)
      : step.do === 'end' && step.overBudget === true
        ? step.reason
        : undefined;
  if (reason !== undefined)
    throw new DevflowError('OPTION_INVALID', `budget: ${reason}`, {
      hint: 'Allow more than that in all: it counts from the beginning of the run.',
    });
  return budget;
}
