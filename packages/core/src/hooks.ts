import { createHash } from 'node:crypto';
import type { Problem } from './adapter/index.js';
import { DevflowError } from './errors.js';
import { hookProblems } from './workflow/unknown-names.js';
import type { Workflow } from './workflow/workflow.js';

/** What a hook is told. */
export interface HookFacts {
  readonly runId: string;
  readonly task: string;
  readonly phase: { readonly id: number; readonly name: string };
  /** The run's worktree, or the repository's root where there is none yet. */
  readonly cwd: string;
}

/** In a preflight what stands in the way, if anything does; for `when` whether the phase is to be done, and why or why not. */
export type HookAnswer =
  | readonly (Omit<Problem, 'hint'> & Partial<Pick<Problem, 'hint'>>)[]
  | undefined
  | boolean
  | { readonly run: boolean; readonly reason?: string };

/** Code given by name beside the workflow. Throwing is a problem too. */
export type Hook = (facts: HookFacts) => Promise<HookAnswer> | HookAnswer;
export type Hooks = Readonly<Record<string, Hook>>;

export function hookNames(workflow: Workflow): string[] {
  const items = workflow.phases.flatMap(({ preflight, when }) => [
    ...preflight,
    ...(typeof when === 'object' ? [when] : []),
  ]);
  return [...new Set(items.flatMap((item) => ('hook' in item ? [item.hook] : [])))];
}

/** Each hook that the workflow refers to and nobody gave. */
export function missingHooks(workflow: Workflow, hooks: Hooks): string[] {
  return hookProblems(hookNames(workflow), Object.keys(hooks));
}

/** @throws DevflowError HOOK_MISSING naming every hook that the workflow refers to and nobody gave */
export function requireHooks(workflow: Workflow, hooks: Hooks): void {
  const problems = missingHooks(workflow, hooks);
  if (problems.length > 0)
    throw new DevflowError('HOOK_MISSING', 'the workflow refers to hooks that are not there', {
      problems,
    });
}

/** The source of each hook in use as a hash, to notice a change between start and resume. */
export function hashHooks(workflow: Workflow, hooks: Hooks): Record<string, string> {
  const hash = (name: string) => createHash('sha256').update(String(hooks[name])).digest('hex');
  return Object.fromEntries(hookNames(workflow).map((name) => [name, hash(name)]));
}
