import { DevflowError } from './errors.js';
import type { ProcessEntry } from './process/identity.js';

/** @param whose `the attempt`, `the run "x"` */
export function leftoverProcesses(whose: string, left: readonly ProcessEntry[]): DevflowError {
  const pids = left.map(({ pid }) => pid).join(', ');
  return new DevflowError('LEFTOVER_PROCESSES', `processes of ${whose} cannot be ended: ${pids}`);
}
