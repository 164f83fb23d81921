import type { Environment } from '../git/git.js';
import type { Repository } from '../git/repository.js';
import type { Finding } from './machine.js';
import { probeChannel } from '../notify/probe.js';
import type { RunDefinition } from '../state/definition.js';

/** Each way in which persons would be told of a run; a message says so there, but for commands. */
export function lookAtChannels(
  definition: RunDefinition,
  repository: Repository,
  env: Environment,
): Promise<Finding[]> {
  const stop = new AbortController().signal;
  const context = { definition, repository, agents: new Map(), env, stop };
  return Promise.all(
    (definition.workflow.notify ?? []).map(async (channel) => {
      const problems = await probeChannel(context, channel);
      const found = problems.length === 0 ? `tells of ${channel.on.join(', ')}` : 'tells nobody';
      return { what: `notify ${channel.name}`, found, problems, notes: [] };
    }),
  );
}
