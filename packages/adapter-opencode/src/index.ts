/** The OpenCode CLI as a devflow agent. */
import { type AgentAdapter, type CliOptions, readCliOptions } from '@devflow/core/adapter';

import { ENV_FROM, REVIEW_HIDES, SEARCH_PATH, execCommand, extraEnv } from './command.js';
import { RULES } from './options.js';
import { completionSignalDetected, createParser } from './parse.js';
import { preflight } from './preflight.js';
import { sandboxNeeds } from './sandbox.js';

/** The adapter with the program `opencode` of the PATH; a profile's options go to `configure`. */
export function opencode(): AgentAdapter {
  return withOptions({ program: RULES.program, args: [] });
}

function withOptions(options: CliOptions): AgentAdapter {
  return {
    name: 'opencode',
    capabilities: {
      modes: ['work', 'review'],
      continue: true,
      fork: true,
      models: true,
      effort: true,
      instructions: true,
      mcp: true,
      usage: { tokens: 'live', usd: 'live' },
    },
    envFrom: ENV_FROM,
    searchPath: SEARCH_PATH,
    reviewHides: REVIEW_HIDES,
    configure: (given) => withOptions(readCliOptions(given, RULES)),
    execCommand: (request) => execCommand(request, options),
    completionSignalDetected,
    extraEnv,
    preflight: (probe) => preflight(probe, options),
    createParser,
    sandboxNeeds,
  };
}
