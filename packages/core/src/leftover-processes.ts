import { DevflowError } from './errors.js';
import { endHelpers } from './process/helpers.js';
import type { ProcessEntry } from './process/identity.js';

/** @param whose `the attempt`, `the run "x"` */
export function leftoverProcesses(
  whose: string,
  left: readonly ProcessEntry[],
  options: ErrorOptions = {},
): DevflowError {
  const pids = left.map(({ pid }) => pid).join(', ');
  const message = `processes of ${whose} cannot be ended: ${pids}`;
  return new DevflowError('LEFTOVER_PROCESSES', message, options);
}

/** Ends what a dead devflow has left at work for a run. @throws DevflowError LEFTOVER_PROCESSES */
export async function endAllHelpers(runDirectory: string, runId: string): Promise<void> {
  const left = await endHelpers(runDirectory);
  if (left.length > 0) throw leftoverProcesses(`the run "${runId}"`, left);
}
