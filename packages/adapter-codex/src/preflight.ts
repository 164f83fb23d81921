import {
  type AdapterPreflight,
  type CliOptions,
  type Findings,
  type Probe,
  combine,
  inspectProgram,
  inspectReviewArgs,
  items,
  oneLine,
  problem,
  text,
} from '@devflow/core/adapter';

import { flagsOf, sandboxFor } from './command.js';
import { inspectLogin } from './login.js';
import { RULES } from './options.js';

/** The version whose captured output the parser is tested with. */
export const CHECKED_VERSION = '0.171.0';
/** The oldest that was looked at. */
export const MINIMUM_VERSION = '0.171.0';

/** What stands in the way of a launch. Asks the CLI for its version, help, sandbox, login and tool servers: none of them reaches a model. */
export async function preflight(probe: Probe, options: CliOptions): Promise<AdapterPreflight> {
  const { program } = options;
  const found = await inspectProgram(probe, program, {
    label: 'Codex',
    minimumVersion: MINIMUM_VERSION,
    checkedVersion: CHECKED_VERSION,
    install: `npm install -g @openai/codex@${CHECKED_VERSION}`,
    helpArgs: ['exec', '--help'],
    flags: flagsOf(probe.mode),
  });
  const isUsable = found.version !== undefined;
  const more = isUsable
    ? [inspectSandbox(probe, program), inspectLogin(probe, options), tellServers(probe, program)]
    : [];
  return combine([inspectReviewArgs(probe, options, RULES), found, ...(await Promise.all(more))]);
}

/** What Codex says where its home lies in the temporary directory: its sandbox then starts no command, without a word. */
const HOME_IS_TEMPORARY = 'Refusing to create helper binaries under temporary dir';

/** Runs `true` in the sandbox that the agent is going to have: where that fails, every command of the agent would, and its turn would end as a good one. */
async function inspectSandbox(probe: Probe, program: string): Promise<Findings> {
  const sandbox = sandboxFor(probe);
  if (sandbox === 'danger-full-access') return {};
  const args = ['sandbox', '-c', `sandbox_mode="${sandbox}"`, 'true'];
  const { status, stdout, stderr } = await probe.ask(program, args);
  if (stderr.includes(HOME_IS_TEMPORARY)) {
    return problem(
      'AGENT_SANDBOX',
      `Codex's home (CODEX_HOME, or ~/.codex) lies in the temporary directory, where its sandbox can start no command.`,
      'Set CODEX_HOME to a directory outside TMPDIR and /tmp.',
    );
  }
  if (status === 0) return {};
  const said = stderr || stdout || 'no answer';
  const reason = said.split('\n').find((line) => line.startsWith('bwrap: '));
  if (reason === undefined) {
    return problem(
      'AGENT_SANDBOX',
      `${program} ${args.join(' ')} fails: ${oneLine(said)}`,
      'Run it by hand.',
    );
  }
  return problem(
    'AGENT_SANDBOX',
    `Codex's own sandbox does not work here: ${reason}`,
    'Allow user namespaces (sysctl user.max_user_namespaces; in a container, its security profile), or choose another `sandbox` for the phase.',
  );
}

/** Codex merges its own tool servers with those of the profile, and has no setting that keeps them out. */
async function tellServers(probe: Probe, program: string): Promise<Findings> {
  if (!probe.checkLogin) return {};
  const { stdout } = await probe.ask(program, ['mcp', 'list', '--json'], { timeoutMs: 5_000 });
  const names = serversIn(stdout);
  if (names.length === 0) return {};
  const note = `Codex also starts the MCP servers of its own configuration, outside any sandbox of its own: ${names.join(', ')}.`;
  return { notes: [note] };
}

function serversIn(listed: string): string[] {
  try {
    const enabled = items(JSON.parse(listed)).filter((server) => server['enabled'] === true);
    return enabled.flatMap((server) => text(server['name']) ?? []);
  } catch {
    return []; // What keeps it from listing them keeps it from starting, and is said there.
  }
}
