import type { Problem } from '../adapter/index.js';
import type { RunContext } from '../context.js';
import { baseEnvironment, pick } from '../environment.js';
import type { Environment } from '../git/git.js';
import { findProgram } from '../process/program.js';
import { redactor } from '../observe/redact.js';
import type { Channel } from '../workflow/notify.js';
import { whyNoDesktop } from './desktop.js';
import { probeMessage } from './message.js';
import { runSecrets } from './secrets.js';
import { send, whyNoCommand } from './send.js';
import { whyNoWebhook } from './webhook.js';

type Context = Pick<RunContext, 'definition' | 'repository' | 'agents' | 'env' | 'stop'>;

/**
 * What stands in the way of telling persons of this run. Nobody hears of a run whose channel is broken, so that
 * is found before anything is spent.
 */
export async function probeChannels(context: Context): Promise<Problem[]> {
  const channels = context.definition.workflow.notify ?? [];
  const found = await Promise.all(channels.map((channel) => probeChannel(context, channel)));
  return found.flat();
}

/**
 * A webhook and the desktop get a message `probe`: whether they take one can be found out in no other way (a session
 * bus may be there, and nobody who shows anything). A command is not run: it may wake somebody.
 */
export async function probeChannel(context: Context, channel: Channel): Promise<Problem[]> {
  const { definition, repository, agents, env, stop: signal } = context;
  const looked = lookAt(channel, repository.root, env);
  if (looked.length > 0 || channel.type === 'command') return looked;
  const secrets = runSecrets(definition, agents, env);
  const base = { definition, root: repository.root, redact: redactor(secrets) };
  const message = probeMessage(base);
  const came = await send(channel, message, { env, cwd: repository.root, signal, secrets });
  if (came === 'sent') return [];
  return [unreachable(channel, came === 'left' ? 'stopped before it answered' : came.problem)];
}

/** What can be said without sending anything. */
export function lookAtChannels({
  definition,
  repository,
  env,
}: Pick<Context, 'definition' | 'repository' | 'env'>): Problem[] {
  const channels = definition.workflow.notify ?? [];
  return channels.flatMap((channel) => lookAt(channel, repository.root, env));
}

function lookAt(channel: Channel, cwd: string, env: Environment): Problem[] {
  const why = whyNot(channel, cwd, env);
  return why === undefined ? [] : [unreachable(channel, why)];
}

function whyNot(channel: Channel, cwd: string, env: Environment): string | undefined {
  if (channel.type === 'webhook') return whyNoWebhook(channel, env);
  if (channel.type === 'desktop') return whyNoDesktop(cwd, env);
  const { command, envFrom } = channel;
  const missing = whyNoCommand(channel, env);
  if (missing !== undefined) return missing;
  const [program = ''] = command;
  const visible = { ...baseEnvironment(env), ...pick(env, envFrom) };
  if (findProgram(program, cwd, visible) !== undefined) return undefined;
  return program.includes('/')
    ? `${program} does not exist, or cannot be executed`
    : `${program} is not in the PATH, or cannot be executed`;
}

function unreachable({ name }: Channel, why: string): Problem {
  return {
    code: 'NOTIFY_UNREACHABLE',
    message: `nobody can be told by ${name}: ${why}`,
    hint: 'Mend it and resume; or correct `notify` in the configuration and start a new run. Approving the gate goes on, and what cannot be told is recorded.',
  };
}
