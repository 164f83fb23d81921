import type { RunContext } from '../context.js';
import type { Phase } from '../workflow/workflow.js';
import { inTime } from './in-time.js';

/** A hook that never answers would keep the run waiting for ever. */
const HOOK_LIMIT_MS = 5 * 60_000;

/** What a hook says of a phase: it can be anything. Rejects where it throws, takes too long, or the run is stopped. */
export async function askHook(
  { hooks, definition, stop }: Pick<RunContext, 'definition' | 'hooks' | 'stop'>,
  { id, name }: Phase,
  hook: string,
  cwd: string,
): Promise<unknown> {
  const facts = { runId: definition.id, task: definition.task, phase: { id, name }, cwd };
  return inTime<unknown>(hooks[hook]?.(facts), HOOK_LIMIT_MS, stop);
}
