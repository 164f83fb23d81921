import { z } from 'zod';
import { protectProblem } from '../evidence/protection.js';
import { parseDuration, parseSize } from './units.js';

/** The words of which the schema is made, each with what it expects. */

export const text = z.string().trim().min(1, 'expected a text that is not empty');
export const duration = z
  .string()
  .refine(
    (value) => parseDuration(value) !== undefined,
    'expected a duration such as "90s", "20m" or "2h", 36500d at most',
  );
export const size = z
  .string()
  .refine((value) => parseSize(value) !== undefined, 'expected a size such as "200MB" or "1GB"');
export const argv = z
  .array(z.string(), 'expected a list of words, such as ["npm", "test"]')
  .min(1, 'expected a program and its arguments, such as ["npm", "test"]')
  .refine((words) => words[0] !== '', 'expected the first word to name a program');
export const protectEntry = text.check((context) => {
  const problem = protectProblem(context.value);
  if (problem !== undefined)
    context.issues.push({ code: 'custom', input: context.value, message: problem });
});
export const name = z
  .string()
  .regex(/^[a-z][a-z0-9-]*$/, 'expected a name of lower-case letters, digits and hyphens');

/** A text with which nothing is wrong. */
export const sound = (problemOf: (value: string) => string | undefined) =>
  text.superRefine((value, context) => {
    const problem = problemOf(value);
    if (problem !== undefined) context.addIssue(problem);
  });
