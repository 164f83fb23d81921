/** The Claude Code CLI as a devflow agent. */
import {
  type AgentAdapter,
  type AgentCapabilities,
  type CliOptions,
  readCliOptions,
} from '@devflow/core/adapter';

import { EFFORTS, ENV_FROM, execCommand, extraEnv } from './command.js';
import { RULES } from './options.js';
import { completionSignalDetected, createParser } from './parse.js';
import { preflight } from './preflight.js';
import { sandboxNeeds } from './sandbox.js';

export { CHECKED_VERSION, MINIMUM_VERSION } from './preflight.js';

const CAPABILITIES: AgentCapabilities = {
  modes: ['work', 'review'],
  continue: true,
  fork: true,
  models: true,
  effort: EFFORTS,
  instructions: true,
  mcp: true,
  structuredOutput: true,
  usage: { tokens: 'at-end', usd: 'at-end' },
};

/** Where its installer puts it, the installation it made of itself before that, and the package managers' own places. */
const SEARCH_PATH = ['~/.local/bin', '~/.claude/local', '~/.npm-global/bin', '~/.bun/bin'];

/** The adapter with the program `claude` of the PATH; a profile's options go to `configure`. */
export function claude(): AgentAdapter {
  return withOptions({ program: RULES.program, args: [] });
}

function withOptions(options: CliOptions): AgentAdapter {
  return {
    name: 'claude',
    capabilities: CAPABILITIES,
    envFrom: ENV_FROM,
    searchPath: SEARCH_PATH,
    configure: (given) => withOptions(readCliOptions(given, RULES)),
    execCommand: (request) => execCommand(request, options),
    completionSignalDetected,
    extraEnv,
    preflight: (probe) => preflight(probe, options),
    createParser,
    sandboxNeeds,
  };
}
