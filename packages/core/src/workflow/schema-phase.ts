import { z } from 'zod';
import { fileProblem, globProblem } from '../evidence/globs.js';
import { RETRIES } from './retries.js';
import { budgetSchema } from './schema-budget.js';
import { gate } from './schema-gate.js';
import { handOver } from './schema-hand-over.js';
import { argv, duration, name, protectEntry, size, sound, text } from './schema-words.js';
import { routes } from './schema-loop.js';

export const EVIDENCE = [
  'commit', 'clean', 'answer', 'verdict', 'changes', 'files', 'checks',
] as const; // prettier-ignore

export const check = z.strictObject({
  name: text.optional().describe('What to call it; the command where it is left out.'),
  command: argv.describe('Program and arguments; no shell is involved.'),
  timeout: duration.optional().describe('Time limit; "10m" where it is left out.'),
});

const glob = sound(globProblem);
const globs = z.array(glob).min(1, 'expected at least one pattern').optional();

/** Patterns of paths in the repository. */
const changes = z
  .strictObject({
    must: globs.describe('Patterns of which each must match a path that changed.'),
    mustNot: globs.describe('Patterns that must match no path that changed.'),
  })
  .refine(({ must, mustNot }) => (must ?? mustNot) !== undefined, 'expected must, mustNot or both');

const phaseCheck = check.extend({
  before: z
    .boolean()
    .optional()
    .describe(
      'Also run it before the first attempt of a visit, to tell what the phase made pass from what passed before. It need not pass then.',
    ),
});

/** What the checks of a phase run on. */
export const CHECK_FROM = ['worktree', 'accepted', 'base'] as const;

const ahead = z
  .boolean()
  .optional()
  .describe(
    'false: an earlier phase makes what it asks for, so `devflow preflight` leaves it out.',
  );
const preflightCommand = z.strictObject({
  name: text.optional().describe('What to call it; the command where it is left out.'),
  command: argv.describe('Must exit 0 before the phase may begin.'),
  hint: text.optional().describe('What to do where it fails.'),
  timeout: duration.optional().describe('Time limit; "1m" where it is left out.'),
  ahead,
});
const preflightHook = z.strictObject({
  hook: text.describe('Name of a hook given beside the workflow.'),
  ahead,
});

export const phaseSettings = {
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
  protect: z
    .array(protectEntry)
    .optional()
    .describe(
      'Paths that the phase may not change, such as "test/**", or one value of JSON files, such as "package.json#scripts.test". A change since the last completed attempt of the run makes an attempt rejected.',
    ),
};

export const phase = z.strictObject({
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
  answer: z
    .unknown()
    .optional()
    .meta({ type: 'object' })
    .describe(
      "What the answer's output must be: a JSON Schema (draft 2020-12), or a zod schema where the configuration is code.",
    ),
  changes: changes
    .optional()
    .describe('What the phase must change and what it must not, since it was entered.'),
  files: z
    .array(sound(fileProblem))
    .min(1, 'expected at least one file')
    .optional()
    .describe('Files that must be there after the attempt, from the root of the repository.'),
  checks: z.array(phaseCheck).optional().describe('Commands that must pass after the attempt.'),
  checkFrom: z
    .enum(CHECK_FROM)
    .optional()
    .describe(
      "What the checks run on. worktree: the run's own. accepted: a new checkout of the result, with what is protected as the last completed attempt of the run left it. base: with what is protected as it was when the run began.",
    ),
  preflight: z
    .array(z.union([preflightCommand, preflightHook]))
    .optional()
    .describe('What must hold before the phase may begin.'),
  handOver: handOver.optional().describe('What later prompts can have of it besides its words.'),
  gate: gate.optional().describe('Where a person must approve before the run goes on.'),
  ...routes,
  ...phaseSettings,
});

export type Evidence = (typeof EVIDENCE)[number];
