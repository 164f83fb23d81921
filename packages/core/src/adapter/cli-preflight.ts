import { type CliOptionRules, type CliOptions, looseArgs } from './cli-options.js';
import type { AdapterPreflight, Probe, ProbeAnswer } from './contract.js';

/** One part of a preflight. */
export type Findings = Partial<AdapterPreflight>;

/** What is asked of an agent's program before it is used. */
export interface CliFacts {
  /** What people call the agent, e.g. `Claude Code`. */
  readonly label: string;
  /** The oldest version that has what devflow uses. */
  readonly minimumVersion: string;
  /** The version whose captured output the parser is tested with. */
  readonly checkedVersion: string;
  /** The command that installs it. */
  readonly install: string;
  /** The arguments that print the help with the flags, e.g. `['exec', '--help']`. */
  readonly helpArgs: readonly string[];
  /** The flags that the command is going to use. */
  readonly flags: readonly string[];
}

/** Looks for the program, its version and its flags. None of it reaches a model. */
export async function inspectProgram(
  probe: Probe,
  program: string,
  facts: CliFacts,
): Promise<AdapterPreflight> {
  if ((await probe.find(program)) === undefined) {
    return combine([
      problem(
        'AGENT_NOT_FOUND',
        program.includes('/')
          ? `${program} does not exist, or cannot be executed`
          : `${program} is not in the PATH`,
        `Install it: ${facts.install}; or set the option \`program\` of the profile to its path.`,
      ),
    ]);
  }
  return combine(
    await Promise.all([inspectVersion(probe, program, facts), inspectFlags(probe, program, facts)]),
  );
}

/** A program that does not say by then what it is hangs. */
const ANSWER_MS = 20_000;

/** `2.1.332` of `2.1.332 (Claude Code)`, `0.9.0-rc.1` of `v0.9.0-rc.1,`. */
const VERSION = /(?<![\d.])\d+\.\d+\.\d+(?:[-+][\w.+-]*\w)?/;

async function inspectVersion(probe: Probe, program: string, facts: CliFacts): Promise<Findings> {
  const { label, minimumVersion, checkedVersion, install } = facts;
  const answer = await probe.ask(program, ['--version'], { cached: true, timeoutMs: ANSWER_MS });
  const found = VERSION.exec(answer.stdout)?.[0];
  if (answer.status !== 0 || found === undefined) return withoutVersion(program, answer);
  if (isOlder(found, minimumVersion)) {
    const older = problem(
      'AGENT_TOO_OLD',
      `${program} is ${found}; devflow needs ${minimumVersion} or later.`,
      `Update it: ${install}`,
    );
    return { ...older, version: found };
  }
  const newer = `${label} ${found} is newer than ${checkedVersion}, the version devflow was checked with.`;
  return { version: found, notes: isOlder(checkedVersion, found) ? [newer] : [] };
}

function withoutVersion(program: string, { stdout, stderr, timedOut }: ProbeAnswer): Findings {
  if (timedOut === true) {
    return problem(
      'AGENT_UNUSABLE',
      `${program} --version did not answer in ${ANSWER_MS / 1000} s, and was ended.`,
      'Run it by hand, and see what it waits for.',
    );
  }
  return problem(
    'AGENT_UNUSABLE',
    `${program} --version gives no version: ${firstLine(stderr || stdout) || 'it prints nothing'}`,
    'Run it by hand. A package that was installed without its install script is a stub: install it again.',
  );
}

async function inspectFlags(probe: Probe, program: string, facts: CliFacts): Promise<Findings> {
  const { status, stdout, stderr } = await probe.ask(program, facts.helpArgs, { cached: true });
  if (status !== 0) return {}; // Its version says no better: one problem is enough.
  const known = new Set(`${stdout}\n${stderr}`.match(/--[a-z][\w-]*/gi));
  const missing = facts.flags.filter((flag) => !known.has(flag));
  if (missing.length === 0) return {};
  return problem(
    'AGENT_FLAG_UNKNOWN',
    `The help of ${program} does not know ${missing.join(', ')}.`,
    `Install the version that devflow was checked with, ${facts.checkedVersion}: ${facts.install}`,
  );
}

/** A review must be unable to write: arguments of the profile that could change that are refused. */
export function inspectReviewArgs(
  { mode }: Probe,
  options: CliOptions,
  rules: CliOptionRules,
): Findings {
  const loose = looseArgs(options, rules).join(', ');
  if (mode !== 'review' || loose === '') return {};
  return problem(
    'AGENT_ARGS_REVIEW',
    `A review must be unable to write, and ${loose} may give it what writes.`,
    'Use a profile without these arguments for phases of mode review.',
  );
}

/**
 * Says aloud who pays, and refuses another payer than the profile accepts.
 * @param account undefined where it is not known @param decidedBy what makes it so, e.g. `ANTHROPIC_API_KEY is set`
 */
export function inspectBilling(
  label: string,
  account: string | undefined,
  decidedBy: string,
  { billing }: CliOptions,
): Findings {
  if (account === undefined) return payerUnknown(label, decidedBy, billing);
  const notes = [`${label} bills by ${account} (${decidedBy}).`];
  if (billing === undefined || billing === account) return { account, notes };
  const refused = problem(
    'AGENT_BILLING',
    `${label} would bill by ${account} (${decidedBy}), and the profile accepts ${billing} only.`,
    `Change what decides it, or the option \`billing\` of the profile.`,
  );
  return { ...refused, account };
}

function payerUnknown(label: string, why: string, billing: string | undefined): Findings {
  const unknown = `Which account pays for ${label} is not known: ${why}.`;
  if (billing === undefined) return { notes: [unknown] };
  return problem(
    'AGENT_BILLING',
    `${unknown} The profile accepts ${billing} only.`,
    'Change what keeps it from being known, or take the option `billing` out of the profile.',
  );
}

/** All parts as one. */
export function combine(parts: readonly Findings[]): AdapterPreflight {
  return parts.reduce<AdapterPreflight>(
    (sum, { problems = [], notes = [], ...more }) => ({
      ...sum,
      ...more,
      problems: [...sum.problems, ...problems],
      notes: [...sum.notes, ...notes],
    }),
    { problems: [], notes: [] },
  );
}

export function problem(code: string, message: string, hint: string): Findings {
  return { problems: [{ code, message, hint }] };
}

function firstLine(words: string): string {
  return words.trim().split('\n', 1)[0] ?? '';
}

/** By number, part by part; a version before a release (`2.0.0-rc.1`) is older than that. */
function isOlder(one: string, other: string): boolean {
  const [release = '', before] = one.split('-', 2);
  const [otherRelease = '', otherBefore] = other.split('-', 2);
  const order = compare(release, otherRelease);
  if (order !== 0 || before === otherBefore) return order < 0;
  if (before === undefined || otherBefore === undefined) return otherBefore === undefined;
  return compare(before, otherBefore) < 0;
}

function compare(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
