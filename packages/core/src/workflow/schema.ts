import { z } from 'zod';
import { RETRIES } from './retries.js';
import { parseDuration, parseSize } from './units.js';

/** What a user writes. All objects are strict: an unknown key is an error, never ignored. */

const text = z.string().trim().min(1, 'expected a text that is not empty');
const duration = z
  .string()
  .refine(
    (value) => parseDuration(value) !== undefined,
    'expected a duration such as "90s", "20m" or "2h"',
  );
const size = z
  .string()
  .refine((value) => parseSize(value) !== undefined, 'expected a size such as "200MB" or "1GB"');
const argv = z
  .array(z.string())
  .min(1, 'expected a program and its arguments, such as ["npm", "test"]')
  .refine((words) => words[0] !== '', 'expected the first word to name a program');
const name = z
  .string()
  .regex(/^[a-z][a-z0-9-]*$/, 'expected a name of lower-case letters, digits and hyphens');

const SANDBOXES = ['none', 'own'] as const;
export const EVIDENCE = ['commit', 'clean', 'marker', 'verdict', 'checks'] as const;

const check = z.strictObject({
  name: text.optional().describe('What to call it; the command where it is left out.'),
  command: argv.describe('Program and arguments; no shell is involved.'),
  timeout: duration.optional().describe('Time limit; "10m" where it is left out.'),
});

const preflightCommand = z.strictObject({
  name: text.optional().describe('What to call it; the command where it is left out.'),
  command: argv.describe('Must exit 0 before the phase may begin.'),
  hint: text.optional().describe('What to do where it fails.'),
  timeout: duration.optional().describe('Time limit; "1m" where it is left out.'),
});
const preflightHook = z.strictObject({
  hook: text.describe('Name of a hook given beside the workflow.'),
});

export const budgetSchema = z
  .strictObject({
    usd: z
      .number()
      .positive('expected more than 0')
      .optional()
      .describe('US dollars, as the agents state them.'),
    tokens: z
      .int('expected a whole number')
      .min(1, 'expected 1 or more')
      .optional()
      .describe('Tokens of every kind together: input, output, from the cache and into it.'),
    wallClock: duration.optional().describe('Time that attempts take, added up; no waits.'),
    enforce: z
      .enum(['live', 'between-attempts'])
      .optional()
      .describe(
        'between-attempts: agents may be asked too that state what they used only at the end of a turn, and so can go over within it.',
      ),
  })
  .refine(
    ({ usd, tokens, wallClock }) => (usd ?? tokens ?? wallClock) !== undefined,
    'expected one or more of usd, tokens and wallClock',
  );

const phaseSettings = {
  agent: z
    .union([text, z.array(text).min(1, 'expected at least one agent')])
    .optional()
    .describe(
      'Name of a profile or an adapter; or several: the next one is asked where one cannot begin, is not logged in, or has reached its limit.',
    ),
  model: text.optional().describe('Model, in the words of the agent.'),
  effort: text.optional().describe('How hard to think, in the words of the agent.'),
  timeout: duration
    .optional()
    .describe(
      'How long one attempt may take, the machine\'s sleep not counted; "1h" where it is left out.',
    ),
  idleTimeout: duration
    .optional()
    .describe(
      'How long an attempt may be silent with nothing at work: no tool call open, no child that uses the processor or is younger than this; "15m" where it is left out. Four times as long whatever is at work.',
    ),
  maxOutput: size.optional().describe('How much an attempt may print; "1GB" where it is left out.'),
  retries: RETRIES.optional().describe(
    'Further attempts after one that was not completed, in all or by outcome; 1 where it is left out.',
  ),
  retryDelay: duration
    .optional()
    .describe(
      'Before a further attempt; doubled for each with the same outcome, up to 5m; "2s" where it is left out. None after rejected and no-change.',
    ),
  budget: budgetSchema
    .optional()
    .describe('What all attempts at the phase may spend, over the whole run.'),
};

const phase = z.strictObject({
  id: z
    .int('expected a whole number')
    .min(1, 'expected 1 or more')
    .describe('Number of the phase.'),
  name: name.describe('Name of the phase, for templates and reports.'),
  prompt: text
    .optional()
    .describe('The prompt: a template with {{task}}, {{phases.plan.summary}} …'),
  promptFile: text.optional().describe('A file with the prompt, relative to the configuration.'),
  mode: z
    .enum(['work', 'review'])
    .optional()
    .describe('work may change the checkout, review may not.'),
  requires: z
    .array(z.enum(EVIDENCE))
    .optional()
    .describe('The evidence that completes the phase, besides a finished turn.'),
  answerBy: z
    .enum(['marker', 'schema'])
    .optional()
    .describe(
      "How the agent gives its answer: by a line of its last text, or by its structured output; 'marker' where it is left out.",
    ),
  checks: z.array(check).optional().describe('Commands that must pass after the attempt.'),
  preflight: z
    .array(z.union([preflightCommand, preflightHook]))
    .optional()
    .describe('What must hold before the phase may begin.'),
  onGaps: z
    .strictObject({
      goto: name.describe('The phase to go back to.'),
      max: z
        .int('expected a whole number')
        .min(1, 'expected 1 or more')
        .describe('How often, over the whole run.'),
    })
    .optional()
    .describe('Where the run goes when this phase finds gaps.'),
  ...phaseSettings,
});

/** What is kept in `run.json` as it is. */
function isData(value: unknown, above: readonly unknown[] = []): boolean {
  if (typeof value !== 'object' || value === null)
    return value === null || ['string', 'boolean', 'number', 'undefined'].includes(typeof value);
  if ('toJSON' in value || above.includes(value)) return false;
  return Object.values(value).every((inner) => isData(inner, [...above, value]));
}

const variables = z.record(
  z.string().regex(/^[A-Za-z_]\w*$/, 'expected the name of a variable: letters, digits and _'),
  z.string(),
);
const localServer = z.strictObject({
  command: argv.describe('Program and arguments; it speaks on its standard input and output.'),
  env: variables.optional().describe('Variables for the server.'),
  envFrom: z.array(text).optional().describe("Names of the caller's variables to pass on."),
});
const remoteServer = z.strictObject({
  url: z.url('expected a URL'),
  headers: z.record(z.string(), z.string()).optional(),
  tokenFrom: text.optional().describe("Name of the caller's variable with the bearer token."),
});

const profile = z
  .object({
    adapter: text
      .optional()
      .describe('Name of the adapter, a path, or a package; `claude` where it is left out.'),
    model: text.optional(),
    effort: text.optional().describe('How hard to think, in the words of the agent.'),
    env: variables.optional().describe('Variables for the agent.'),
    envFrom: z.array(z.string()).optional().describe("Names of the caller's variables to pass on."),
    instructions: text.optional().describe('Standing instructions beside every prompt.'),
    instructionsFile: text.optional().describe('A file with them, relative to the configuration.'),
    mcp: z
      .record(name, z.union([localServer, remoteServer]))
      .optional()
      .describe('Tool servers for the agent, by name; it gets no others.'),
  })
  .catchall(z.unknown().refine((value) => isData(value), 'expected plain data'))
  .describe("A named adapter with its model, environment and the adapter's own options.");

export const workflowSchema = z
  .strictObject({
    $schema: z.string().optional(),
    name: text.optional().describe('Name of the workflow.'),
    variables: z
      .record(name, z.string())
      .optional()
      .describe('Own values for prompts: {{vars.name}}.'),
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
    phases: z
      .array(phase)
      .min(1, 'expected at least one phase')
      .describe('In the order in which they are done.'),
  })
  .describe('A devflow workflow: numbered phases, each done by a coding agent.');

/** A workflow as a user writes it. Data only: the schema refuses functions. */
export type WorkflowDefinition = z.input<typeof workflowSchema>;
export type PhaseDefinition = WorkflowDefinition['phases'][number];
export type BudgetDefinition = z.input<typeof budgetSchema>;
export type ProfileDefinition = z.input<typeof profile>;
export type SandboxName = (typeof SANDBOXES)[number];
export type Evidence = (typeof EVIDENCE)[number];

/** The JSON Schema of the configuration, for editors. */
export function workflowJsonSchema(): object {
  return z.toJSONSchema(workflowSchema, { io: 'input' });
}
