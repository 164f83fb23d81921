import { z } from 'zod';
import { duration } from './schema-words.js';

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

export type BudgetDefinition = z.input<typeof budgetSchema>;
