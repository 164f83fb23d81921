import { z } from 'zod';

import { AdapterOptionsError, PROFILE_KEYS } from './contract.js';
import { suggestion } from './suggestion.js';

/** Options of a profile whose agent is a command-line program of its own adapter. */
export interface CliOptions {
  /** The program: a name, looked up in the PATH, or an absolute path. */
  readonly program: string;
  /** More arguments for the program. */
  readonly args: readonly string[];
  /** The only way to be billed that is accepted, e.g. `subscription`: preflight refuses any other. */
  readonly billing?: string;
}

/** What one program's options may hold. */
export interface CliOptionRules {
  readonly program: string;
  /** Arguments that devflow itself says, or that take the work out of its sight. */
  readonly owned: readonly string[];
  /** Arguments that may give a review something that writes. */
  readonly loosensReview: readonly string[];
  /** Ways to be billed that the adapter can tell apart. */
  readonly billing: readonly string[];
}

/** The options of a profile. Throws {@link AdapterOptionsError} with all that is wrong. */
export function readCliOptions(
  given: Readonly<Record<string, unknown>>,
  rules: CliOptionRules,
): CliOptions {
  const known = {
    program: z.string().min(1).optional(),
    args: z.array(z.string()).optional(),
    billing: z.enum(rules.billing as [string, ...string[]]).optional(),
  };
  const read = z.strictObject(known).safeParse(given);
  const problems = [
    ...(read.error?.issues.flatMap((issue) => sayIssue(issue, Object.keys(known))) ?? []),
    ...ownedArgs(given['args'], rules.owned),
  ];
  if (read.data === undefined || problems.length > 0) throw new AdapterOptionsError(problems);
  const { program = rules.program, args = [], billing } = read.data;
  return { program, args, ...(billing !== undefined && { billing }) };
}

function sayIssue(issue: z.core.$ZodIssue, known: readonly string[]): string[] {
  const where = issue.path.join('.');
  switch (issue.code) {
    case 'unrecognized_keys': {
      const all = [...PROFILE_KEYS, ...known];
      return issue.keys.map((key) => `${key}: unknown key; ${suggestion(key, all)}`);
    }
    case 'invalid_value':
      return [`${where}: expected ${issue.values.map((word) => `"${String(word)}"`).join(' or ')}`];
    case 'invalid_type':
      return [`${where}: expected ${EXPECTED[issue.expected] ?? issue.expected}`];
    default:
      return [`${where}: expected a text that is not empty`];
  }
}

const EXPECTED: Readonly<Record<string, string>> = {
  array: 'a list of texts',
  string: 'a text',
};

function ownedArgs(args: unknown, owned: readonly string[]): string[] {
  if (!Array.isArray(args)) return [];
  const first: unknown = args[0];
  // The prompt comes on stdin: a bare argument would be joined to it, or be taken for a command.
  const bare = typeof first === 'string' && !first.startsWith('-') ? ['args.0: a flag first'] : [];
  const taken = args.flatMap((arg: unknown, index) => {
    if (arg === '--')
      return [`args.${index}: -- would end the flags, and devflow's own come after`];
    return isOneOf(owned, arg) ? [`args.${index}: ${String(arg)} is for devflow to say`] : [];
  });
  return [...bare, ...taken];
}

/** The arguments that a review may not have. */
export function looseArgs({ args }: CliOptions, { loosensReview }: CliOptionRules): string[] {
  return args.filter((arg) => isOneOf(loosensReview, arg));
}

/** Long flags by name, with `=value` or without; short ones (`-c`) also with the value joined on. */
function isOneOf(flags: readonly string[], arg: unknown): boolean {
  if (typeof arg !== 'string') return false;
  return flags.some(
    (flag) =>
      arg === flag ||
      arg.startsWith(`${flag}=`) ||
      (/^-[A-Za-z]$/.test(flag) && arg.startsWith(flag) && !arg.startsWith('--')),
  );
}
