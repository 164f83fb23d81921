import type { WorkflowDefinition } from '../workflow/schema.js';
import { fixWorkflow } from './fix.js';
import { loopWorkflow } from './loop.js';
import { reviewWorkflow } from './review.js';
import { standardWorkflow } from './standard.js';

/** The workflows that come with devflow, by name. They name no agent. */
export const WORKFLOWS = {
  standard: standardWorkflow,
  review: reviewWorkflow,
  fix: fixWorkflow,
  loop: loopWorkflow,
} as const satisfies Readonly<Record<string, WorkflowDefinition>>;
