import path from 'node:path';

import type {
  AgentCommand,
  CliOptions,
  Confinement,
  ExecRequest,
  McpServer,
  Mode,
  SandboxNeeds,
} from '@devflow/core/adapter';

import { type TomlTable, setting } from './toml.js';

/** The variables by which the agent logs in, is configured, and trusts certificates. `OPENAI_API_KEY` is read by model providers that name it, not by Codex's own. */
export const ENV_FROM = [
  'CODEX_API_KEY',
  'CODEX_ACCESS_TOKEN',
  'OPENAI_API_KEY',
  'OPENAI_ORGANIZATION',
  'OPENAI_PROJECT',
  'CODEX_HOME',
  'CODEX_SQLITE_HOME',
  'CODEX_CA_CERTIFICATE',
];

export const SEARCH_PATH = [
  '~/.local/bin', '~/.npm-global/bin', '~/.bun/bin', '~/.local/share/pnpm', '~/.volta/bin',
  '/usr/local/bin', '/opt/homebrew/bin', '/home/linuxbrew/.linuxbrew/bin',
]; // prettier-ignore

/** Without the first three the agent asks its vendor for plugins and updates, and tells it how it is used. */
const QUIET = [
  ...setting('features.plugins', false),
  ...setting('analytics.enabled', false),
  ...setting('check_for_update_on_startup', false),
  // It waits for the network without end by default; its other retries have an end of their own.
  ...setting('features.unbounded_connection_retries', false),
  // Nobody is there to be asked.
  ...setting('approval_policy', 'never'),
];

/**
 * What the reviewed work could have planted in the checkout does not act on its review: no
 * configuration, hook, tool server, rule, skill or AGENTS.md of an untrusted project is taken up,
 * whatever trust the user gave to the repository. Nor does a hook or rule of the user's own run: a rule
 * can let a command out of the sandbox.
 */
function reviewArgs(cwd: string): readonly string[] {
  return [
    '--ignore-rules',
    ...setting('features.hooks', false),
    ...setting('skills.include_instructions', false),
    ...setting('projects', { [cwd]: { trust_level: 'untrusted' } }),
  ];
}

/** An argument of 128 KiB cannot be passed on Linux: longer instructions go with the prompt. */
const LONGEST_ARGUMENT_BYTES = 100_000;

const SCHEMA_FILE = 'output-schema.json';

/** Of a setting that is said twice the last counts: devflow's come after the profile's. `resume` and `fork` take no flag for the sandbox: all come before. */
export function execCommand(request: ExecRequest, options: CliOptions): AgentCommand {
  const { mode, model, effort, mcp, outputSchema, cwd, prompt } = request;
  const { instructions, stdin } = instruct(request);
  const args = [
    'exec',
    ...options.args,
    '--json',
    '--color=never',
    ...sandboxArgs(request),
    ...QUIET,
    ...(mode === 'review' ? reviewArgs(cwd) : []),
    ...(model === undefined ? [] : [`--model=${model}`]),
    ...(effort === undefined ? [] : setting('model_reasoning_effort', effort)),
    ...(instructions === undefined ? [] : setting('developer_instructions', instructions)),
    ...(mcp === undefined ? [] : setting('mcp_servers', serversOf(mcp))),
    ...(outputSchema === undefined
      ? []
      : [`--output-schema=${path.join(request.scratchDir, SCHEMA_FILE)}`]),
    ...sessionArgs(request),
    '-', // the prompt is on stdin
  ];
  const files = outputSchema && { [SCHEMA_FILE]: JSON.stringify(outputSchema) };
  return { program: options.program, args, stdin: stdin + prompt, ...(files && { files }) };
}

/** The flags that a command of this mode has, for a look into the help. */
export function flagsOf(mode: Mode): readonly string[] {
  const common = ['--json', '--color', '--sandbox', '--config', '--model', '--output-schema'];
  return mode === 'review' ? [...common, '--ignore-rules'] : common;
}

type OwnSandbox = 'read-only' | 'workspace-write' | 'danger-full-access';

/** Inside another sandbox Codex's own does not work: every command would fail. */
export function sandboxFor({
  mode,
  confinedBy,
}: {
  readonly mode: Mode;
  readonly confinedBy: Confinement;
}): OwnSandbox {
  if (confinedBy === 'devflow') return 'danger-full-access';
  if (mode === 'review') return 'read-only';
  return confinedBy === 'own' ? 'workspace-write' : 'danger-full-access';
}

function sandboxArgs(request: ExecRequest): readonly string[] {
  const sandbox = sandboxFor(request);
  // Said even where there are none, so that none of the user's configuration are added.
  const roots = setting('sandbox_workspace_write.writable_roots', request.extraWritableRoots);
  return [`--sandbox=${sandbox}`, ...(sandbox === 'workspace-write' ? roots : [])];
}

function sessionArgs({ sessionId, fork }: ExecRequest): readonly string[] {
  return sessionId === undefined ? [] : [fork === true ? 'fork' : 'resume', sessionId];
}

/** Codex adds `developer_instructions` to its own when a session begins; a continued one keeps those that it began with. */
function instruct({ instructions, sessionId }: ExecRequest): {
  readonly instructions?: string;
  readonly stdin: string;
} {
  if (instructions === undefined) return { stdin: '' };
  const arg = setting('developer_instructions', instructions).join(''); // quoting makes it longer
  const tooLong = Buffer.byteLength(arg) > LONGEST_ARGUMENT_BYTES;
  if (sessionId !== undefined || tooLong) return { stdin: `${instructions}\n\n` };
  return { instructions, stdin: '' };
}

function serversOf(servers: Readonly<Record<string, McpServer>>): TomlTable {
  const configured = Object.entries(servers).map(([name, server]) => [name, configOf(server)]);
  return Object.fromEntries(configured) as TomlTable; // of pairs of a name and a table
}

function configOf(server: McpServer): TomlTable {
  const common = {
    enabled: true,
    // Without it an agent whose tools could not be started would begin without them.
    required: true,
    // Otherwise each call would be refused, since nobody can be asked.
    default_tools_approval_mode: 'approve',
  };
  if ('command' in server) {
    const [command = '', ...args] = server.command;
    return { command, args, env: server.env, env_vars: server.envFrom, ...common };
  }
  const { url, headers, tokenFrom } = server;
  return { url, http_headers: headers, bearer_token_env_var: tokenFrom, ...common };
}

/** Where it keeps its sessions and login, and whom it calls: the model, and its vendor to renew a login. A model provider of one's own is a host to be added by hand. */
export function sandboxNeeds(
  _request: ExecRequest,
  env: Readonly<Record<string, string>>,
): SandboxNeeds {
  const home = env['CODEX_HOME'] ?? path.join(env['HOME'] ?? '/', '.codex');
  const sqlite = env['CODEX_SQLITE_HOME'];
  return {
    write: sqlite === undefined ? [home] : [home, sqlite],
    hosts: ['api.openai.com', 'chatgpt.com', 'auth.openai.com'],
  };
}
