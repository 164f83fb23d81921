import { secretValues } from '../environment.js';
import type { Environment } from '../git/git.js';
import type { Agents } from '../agents.js';
import type { RunDefinition } from '../state/definition.js';
import type { Channel } from '../workflow/notify.js';

/** Shorter ones are words of any text. */
const SHORTEST = 8;
/** Of the parts of a URL: `services` and `webhooks` are no secrets. */
const SHORTEST_PART = 16;

/** What must not be shown of a channel: where it leads but for the host, and what it is let in by. */
export function channelSecrets(channel: Channel, env: Environment): string[] {
  if (channel.type === 'desktop') return [];
  if (channel.type === 'command') return long(channel.envFrom.map((name) => env[name]));
  const { headers, tokenFrom } = channel;
  const token = tokenFrom === undefined ? undefined : env[tokenFrom];
  return [...urlSecrets(urlOf(channel, env)), ...long([token, ...Object.values(headers)])];
}

/** Undefined where its variable is not set. */
export function urlOf(
  { url }: Extract<Channel, { type: 'webhook' }>,
  env: Environment,
): string | undefined {
  return 'is' in url ? url.is : env[url.from];
}

function urlSecrets(url: string | undefined): string[] {
  if (url === undefined) return [];
  if (!URL.canParse(url)) return [url];
  const { pathname, search, searchParams, username, password, origin, href } = new URL(url);
  const parts = [...pathname.split('/'), ...searchParams.values()];
  const rest = `${pathname}${search}`;
  return [
    ...(url === origin || href === `${origin}/` ? [] : [url, href]),
    ...long([rest, pathname, username, password]),
    ...parts.filter((part) => part.length >= SHORTEST_PART),
  ];
}

function long(values: readonly (string | undefined)[]): string[] {
  return values.filter((value) => value !== undefined && value.length >= SHORTEST) as string[];
}

/** All that no message of a run may hold. @param agents those that are known here */
export function runSecrets(
  { workflow }: Pick<RunDefinition, 'workflow'>,
  agents: Agents,
  env: Environment,
): string[] {
  const ofProfiles = Object.values(workflow.profiles).flatMap((profile) =>
    secretValues(env, {}, profile),
  );
  const ofAgents = [...agents.values()]
    .flat()
    .flatMap(({ adapter, profile }) => secretValues(env, adapter, profile));
  const ofChannels = (workflow.notify ?? []).flatMap((channel) => channelSecrets(channel, env));
  return [...new Set([...ofProfiles, ...ofAgents, ...ofChannels])];
}
