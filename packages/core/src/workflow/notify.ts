import { type ChannelDefinition, NOTIFY_ON, type NotifyOn } from './schema-notify.js';
import { parseDuration } from './units.js';

/** A way to tell persons who do not look. */
export type Channel = {
  /** As it is shown and recorded: without what may be a secret. No two of a workflow have the same. */
  readonly name: string;
  readonly on: readonly NotifyOn[];
  /** Of each try. */
  readonly timeoutMs: number;
} & (CommandChannel | WebhookChannel | { readonly type: 'desktop' });

interface CommandChannel {
  readonly type: 'command';
  readonly command: readonly string[];
  readonly envFrom: readonly string[];
}

interface WebhookChannel {
  readonly type: 'webhook';
  readonly url: { readonly is: string } | { readonly from: string };
  readonly headers: Readonly<Record<string, string>>;
  readonly tokenFrom?: string;
}

/** The schema has refused what is none; what is wrong with a URL goes to `problems`. */
export function fillNotify(
  definitions: readonly ChannelDefinition[],
  problems: string[],
): readonly Channel[] {
  const channels = definitions.map((definition, index) => {
    if (typeof definition === 'object' && 'webhook' in definition && !isUrl(definition.webhook))
      problems.push(
        `notify[${index}].webhook: expected a URL that begins with https:// or http://, without user and password`,
      );
    return fillChannel(definition);
  });
  return channels.map((channel, index) => {
    const before = channels.slice(0, index).filter(({ name }) => name === channel.name).length;
    return before === 0 ? channel : { ...channel, name: `${channel.name} (${before + 1})` };
  });
}

function fillChannel(definition: ChannelDefinition): Channel {
  if (definition === 'desktop')
    return { type: 'desktop', name: 'desktop', on: NOTIFY_ON, timeoutMs: TIMEOUT_MS };
  const { on = NOTIFY_ON, timeout } = definition;
  const settings = {
    on,
    timeoutMs: (timeout === undefined ? undefined : parseDuration(timeout)) ?? TIMEOUT_MS,
  };
  if ('command' in definition) {
    const { command, envFrom = [] } = definition;
    return { type: 'command', name: `command ${command[0]}`, command, envFrom, ...settings };
  }
  const { webhook, urlFrom = '', headers = {}, tokenFrom } = definition;
  return {
    type: 'webhook',
    name: `webhook ${webhook === undefined ? `of ${urlFrom}` : originOf(webhook)}`,
    url: webhook === undefined ? { from: urlFrom } : { is: webhook },
    headers,
    ...(tokenFrom !== undefined && { tokenFrom }),
    ...settings,
  };
}

const TIMEOUT_MS = 10_000;

/** May a message be posted there? A user and a password in a URL are refused by fetch. */
export function isUrl(text: string | undefined): text is string {
  if (text === undefined || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : '(not a URL)';
}
