import type { Step } from '../src/policy/step.js';
import { decide } from '../src/policy/policy.js';
import { fold } from '../src/state/fold.js';
import type { RecordBody } from '../src/state/records.js';
import { journalOf, phaseOf, started, workflowOf } from './journal-of.js';

export const plan = phaseOf(1, 'plan', { retries: 2 });
export const code = phaseOf(2, 'code', { retries: 1 });
export const validate = phaseOf(5, 'validate', {
  mode: 'review',
  requires: ['answer', 'verdict'],
  onGaps: { goto: 'code', max: 2 },
  retries: 0,
});
/** The last of its phases judges, and may send back to the one before. */
export const workflow = workflowOf([plan, code, validate]);
export const whole = { first: 1, last: 5 };

/** What is decided for this workflow after these records. */
export const after = (...bodies: RecordBody[]): Step =>
  decide(workflow, whole, fold(journalOf(started, ...bodies)), 0);
