import type { Agents } from './agents.js';
import { DevflowError } from './errors.js';
import { type Hooks, hashHooks } from './hooks.js';
import type { RunDefinition } from './state/definition.js';
import type { Workflow } from './workflow/workflow.js';

/**
 * The local code that a run uses, as hashes by what it is: hooks, and adapters that stand for files of the
 * user. It is not kept in the run; a change between start and resume is to be noticed.
 */
export function hashCode(workflow: Workflow, hooks: Hooks, agents: Agents): Record<string, string> {
  const adapters = [...agents.values()].flat().map(({ adapter }) => adapter);
  return Object.fromEntries([
    ...Object.entries(hashHooks(workflow, hooks)).map(([name, hash]) => [`hook ${name}`, hash]),
    ...adapters.flatMap(({ name, source }) =>
      source === undefined ? [] : [[`adapter ${name}`, source.hash]],
    ),
  ]) as Record<string, string>; // pairs of two texts, by the lines above
}

/** @throws DevflowError CODE_CHANGED naming all that is not what it was when the run began */
export function requireSameCode(
  { codeHashes }: RunDefinition,
  now: Readonly<Record<string, string>>,
): void {
  const names = new Set([...Object.keys(codeHashes), ...Object.keys(now)]);
  const changed = [...names].filter((name) => codeHashes[name] !== now[name]);
  if (changed.length === 0) return;
  throw new DevflowError(
    'CODE_CHANGED',
    `code of yours has changed since the run began: ${changed.join(', ')}`,
  );
}
