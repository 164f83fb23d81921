import {
  type AdapterPreflight,
  type CliOptions,
  type Findings,
  type Probe,
  combine,
  inspectBilling,
  inspectProgram,
  inspectReviewArgs,
  problem,
} from '@devflow/core/adapter';
import { z } from 'zod';

import { QUIET, flagsOf } from './command.js';
import { RULES } from './options.js';
import { binaryBeside } from './stub.js';

/** The version whose captured output the parser is tested with. */
export const CHECKED_VERSION = '2.1.332';
/** The oldest that was looked at: its help knows every flag that devflow uses. */
export const MINIMUM_VERSION = '2.1.0';

/** What stands in the way of a launch. Asks the CLI for its version, help and login: none of them reaches a model. */
export async function preflight(probe: Probe, options: CliOptions): Promise<AdapterPreflight> {
  const { program } = options;
  const found = await inspectInstallation(probe, program);
  const isThere = (await probe.find(program)) !== undefined;
  const isUsable = found.version !== undefined;
  const more = [...(isUsable ? [login(probe, options)] : []), ...(isThere ? [root(probe)] : [])];
  return combine([inspectReviewArgs(probe, options, RULES), found, ...(await Promise.all(more))]);
}

async function inspectInstallation(probe: Probe, program: string): Promise<Findings> {
  const found = await inspectProgram(probe, program, {
    label: 'Claude Code',
    minimumVersion: MINIMUM_VERSION,
    checkedVersion: CHECKED_VERSION,
    install: `npm install -g @anthropic-ai/claude-code@${CHECKED_VERSION}`,
    helpArgs: ['--help'],
    flags: flagsOf(probe),
  });
  const isStub = found.problems.some(({ code }) => code === 'AGENT_UNUSABLE');
  const binary = isStub ? await binaryBeside(probe, program) : undefined;
  if (binary === undefined) return found;
  const hint = `The package was installed without its install script, but it brought the program: set the option \`program\` of the profile to ${binary}`;
  return { ...found, problems: found.problems.map((stub) => ({ ...stub, hint })) };
}

const Status = z.object({
  loggedIn: z.boolean(),
  authMethod: z.string().optional(),
  apiProvider: z.string().optional(),
});

/** It reads files and variables only, and calls nobody: whether the key is good shows at the first call. */
async function login(probe: Probe, options: CliOptions): Promise<Findings> {
  const { program } = options;
  if (!probe.checkLogin) return {};
  const quiet = Object.entries(QUIET).map((variable) => variable.join('='));
  const { stdout } = await probe.ask('env', [...quiet, program, 'auth', 'status']);
  const status = readStatus(stdout);
  if (status === undefined)
    return inspectBilling('Claude Code', undefined, '`auth status` gives no answer', options);
  if (!status.loggedIn) {
    return problem(
      'AGENT_NOT_LOGGED_IN',
      'Claude Code is not logged in.',
      'Run `claude auth login`, or set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN.',
    );
  }
  const { account, decidedBy } = payerOf(status, probe.env);
  return inspectBilling('Claude Code', account, decidedBy, options);
}

function readStatus(stdout: string): z.infer<typeof Status> | undefined {
  try {
    return Status.safeParse(JSON.parse(stdout)).data;
  } catch {
    return undefined; // Older versions have no such command, and say so in words.
  }
}

function payerOf(
  { authMethod, apiProvider }: z.infer<typeof Status>,
  env: Probe['env'],
): { account: string | undefined; decidedBy: string } {
  switch (authMethod) {
    case 'api_key':
      return { account: 'api-key', decidedBy: setIn(env, 'ANTHROPIC_API_KEY') };
    case 'api_key_helper':
      return { account: 'api-key', decidedBy: 'apiKeyHelper of the settings' };
    case 'oauth_token': // A gateway's token, or the long-lived one of a subscription.
      if (!env['ANTHROPIC_AUTH_TOKEN']) {
        return { account: 'subscription', decidedBy: setIn(env, 'CLAUDE_CODE_OAUTH_TOKEN') };
      }
      // It sends both, and whoever is asked takes what it likes: neither can be promised.
      return env['ANTHROPIC_API_KEY']
        ? { account: undefined, decidedBy: `${BOTH} are set, and both are sent` }
        : { account: 'auth-token', decidedBy: 'ANTHROPIC_AUTH_TOKEN is set' };
    case 'claude.ai':
      return { account: 'subscription', decidedBy: 'the login of claude.ai' };
    case 'third_party':
      return {
        account: apiProvider ?? 'third-party',
        decidedBy: 'the settings of a cloud provider',
      };
    default:
      return { account: authMethod, decidedBy: 'as the CLI states it' };
  }
}

const BOTH = 'ANTHROPIC_AUTH_TOKEN and ANTHROPIC_API_KEY';

function setIn(env: Probe['env'], name: string): string {
  return env[name] ? `${name} is set` : 'the login that the CLI keeps';
}

/** As root the agent refuses to work without asking, unless it is told that a sandbox is around it. */
async function root(probe: Probe): Promise<Findings> {
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
