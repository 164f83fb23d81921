/** The Claude Code CLI as a devflow agent. */
import { type AgentAdapter, type CliOptions, readCliOptions } from '@devflow/core/adapter';

import { ENV_FROM, execCommand, extraEnv } from './command.js';
import { RULES } from './options.js';
import { completionSignalDetected, createParser } from './parse.js';
import { preflight } from './preflight.js';

export { CHECKED_VERSION, MINIMUM_VERSION } from './preflight.js';

/** The adapter with the program `claude` of the PATH; a profile's options go to `configure`. */
export function claude(): AgentAdapter {
  return withOptions({ program: RULES.program, args: [] });
}

function withOptions(options: CliOptions): AgentAdapter {
  return {
    name: 'claude',
    capabilities: { modes: ['work', 'review'], continue: true, models: true },
    envFrom: ENV_FROM,
    configure: (given) => withOptions(readCliOptions(given, RULES)),
    execCommand: (request) => execCommand(request, options),
    completionSignalDetected,
    extraEnv,
    preflight: (probe) => preflight(probe, options),
    createParser,
  };
}
