import {
  type AdapterPreflight,
  type CliOptions,
  type Findings,
  type Probe,
  combine,
  inspectProgram,
  problem,
} from '@devflow/core/adapter';

import { INSTALLS, QUIET, UNSTEERED, flagsOf } from './command.js';
import { majorOf } from './configuration.js';
import { inspectLogin, providerOf } from './login.js';
import { inspectSession } from './session.js';

/** The version whose captured output the parser is tested with. */
const CHECKED_VERSION = '1.18.33';
/** The oldest that was looked at. */
const MINIMUM_VERSION = '1.18.0';

/** What stands in the way of a launch. Asks the CLI for its version, help, models, logins and sessions: none of them reaches a model or the network. */
export async function preflight(probe: Probe, options: CliOptions): Promise<AdapterPreflight> {
  const { program } = options;
  const found = await inspectProgram(probe, program, {
    label: 'OpenCode',
    minimumVersion: MINIMUM_VERSION,
    checkedVersion: CHECKED_VERSION,
    install: `npm install -g opencode-ai@${CHECKED_VERSION}`,
    helpArgs: ['run', '--help'],
    flags: flagsOf(probe.mode),
  });
  if (found.version === undefined) return combine([found, inspectModelName(probe)]);
  const ask = (...args: readonly string[]) => askQuietly(probe, program, args);
  // One after the other: two that make its database at the same time fail.
  const more = [await inspectLogin(probe, options, ask), await inspectSession(probe, ask)];
  return combine([found, inspectMajor(found.version), inspectModelName(probe), ...more]);
}

/**
 * A command that looks ends before the installation that it began (see INSTALLS) gives its lock back, and
 * the next start waits a minute for it: such a command gets a state directory of its own, where locks are.
 */
const WITH_OWN_STATE =
  'XDG_STATE_HOME=$(mktemp -d) || exit; export XDG_STATE_HOME; "$@"; status=$?; rm -rf "$XDG_STATE_HOME"; exit $status';

/** Asks without a write into the profile (a configuration is made there where none is given), and as the phase will be run. */
function askQuietly(probe: Probe, program: string, args: readonly string[]) {
  const quiet = {
    ...QUIET,
    ...INSTALLS,
    ...(probe.mode === 'review' && UNSTEERED),
    OPENCODE_CONFIG_CONTENT: '{"$schema":"https://opencode.ai/config.json"}',
  };
  const variables = Object.entries(quiet).map((variable) => variable.join('='));
  const command = ['env', ...variables, program, ...args];
  const limits = { timeoutMs: 30_000, keepBytes: 2_000_000 }; // a provider may have hundreds of models
  return probe.ask('sh', ['-c', WITH_OWN_STATE, 'sh', ...command], limits);
}

export type Ask = (...args: readonly string[]) => ReturnType<Probe['ask']>;

function inspectMajor(version: string | undefined): Findings {
  if (version === undefined || majorOf(version) < 2) return {};
  const words =
    'OpenCode 2 runs no plugin of version 1: its retries are not bounded, and which tool is at work is not seen.';
  return { notes: [words] };
}

function inspectModelName({ model }: Probe): Findings {
  if (model === undefined || providerOf(model) !== undefined) return {};
  return problem(
    'AGENT_MODEL',
    `OpenCode takes a model as provider/model, and not ${model}.`,
    'Name the provider too, e.g. anthropic/claude-sonnet-4-5; `opencode models` lists them.',
  );
}
