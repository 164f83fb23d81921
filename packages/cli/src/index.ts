import type { Hooks, WorkflowDefinition } from '@devflow/core';

export { defineWorkflow } from '@devflow/core';
export type {
  Hook,
  HookFacts,
  Hooks,
  PhaseDefinition,
  ProfileDefinition,
  WorkflowDefinition,
} from '@devflow/core';

/** What a configuration in code exports by default: a workflow, and the code that it names. */
export type DevflowConfig = WorkflowDefinition & { readonly hooks?: Hooks };

/** Gives a configuration its type in an editor: `export default defineConfig({ … })`. */
export function defineConfig(config: DevflowConfig): DevflowConfig {
  return config;
}
