import { z } from 'zod';
import { duration, text } from './schema-words.js';

/** Where a person is asked: before the phase begins, or once it is complete. */
const GATE_AT = ['before', 'after'] as const;
/** What comes of a gate that nobody has answered in time. */
const ON_TIMEOUT = ['reject', 'wait', 'approve'] as const;

const at = z.enum(GATE_AT);

export const gate = z.union([
  at,
  z
    .strictObject({
      when: at.describe(
        'before: the phase begins once it is approved. after: once it is complete.',
      ),
      message: text.optional().describe('What the person is to look at.'),
      timeout: duration.optional().describe('How long an answer is waited for.'),
      onTimeout: z
        .enum(ON_TIMEOUT)
        .optional()
        .describe("What comes of it then; 'wait' where it is left out: nothing."),
    })
    .refine(
      ({ timeout, onTimeout }) =>
        timeout === undefined
          ? onTimeout === undefined || onTimeout === 'wait'
          : onTimeout !== undefined,
      'expected timeout together with onTimeout: "reject", "wait" or "approve"',
    ),
]);

export type GateDefinition = z.input<typeof gate>;
