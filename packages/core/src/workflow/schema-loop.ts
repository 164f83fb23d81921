import { z } from 'zod';
import { name, text } from './schema-words.js';

const loop = z.strictObject({
  goto: name.describe('The phase to go back to: this one or an earlier one.'),
  max: z
    .int('expected a whole number')
    .min(1, 'expected 1 or more')
    .describe('How often, over the whole run.'),
});

/** Where a phase sends the run back to, and whether it is done at all. */
export const routes = {
  onRejected: loop
    .optional()
    .describe(
      'Where the run goes, without retries in place, when an attempt at this phase is rejected; for gaps too where there is no onGaps.',
    ),
  onGaps: loop
    .optional()
    .describe('Where the run goes, without retries in place, when this phase finds gaps.'),
  onFailed: loop
    .optional()
    .describe(
      'Where the run goes once the retries are used up after failed, incomplete, no-change, crashed, timed-out or idle.',
    ),
  when: z
    .union([
      text,
      z.strictObject({ hook: text.describe('Name of a hook given beside the workflow.') }),
    ])
    .optional()
    .describe(
      'The phase is skipped where this is false: an expression (CEL) such as phases.plan.outcome == "completed", or a hook.',
    ),
};
