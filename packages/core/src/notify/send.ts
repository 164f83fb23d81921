import { setTimeout as delay } from 'node:timers/promises';
import { cut, oneLine } from '../adapter/words.js';
import { howItEnded } from '../evidence/checks.js';
import { helperEnvironment, pick } from '../environment.js';
import type { Environment } from '../git/git.js';
import { type CommandResult, runCommand } from '../process/command.js';
import { effect } from '../process/effect.js';
import { redactor } from '../observe/redact.js';
import type { Channel } from '../workflow/notify.js';
import { DESKTOP_VARIABLES, desktopCommand } from './desktop.js';
import { type Message, messageVariables } from './message.js';
import { type Tried, postOnce } from './webhook.js';

export interface Sender {
  /** The caller's environment. */
  readonly env: Environment;
  /** Where commands run: the repository's root. */
  readonly cwd: string;
  /** Ends it at once. */
  readonly signal: AbortSignal;
  /** What no word of what went wrong may hold. */
  readonly secrets: readonly string[];
  /** Before a further try: is it still to be told? */
  readonly isNews?: () => boolean;
  /** Between the tries, in milliseconds; 1 s and 4 s where it is left out. */
  readonly pausesMs?: readonly number[];
}

/** There is one try more than there are pauses. */
const PAUSES_MS = [1_000, 4_000];

/**
 * Sends a message, in up to three tries, each with the channel's time limit. Throws nothing for what the channel does.
 * @returns `left` where it was not to go on
 */
export async function send(
  channel: Channel,
  message: Message,
  sender: Sender,
): Promise<'sent' | 'left' | { readonly problem: string }> {
  const { signal, secrets, isNews = () => true, pausesMs = PAUSES_MS } = sender;
  const redact = redactor(secrets);
  for (const pause of [...pausesMs, undefined]) {
    if (signal.aborted || !isNews()) return 'left';
    const tried = await tryOnce(channel, message, sender, redact);
    if (tried === 'sent') return 'sent';
    if (signal.aborted) return 'left';
    if (!tried.again || pause === undefined) return { problem: tried.problem };
    await delay(pause, undefined, { signal }).catch(() => undefined);
  }
  return 'left';
}

function tryOnce(
  channel: Channel,
  message: Message,
  { env, cwd, signal }: Sender,
  redact: (text: string) => string,
): Promise<Tried> {
  if (channel.type === 'webhook') return postOnce(channel, message, env, signal, redact);
  const missing = channel.type === 'command' ? whyNoCommand(channel, env) : undefined;
  if (missing !== undefined) return Promise.resolve({ problem: missing, again: false });
  const { timeoutMs } = channel;
  const limits = { cwd, timeoutMs, signal };
  const base = helperEnvironment(env);
  const ended =
    channel.type === 'desktop'
      ? effect('notify.desktop', () =>
          runCommand(desktopCommand(message), {
            ...limits,
            env: { ...base, ...pick(env, DESKTOP_VARIABLES) },
          }),
        )
      : effect('notify.command', () =>
          runCommand(channel.command, {
            ...limits,
            env: { ...base, ...pick(env, channel.envFrom), ...messageVariables(message) },
            input: `${JSON.stringify(message)}\n`,
          }),
        );
  return ended.then(
    (result) => outcomeOf(result, timeoutMs, redact),
    (error: unknown) => ({ problem: redact(String(error)), again: true }), // no process or handle is left
  );
}

/** Without a variable that it asks for it may do anything but tell. */
export function whyNoCommand(
  { envFrom }: Extract<Channel, { type: 'command' }>,
  env: Environment,
): string | undefined {
  const missing = envFrom.filter((name) => env[name] === undefined);
  return missing.length === 0 ? undefined : `${missing.join(' and ')} not set`;
}

function outcomeOf(
  result: CommandResult,
  timeoutMs: number,
  redact: (text: string) => string,
): Tried {
  if (result.status === 0) return 'sent';
  const said = result.output.trim().split('\n').at(-1) ?? '';
  const words = [howItEnded(result, timeoutMs), oneLine(said)].filter((part) => part !== '');
  return { problem: cut(redact(words.join(': ')), 300), again: result.spawnError === undefined };
}
