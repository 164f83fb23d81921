import { AdapterOptionsError } from '@devflow/core/adapter';
import { z } from 'zod';

/** Options of a profile with this adapter. */
export interface ClaudeOptions {
  /** The program: a name, looked up in the PATH, or an absolute path. */
  readonly program: string;
  /** More arguments for the CLI, e.g. `["--effort", "high"]`. */
  readonly args: readonly string[];
}

/** What devflow itself says to the CLI, or what takes the work out of devflow's sight. */
const OWNED = [
  '-p', '--print', '--output-format', '--input-format', '--verbose', '--model', '-r', '--resume',
  '-c', '--continue', '--session-id', '--fork-session', '--from-pr', '--no-session-persistence',
  '--teleport', '--dangerously-skip-permissions', '--permission-mode', '--permission-prompts',
  '--tools', '--strict-mcp-config', '--setting-sources', '-w', '--worktree', '--tmux', '--bg',
  '--background', '--cloud', '--desktop', '--remote-control', '-h', '--help', '-v', '--version',
]; // prettier-ignore

/** What may give a review something that writes: refused there, by preflight. */
const LOOSENS_REVIEW = [
  '--mcp-config', '--settings', '--plugin-dir', '--plugin-url', '--agent', '--agents', '--ide',
  '--allowedTools', '--allowed-tools', '--chrome', '--brief', '--add-dir',
]; // prettier-ignore

const KNOWN = { program: z.string().min(1).optional(), args: z.array(z.string()).optional() };
const schema = z.strictObject(KNOWN);

export const DEFAULTS: ClaudeOptions = { program: 'claude', args: [] };

/** The options of a profile. Throws {@link AdapterOptionsError} with all that is wrong. */
export function readOptions(given: Readonly<Record<string, unknown>>): ClaudeOptions {
  const read = schema.safeParse(given);
  const problems = [...(read.error?.issues.flatMap(sayIssue) ?? []), ...ownedArgs(given['args'])];
  if (read.data === undefined || problems.length > 0) throw new AdapterOptionsError(problems);
  const { program = DEFAULTS.program, args = DEFAULTS.args } = read.data;
  return { program, args };
}

function sayIssue(issue: z.core.$ZodIssue): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${key}: unknown; known are ${Object.keys(KNOWN).join(', ')}`);
  }
  return [`${issue.path.join('.')}: ${issue.message}`];
}

function ownedArgs(args: unknown): string[] {
  if (!Array.isArray(args)) return [];
  const first: unknown = args[0];
  // The prompt comes on stdin: a bare argument would be joined to it.
  const bare = typeof first === 'string' && !first.startsWith('-') ? ['args.0: a flag first'] : [];
  const owned = args.flatMap((arg: unknown, index) =>
    isOneOf(OWNED, arg) ? [`args.${index}: ${String(arg)} is for devflow to say`] : [],
  );
  return [...bare, ...owned];
}

/** The arguments that a review may not have. */
export function looseArgs({ args }: ClaudeOptions): readonly string[] {
  return args.filter((arg) => isOneOf(LOOSENS_REVIEW, arg));
}

function isOneOf(flags: readonly string[], arg: unknown): boolean {
  return (
    typeof arg === 'string' && flags.some((flag) => arg === flag || arg.startsWith(`${flag}=`))
  );
}
