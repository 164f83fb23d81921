import type { AgentCommand, CliOptions, ExecRequest, Mode } from '@devflow/core/adapter';

import { REVIEW_AGENT, configuration, generatedFiles } from './configuration.js';

/** The variables that say where OpenCode's own settings are, and the keys of its best-known providers. A profile names others. */
export const ENV_FROM = [
  'OPENCODE_CONFIG',
  'OPENCODE_CONFIG_DIR',
  'OPENCODE_AUTH_CONTENT',
  'OPENCODE_API_KEY',
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'OPENROUTER_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
];

export const SEARCH_PATH = [
  '~/.opencode/bin', '~/.local/bin', '~/.bun/bin', '~/.npm-global/bin', '~/.local/share/pnpm',
  '~/.volta/bin', '/usr/local/bin', '/opt/homebrew/bin', '/home/linuxbrew/.linuxbrew/bin',
]; // prettier-ignore

/**
 * Without these it replaces itself, fetches the list of models at every start, and downloads language
 * servers. Models that are newer than its own list come by `opencode models --refresh`.
 */
export const QUIET = {
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
};

/**
 * What the reviewed work could have planted in the checkout does not act on its review: plugins, tools
 * and tool servers, which are code in or beside the agent's process; agents, permissions, instructions,
 * skills.
 */
export const UNSTEERED = {
  OPENCODE_DISABLE_PROJECT_CONFIG: '1',
  OPENCODE_DISABLE_EXTERNAL_SKILLS: '1',
};

/**
 * A second loader of OpenCode's, which reads these whatever the variables above say, runs their plugins in
 * its own process once a session begins. They are taken out of a review's checkout.
 */
export const REVIEW_HIDES = ['.opencode', 'opencode.json', 'opencode.jsonc'];

/**
 * With a plugin OpenCode waits at its start for a package that it installs into each of its configuration
 * directories, the user's and the project's; without a network npm tries for over a minute. Taken from
 * npm's cache it is there at once, or not at all. The watchdog takes the variable away again before any
 * tool runs.
 */
export const INSTALLS = { npm_config_offline: 'true' };

export function execCommand(request: ExecRequest, options: CliOptions): AgentCommand {
  const { mode, model, effort, sessionId, fork, prompt, cwd, phase } = request;
  const args = [
    'run',
    ...options.args,
    '--format',
    'json',
    // It follows PWD otherwise; and a session is only heard of in its own directory.
    '--dir',
    cwd,
    // Without one it asks a model for it.
    '--title',
    `devflow, phase ${phase}`,
    ...modeArgs(mode),
    ...(model === undefined ? [] : [`--model=${model}`]),
    ...(effort === undefined ? [] : [`--variant=${effort}`]),
    ...(sessionId === undefined ? [] : [`--session=${sessionId}`]),
    ...(fork === true ? ['--fork'] : []),
  ];
  return { program: options.program, args, stdin: prompt, files: generatedFiles(request) };
}

/** The flags that a command of this mode may have, for a look into the help. */
export function flagsOf(mode: Mode): readonly string[] {
  const flags = modeArgs(mode).filter((arg) => arg.startsWith('--'));
  return ['--format', '--dir', '--title', '--model', '--variant', '--session', '--fork', ...flags];
}

/** Nobody is there to be asked: what any rule would ask is allowed, what a rule of the user denies stays denied. */
function modeArgs(mode: Mode): readonly string[] {
  return mode === 'review' ? ['--agent', REVIEW_AGENT] : ['--auto'];
}

export function extraEnv(request: ExecRequest): Readonly<Record<string, string>> {
  const { mode } = request;
  return {
    ...QUIET,
    ...INSTALLS,
    ...(mode === 'review' && UNSTEERED),
    // Of all configuration this is read last, above the project's own.
    OPENCODE_CONFIG_CONTENT: JSON.stringify(configuration(request, Object.keys(INSTALLS))),
  };
}
