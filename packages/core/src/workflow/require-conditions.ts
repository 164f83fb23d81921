import { type Workflow, invalid } from './workflow.js';

/** Loads the evaluator only where there is something for it. @throws DevflowError CONFIG_INVALID with each expression that is none */
export async function requireConditions(workflow: Workflow): Promise<void> {
  if (!workflow.phases.some(({ when }) => typeof when === 'string')) return;
  const { conditionProblems } = await import('./condition.js');
  const problems = conditionProblems(workflow);
  if (problems.length > 0) throw invalid('workflow', problems);
}
