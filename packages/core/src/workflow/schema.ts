import { z } from 'zod';
import { budgetSchema } from './schema-budget.js';
import { notify } from './schema-notify.js';
import { check, phase, phaseSettings } from './schema-phase.js';
import { profile } from './schema-profile.js';
import { name, text } from './schema-words.js';

/** What a user writes. All objects are strict: an unknown key is an error, never ignored. */

const SANDBOXES = ['none', 'own'] as const;

export const workflowSchema = z
  .strictObject({
    $schema: z.string().optional(),
    name: text.optional().describe('Name of the workflow.'),
    variables: z
      .record(name, z.string())
      .optional()
      .describe('Own values for prompts and for commands of checks: {{vars.name}}.'),
    defaults: z
      .strictObject(phaseSettings)
      .optional()
      .describe('Settings for phases that do not have their own.'),
    profiles: z.record(name, profile).optional(),
    worktree: z
      .strictObject({
        dir: text
          .optional()
          .describe('Where worktrees go; the state directory where it is left out.'),
        copy: z
          .array(text)
          .optional()
          .describe('Files git ignores, such as ".env", to copy into a new worktree.'),
        setup: z
          .array(check)
          .optional()
          .describe('Commands to run once in a new worktree, such as npm ci.'),
        keep: z
          .enum(['unfinished', 'always'])
          .optional()
          .describe(
            'unfinished: remove the worktree of a completed run that is clean. always: keep it.',
          ),
      })
      .optional(),
    branchPrefix: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'expected a plain word, such as "devflow"')
      .optional()
      .describe('First part of branch names; "devflow" where it is left out.'),
    sandbox: z
      .enum(SANDBOXES)
      .optional()
      .describe("Who confines the agent. none: nobody. own: the agent's own sandbox."),
    maxAttempts: z
      .int('expected a whole number')
      .min(1, 'expected 1 or more')
      .optional()
      .describe('Attempts over the whole run; a total that never resets; 20 where it is left out.'),
    budget: budgetSchema.optional().describe('What all attempts of the run may spend.'),
    notify: notify
      .optional()
      .describe('How persons are told that a run waits for them, has failed or is completed.'),
    phases: z
      .array(phase)
      .min(1, 'expected at least one phase')
      .describe('In the order in which they are done.'),
  })
  .describe('A devflow workflow: numbered phases, each done by a coding agent.');

/** A workflow as a user writes it. Data only: the schema refuses functions. */
export type WorkflowDefinition = z.input<typeof workflowSchema>;
export type PhaseDefinition = WorkflowDefinition['phases'][number];
export type SandboxName = (typeof SANDBOXES)[number];

/** What a configuration may say: without phases and a name it is settings for the standard workflow. */
const configurationSchema = workflowSchema.partial({ phases: true }).meta({
  description: workflowSchema.description,
  minProperties: 1,
  dependentRequired: { name: ['phases'] },
});

/** The JSON Schema of the configuration, for editors. */
export function workflowJsonSchema(): object {
  return z.toJSONSchema(configurationSchema, { io: 'input' });
}
