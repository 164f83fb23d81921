import { z } from 'zod';
import { argv, duration, text } from './schema-words.js';

/** Of what persons are told where they do not look. A person who stops a run knows of it. */
export const NOTIFY_ON = ['gate', 'waiting', 'failed', 'completed'] as const;
export type NotifyOn = (typeof NOTIFY_ON)[number];

const settings = {
  on: z
    .array(z.enum(NOTIFY_ON))
    .min(1, 'expected at least one of them')
    .optional()
    .describe('Of what to tell; of all of them where it is left out.'),
  timeout: duration.optional().describe('Time limit of each of three tries; "10s" if left out.'),
};

const command = z.strictObject({
  command: argv.describe(
    'Program and arguments; it gets the message as JSON on its standard input, and as DEVFLOW_EVENT, DEVFLOW_TITLE, DEVFLOW_TEXT …',
  ),
  envFrom: z.array(text).optional().describe("Names of the caller's variables to pass on."),
  ...settings,
});

const webhook = z
  .strictObject({
    // What is wrong with it is said elsewhere, without showing it: it may hold a secret.
    webhook: z.string().optional().describe('URL to which the message is posted as JSON.'),
    urlFrom: text.optional().describe("Name of the caller's variable with the URL."),
    headers: z.record(z.string(), z.string()).optional(),
    tokenFrom: text.optional().describe("Name of the caller's variable with the bearer token."),
    ...settings,
  })
  .refine((given) => (given.webhook === undefined) !== (given.urlFrom === undefined), {
    message: 'expected either webhook or urlFrom',
    path: ['urlFrom'],
    when: ({ issues }) => issues.length === 0, // with an unknown key it is perhaps none at all
  });

export const notify = z.array(z.union([z.literal('desktop'), command, webhook]));

export type ChannelDefinition = z.input<typeof notify>[number];
