import { findRepository } from './git/repository.js';
import type { CommonOptions } from './hold.js';
import { readDefinition } from './state/definition.js';
import { runPaths } from './state/paths.js';
import type { Workflow } from './workflow/workflow.js';

/**
 * The names of the adapters that a workflow's phases come to, each once: whoever gives adapters to a run needs
 * to load no others.
 *
 * @param asked in place of the agents that the phases name
 */
export function adapterNames(workflow: Workflow, asked?: readonly string[]): string[] {
  const agents = asked ?? workflow.phases.flatMap((phase) => phase.agents);
  return [...new Set(agents.map((name) => workflow.profiles[name]?.adapter ?? name))];
}

/** The same of a run that was begun. @throws DevflowError RUN_NOT_FOUND, STATE_UNREADABLE, JOURNAL_NEWER */
export async function adapterNamesOf(
  runId: string,
  { cwd, env }: CommonOptions,
): Promise<string[]> {
  const { commonDir } = await findRepository(cwd, env);
  return adapterNames(readDefinition(runPaths(commonDir, runId).definition, runId).workflow);
}
