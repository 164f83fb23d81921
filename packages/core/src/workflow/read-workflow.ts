import { DevflowError } from '../errors.js';
import { asFields, asList } from './judgeable.js';
import { ruleProblems } from './rules.js';
import { type KnownNames, unknownNames } from './unknown-names.js';
import { type Workflow, invalid, resolveBy } from './workflow.js';

/**
 * The same as `resolveWorkflow`, with the expressions of `when`: their evaluator is loaded only where there are some.
 *
 * @param known names for what stands beside the workflow; where something is wrong, the ones that are not known are told with it
 * @throws DevflowError CONFIG_INVALID with every problem at once
 */
export async function readWorkflow(
  definition: unknown,
  dir: string,
  known: KnownNames,
  source = 'workflow',
): Promise<Workflow> {
  const hasConditions = asList(asFields(definition)['phases']).some(
    (phase) => typeof asFields(phase)['when'] === 'string',
  );
  const conditions = hasConditions ? await import('./condition.js') : undefined;
  const rules = (workflow: Workflow) => [
    ...ruleProblems(workflow),
    ...(conditions?.conditionProblems(workflow) ?? []),
  ];
  try {
    return resolveBy(rules, definition, dir, source);
  } catch (error) {
    if (!(error instanceof DevflowError)) throw error;
    throw invalid(source, [...error.problems, ...(await unknownNames(definition, known))]);
  }
}
