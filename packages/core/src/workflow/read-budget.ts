import { DevflowError } from '../errors.js';
import { type Budget, fillBudget } from './budget.js';
import { describeIssues } from './problems.js';
import { budgetSchema } from './schema-budget.js';

/** A budget that is given beside the workflow. @throws DevflowError OPTION_INVALID with every problem at once */
export function readBudget(given: unknown): Budget {
  const { success, data, error } = budgetSchema.safeParse(given);
  if (success) return fillBudget(data);
  const problems = describeIssues(error, budgetSchema, given);
  throw new DevflowError('OPTION_INVALID', 'budget: that is no budget', {
    problems,
    hint: 'Name one or more of usd, tokens and wallClock, such as `usd=5,tokens=200000,wallClock=2h`.',
  });
}
