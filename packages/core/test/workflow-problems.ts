import { DevflowError } from '../src/errors.js';
import { resolveWorkflow } from '../src/workflow/workflow.js';

export const plan = { id: 1, name: 'plan', prompt: 'Plan {{task}}.' };
export const code = { id: 2, name: 'code', prompt: 'Code it.' };

/** What is wrong with a workflow; nothing where it can be used. */
export function problemsOf(definition: unknown, dir = '/nonexistent'): readonly string[] {
  try {
    resolveWorkflow(definition, dir, 'devflow.config.ts');
    return [];
  } catch (error) {
    if (error instanceof DevflowError && error.code === 'CONFIG_INVALID') return error.problems;
    throw error;
  }
}
