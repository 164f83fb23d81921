import type { AgentEventParser } from './contract.js';
import type { Clock } from './reset-time.js';

/** Where no time is asked for. */
const NO_CLOCK: Clock = { now: () => new Date(0), timeZone: 'UTC' };

/** Does the output end with a turn that its parser calls finished? For `completionSignalDetected`. */
export function finishes(
  output: string,
  createParser: (clock: Clock) => AgentEventParser,
): boolean {
  const parser = createParser(NO_CLOCK);
  for (const line of output.split('\n')) parser.line(line);
  return parser.result().turn === 'finished';
}
