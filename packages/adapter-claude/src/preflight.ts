import type { AdapterPreflight, Probe, Problem } from '@devflow/core/adapter';
import { z } from 'zod';

import { QUIET, flagsOf } from './command.js';
import { type ClaudeOptions, looseArgs } from './options.js';

/** The version whose captured output the parser is tested with. */
export const CHECKED_VERSION = '2.1.332';
/** The oldest that was looked at: its help knows every flag that devflow uses. */
export const MINIMUM_VERSION = '2.1.0';

type Findings = Partial<AdapterPreflight>;

/** What stands in the way of a launch. Asks the CLI for its version, help and login: none of them reaches a model. */
export async function preflight(probe: Probe, options: ClaudeOptions): Promise<AdapterPreflight> {
  const { program } = options;
  const found = [reviewArgs(probe, options)];
  if ((await probe.find(program)) === undefined) {
    found.push(
      problem(
        'AGENT_NOT_FOUND',
        `${program} is not in the PATH.`,
        'Install it: npm install -g @anthropic-ai/claude-code; or set the option `program` of the profile to its path.',
      ),
    );
  } else {
    const asked = [version, flags, login, root].map((check) => check(probe, program));
    found.push(...(await Promise.all(asked)));
  }
  return found.reduce<AdapterPreflight>(
    (sum, { problems = [], notes = [], ...more }) => ({
      ...sum,
      ...more,
      problems: [...sum.problems, ...problems],
      notes: [...sum.notes, ...notes],
    }),
    { problems: [], notes: [] },
  );
}

function reviewArgs({ mode }: Probe, options: ClaudeOptions): Findings {
  const loose = looseArgs(options).join(', ');
  if (mode !== 'review' || loose === '') return {};
  return problem(
    'AGENT_ARGS_REVIEW',
    `A review must be unable to write, and ${loose} may give it what writes.`,
    'Use a profile without these arguments for phases of mode review.',
  );
}

async function version(probe: Probe, program: string): Promise<Findings> {
  const { status, stdout, stderr } = await probe.ask(program, ['--version'], { cached: true });
  const found = /^\d+\.\d+\.\d+/.exec(stdout)?.[0];
  if (status !== 0 || found === undefined) {
    return problem(
      'AGENT_UNUSABLE',
      `${program} --version gives no version: ${firstLine(stderr || stdout)}`,
      'Run it by hand. A package that was installed without its install script is a stub: install it again.',
    );
  }
  if (isOlder(found, MINIMUM_VERSION)) {
    const { problems } = problem(
      'AGENT_TOO_OLD',
      `${program} is ${found}; devflow needs ${MINIMUM_VERSION} or later.`,
      'Update it: npm install -g @anthropic-ai/claude-code',
    );
    return { problems, version: found };
  }
  const newer = `Claude Code ${found} is newer than ${CHECKED_VERSION}, the version devflow was checked with.`;
  return { version: found, notes: isOlder(CHECKED_VERSION, found) ? [newer] : [] };
}

async function flags(probe: Probe, program: string): Promise<Findings> {
  const { status, stdout } = await probe.ask(program, ['--help'], { cached: true });
  if (status !== 0) return {}; // Its version says no better: one problem is enough.
  const known = new Set(stdout.match(/--[a-z][\w-]*/gi));
  const missing = flagsOf(probe.mode).filter((flag) => !known.has(flag));
  if (missing.length === 0) return {};
  return problem(
    'AGENT_FLAG_UNKNOWN',
    `The help of ${program} does not know ${missing.join(', ')}.`,
    `Install a version that devflow was checked with: npm install -g @anthropic-ai/claude-code@${CHECKED_VERSION}`,
  );
}

const Status = z.object({
  loggedIn: z.boolean(),
  authMethod: z.string().optional(),
  apiProvider: z.string().optional(),
});

/** It reads files and variables only, and calls nobody: whether the key is good shows at the first call. */
async function login(probe: Probe, program: string): Promise<Findings> {
  if (!probe.checkLogin) return {};
  const quiet = Object.entries(QUIET).map((variable) => variable.join('='));
  const { stdout } = await probe.ask('env', [...quiet, program, 'auth', 'status']);
  const status = readStatus(stdout);
  if (status === undefined) return { notes: ['Whether Claude Code is logged in is unknown.'] };
  if (!status.loggedIn) {
    return problem(
      'AGENT_NOT_LOGGED_IN',
      'Claude Code is not logged in.',
      'Run `claude auth login`, or set ANTHROPIC_API_KEY.',
    );
  }
  const account = accountOf(status, probe.env);
  return { account, notes: [`Claude Code bills by ${account}.`] };
}

function readStatus(stdout: string): z.infer<typeof Status> | undefined {
  try {
    return Status.safeParse(JSON.parse(stdout)).data;
  } catch {
    return undefined; // Older versions have no such command, and say so in words.
  }
}

function accountOf(status: z.infer<typeof Status>, env: Probe['env']): string {
  switch (status.authMethod) {
    case 'api_key':
    case 'api_key_helper':
      return 'api-key';
    case 'oauth_token': // A gateway's token, or the long-lived one of a subscription.
      return env['ANTHROPIC_AUTH_TOKEN'] ? 'auth-token' : 'subscription';
    case 'claude.ai':
      return 'subscription';
    case 'third_party':
      return status.apiProvider ?? 'third-party';
    default:
      return status.authMethod ?? 'unknown';
  }
}

/** As root the agent refuses to work without asking, unless it is told that a sandbox is around it. */
async function root(probe: Probe, _program: string): Promise<Findings> {
  const told = probe.confinedBy === 'devflow' || probe.env['IS_SANDBOX'] === '1';
  if (probe.mode !== 'work' || told) return {};
  const { stdout } = await probe.ask('id', ['-u']);
  if (stdout.trim() !== '0') return {};
  return problem(
    'AGENT_ROOT',
    'Claude Code refuses --dangerously-skip-permissions as root outside a sandbox.',
    'Run devflow as another user. Only if this machine is itself a sandbox (a container): set IS_SANDBOX=1.',
  );
}

function problem(code: string, message: string, hint: string): { problems: Problem[] } {
  return { problems: [{ code, message, hint }] };
}

function firstLine(words: string): string {
  return words.trim().split('\n', 1)[0] ?? '';
}

function isOlder(one: string, other: string): boolean {
  return one.localeCompare(other, 'en', { numeric: true }) < 0;
}
