/** The Claude Code CLI as a devflow agent. */
import type { AgentAdapter } from '@devflow/core/adapter';

import { ENV_FROM, execCommand, extraEnv } from './command.js';
import { type ClaudeOptions, DEFAULTS, readOptions } from './options.js';
import { completionSignalDetected, createParser } from './parse.js';
import { preflight } from './preflight.js';

export { CHECKED_VERSION, MINIMUM_VERSION } from './preflight.js';
export type { ClaudeOptions } from './options.js';

/** The adapter with the program `claude` of the PATH; a profile's options go to `configure`. */
export function claude(): AgentAdapter {
  return withOptions(DEFAULTS);
}

function withOptions(options: ClaudeOptions): AgentAdapter {
  return {
    name: 'claude',
    capabilities: { modes: ['work', 'review'], continue: true, models: true },
    envFrom: ENV_FROM,
    configure: (given) => withOptions(readOptions(given)),
    execCommand: (request) => execCommand(request, options),
    completionSignalDetected,
    extraEnv,
    preflight: (probe) => preflight(probe, options),
    createParser,
  };
}
