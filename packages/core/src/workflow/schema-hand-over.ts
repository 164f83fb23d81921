import { z } from 'zod';
import type { AgentEventKind } from '../adapter/index.js';
import { fileProblem } from '../evidence/globs.js';
import { sound } from './schema-words.js';

/** The compiler asks for a kind that the vocabulary gains. */
const KINDS = {
  session: true, prompt: true, text: true, idle: true, edit: true, read: true, search: true, command: true,
  test: true, check: true, git: true, plan: true, subagent: true, web: true, attention: true, error: true,
  usage: true, end: true, other: true,
} as const satisfies Record<AgentEventKind, true>; // prettier-ignore
const ANY = '*';
const EVENTS = [ANY, ...Object.keys(KINDS)] as [typeof ANY, ...AgentEventKind[]]; // its own keys

/** What a digest shows of an event, in this order. */
export const DIGEST_KEYS = ['summary', 'file', 'cmd', 'detail', 'text'] as const;

const event = z.enum(EVENTS).describe("The kind of the events that it is about; '*' for all.");
const where = z
  .strictObject({
    name: z.string().optional(),
    summary: z.string().optional(),
    file: z.string().optional(),
    cmd: z.string().optional(),
    detail: z.string().optional(),
    text: z.string().optional(),
    ok: z.boolean().optional(),
    child: z.boolean().optional(),
  })
  .optional()
  .describe("Only where the event has all of these; '*' within a text stands for any.");
const key = z.enum(DIGEST_KEYS);

/** Which form of a rule was meant cannot be told then. */
function neitherOrBoth(rule: unknown): string | undefined {
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule)) return undefined;
  if ('remove' in rule !== 'truncate' in rule) return undefined;
  return 'expected either remove: true or truncate: <number of characters>';
}

const rule = z.union(
  [
    z.strictObject({
      event,
      where,
      key: key.optional().describe('What to leave out; the whole event where it is left out.'),
      remove: z.literal(true),
    }),
    z.strictObject({
      event,
      where,
      key: key.describe('What to cut.'),
      truncate: z
        .int('expected a whole number')
        .min(0, 'expected 0 or more')
        .describe('How many characters stay; a mark says how many went.'),
    }),
  ],
  { error: ({ input }) => neitherOrBoth(input) },
);

export const handOver = z.strictObject({
  artifacts: z
    .array(sound(fileProblem))
    .optional()
    .describe('Files that later prompts can have: {{phases.plan.artifacts}}.'),
  events: z
    .array(rule)
    .optional()
    .describe(
      'What {{phases.plan.events}} shows: rules in order, the last one that fits counts, for each key by itself. Where it is left out: what was changed and run, in a line each.',
    ),
  maxEvents: z
    .int('expected a whole number')
    .min(1, 'expected 1 or more')
    .max(1_000, 'expected 1000 or less')
    .optional()
    .describe('How many of the last events are shown; 100 where it is left out.'),
});

export type HandOver = z.infer<typeof handOver>;
export type DigestRule = z.infer<typeof rule>;
