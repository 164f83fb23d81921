import path from 'node:path';

import type {
  AgentCommand,
  Asked,
  CliOptions,
  ExecRequest,
  Mode,
  Probe,
} from '@devflow/core/adapter';

import { mcpConfig, mcpTools } from './mcp.js';

/**
 * A review cannot write: no tool but these three exists for it, and no MCP server but those of its
 * profile is started. Nor may settings that the reviewed work could have planted in the checkout
 * (hooks, helpers that are commands) act on it: only the user's own are read, and of those no hook runs.
 */
const REVIEW_ARGS = [
  '--tools', 'Read,Grep,Glob', '--strict-mcp-config',
  '--setting-sources', 'user', '--settings', '{"disableAllHooks":true}',
]; // prettier-ignore

const STREAM_ARGS = ['--output-format', 'stream-json', '--verbose'];

/** Nobody is there to be asked. */
const WORK_ARGS = ['--dangerously-skip-permissions'];

/** The variables that say where and as whom the agent calls its model. Cloud routes have credentials of their own: a profile names them. */
export const ENV_FROM = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_BASE_URL',
  'ANTHROPIC_CUSTOM_HEADERS',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CONFIG_DIR',
  'IS_SANDBOX',
];

/** Without these the agent calls its vendor, even for `auth status`, and replaces itself. */
export const QUIET = { DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' };

/** The words of `--effort`. Any other is ignored with a warning, and the default effort used. */
export const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'];

/** The agent tries a failed call again for over three minutes by default; devflow has retries of its own. */
const MAX_RETRIES = '3';

const INSTRUCTIONS_FILE = 'instructions.md';
const MCP_FILE = 'mcp.json';

/** Flags with many values swallow what follows: the profile's come first, and a flag follows each. */
export function execCommand(request: ExecRequest, options: CliOptions): AgentCommand {
  const { mode, model, effort, outputSchema, prompt } = request;
  const args = [
    '-p',
    ...options.args,
    ...STREAM_ARGS,
    ...modeArgs(mode),
    ...(model === undefined ? [] : [`--model=${model}`]),
    ...(effort === undefined ? [] : [`--effort=${effort}`]),
    ...instructionsArgs(request),
    ...mcpArgs(request),
    ...(outputSchema === undefined ? [] : [`--json-schema=${JSON.stringify(outputSchema)}`]),
    ...sessionArgs(request),
  ];
  // A slash at the very beginning would make it a command of the CLI's own, and no model would read it.
  const stdin = /^\s*\//.test(prompt) ? `Task: ${prompt}` : prompt;
  return { program: options.program, args, stdin, ...filesOf(request) };
}

/** By what is asked for. The help has no entry of its own for `--append-system-prompt-file`. */
const ASKED_FLAGS: Readonly<Record<Asked, string>> = {
  model: '--model',
  effort: '--effort',
  instructions: '--append-system-prompt',
  mcp: '--mcp-config',
  outputSchema: '--json-schema',
  sessionId: '--resume',
};

/** The flags that the command is going to have, for a look into the help. */
export function flagsOf({ mode, asks }: Pick<Probe, 'mode' | 'asks'>): readonly string[] {
  const flags = modeArgs(mode).filter((arg) => arg.startsWith('--'));
  const snapshot = asks.includes('instructions') && asks.includes('sessionId');
  return [
    '--print', '--output-format', '--verbose', ...flags, ...asks.map((asked) => ASKED_FLAGS[asked]),
    ...(snapshot ? ['--system-prompt-snapshot'] : []),
    ...(asks.includes('mcp') ? [mode === 'review' ? '--allowedTools' : '--strict-mcp-config'] : []),
  ]; // prettier-ignore
}

function modeArgs(mode: Mode): readonly string[] {
  return mode === 'review' ? REVIEW_ARGS : WORK_ARGS;
}

/** By file: one argument of 128 KiB is too long for the system. */
function instructionsArgs({ instructions, scratchDir, sessionId }: ExecRequest): string[] {
  if (instructions === undefined) return [];
  const file = `--append-system-prompt-file=${path.join(scratchDir, INSTRUCTIONS_FILE)}`;
  // A session keeps the system prompt it began with, whatever is passed later, unless it is told not to.
  return sessionId === undefined ? [file] : [file, '--system-prompt-snapshot=off'];
}

/** The servers that are given, and no others. In a review nobody could grant their tools: they are granted here. */
function mcpArgs({ mode, mcp, scratchDir }: ExecRequest): string[] {
  if (mcp === undefined) return [];
  const only = mode === 'review' ? [] : ['--strict-mcp-config'];
  if (Object.keys(mcp).length === 0) return only;
  const granted = mode === 'review' ? [`--allowedTools=${mcpTools(mcp).join(',')}`] : [];
  return [`--mcp-config=${path.join(scratchDir, MCP_FILE)}`, ...only, ...granted];
}

function sessionArgs({ sessionId, fork }: ExecRequest): string[] {
  if (sessionId === undefined) return [];
  return [`--resume=${sessionId}`, ...(fork === true ? ['--fork-session'] : [])];
}

function filesOf({ instructions, mcp = {} }: ExecRequest): Pick<AgentCommand, 'files'> {
  const files = {
    ...(instructions !== undefined && { [INSTRUCTIONS_FILE]: instructions }),
    ...(Object.keys(mcp).length > 0 && { [MCP_FILE]: mcpConfig(mcp) }),
  };
  return Object.keys(files).length === 0 ? {} : { files };
}

export function extraEnv({ confinedBy }: ExecRequest): Readonly<Record<string, string>> {
  return {
    ...QUIET,
    CLAUDE_CODE_MAX_RETRIES: MAX_RETRIES,
    // The agent waits without limit for a command that it put in the background, and its answer may
    // come before that: what it starts, it waits for.
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    // Said only where it is true: as root the agent refuses to work without it.
    ...(confinedBy === 'devflow' && { IS_SANDBOX: '1' }),
  };
}
