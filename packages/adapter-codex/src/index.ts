/** The Codex CLI as a devflow agent. */
import { type AgentAdapter, type CliOptions, readCliOptions } from '@devflow/core/adapter';

import { ENV_FROM, SEARCH_PATH, execCommand, sandboxNeeds } from './command.js';
import { RULES } from './options.js';
import { completionSignalDetected, createParser } from './parse.js';
import { preflight } from './preflight.js';

export { CHECKED_VERSION, MINIMUM_VERSION } from './preflight.js';

/** The adapter with the program `codex` of the PATH; a profile's options go to `configure`. */
export function codex(): AgentAdapter {
  return withOptions({ program: RULES.program, args: [] });
}

function withOptions(options: CliOptions): AgentAdapter {
  return {
    name: 'codex',
    capabilities: {
      modes: ['work', 'review'],
      continue: true,
      fork: true,
      models: true,
      effort: true,
      instructions: true,
      mcp: true,
      structuredOutput: true,
      ownSandbox: true,
      usage: { tokens: 'at-end', usd: 'none' },
    },
    envFrom: ENV_FROM,
    searchPath: SEARCH_PATH,
    configure: (given) => withOptions(readCliOptions(given, RULES)),
    execCommand: (request) => execCommand(request, options),
    completionSignalDetected,
    preflight: (probe) => preflight(probe, options),
    createParser,
    sandboxNeeds,
  };
}
