import type { RunContext } from '../context.js';
import { type News, channelsToTell } from '../state/news.js';
import { redactor } from '../observe/redact.js';
import type { Channel } from '../workflow/notify.js';
import { type Message, type MessageBase, faultMessage, newsMessage } from './message.js';
import { runSecrets } from './secrets.js';
import { send } from './send.js';
import { undeliveredText } from './undelivered.js';

/** What it needs to know of a run. */
export type Told = Pick<
  RunContext,
  'definition' | 'repository' | 'agents' | 'env' | 'stop' | 'log' | 'emit'
>;

/** Tells persons where a run stands, while it goes on. */
export interface Notifier {
  /** Begins to tell what the journal says, each channel once. What came of it is journalled; it holds nobody up. */
  tell(): void;
  /** All is told, or cannot be: after the time limits of the channels at the latest. Throws what could not be journalled. */
  settled(): Promise<void>;
}

export function notifier(told: Told): Notifier {
  let telling = Promise.resolve();
  return {
    tell() {
      if (channelsToTell(told.definition.workflow.notify, told.log.state.news).length === 0) return;
      telling = telling.then(() => tellNews(told)); // one after another: the later word is the last
      telling.catch(() => undefined); // `settled` says it
    },
    settled: () => telling,
  };
}

/** Tells where the run stands on every channel on which that was not tried yet. */
export async function tellNews(told: Told): Promise<void> {
  const { definition, log } = told;
  const { state } = log;
  const { news } = state;
  const channels = channelsToTell(definition.workflow.notify, news);
  if (news === undefined || channels.length === 0) return;
  const message = newsMessage(baseOf(told), state, news);
  await Promise.all(channels.map((channel) => tellOn(told, channel, message, news)));
}

async function tellOn(
  told: Told,
  channel: Channel,
  message: Message,
  { about, on }: News,
): Promise<void> {
  const { log, emit } = told;
  const isNews = () => log.state.news?.about === about && !log.state.news.isOver;
  const came = await send(channel, message, { ...senderOf(told), isNews });
  if (came === 'left') return; // told no longer, or by whoever comes next
  const problem = came === 'sent' ? {} : came;
  log.append({ type: 'notified', about, on, channel: channel.name, ...problem });
  if (came !== 'sent')
    emit({ type: 'note', text: undeliveredText({ on, channel: channel.name, ...came }) });
}

/**
 * A run that cannot go on, and cannot say so in its journal: whoever is told of failures is told here.
 * Throws nothing.
 */
export async function tellFault(told: Told, fault: unknown): Promise<void> {
  const { definition, emit } = told;
  const channels = (definition.workflow.notify ?? []).filter(({ on }) => on.includes('failed'));
  const why = fault instanceof Error ? fault.message : String(fault);
  const message = faultMessage(baseOf(told), why);
  await Promise.all(
    channels.map(async (channel) => {
      const came = await send(channel, message, senderOf(told));
      if (typeof came === 'object')
        emit({
          type: 'note',
          text: undeliveredText({ on: 'failed', channel: channel.name, ...came }),
        });
    }),
  );
}

function senderOf({ definition, repository, agents, env, stop }: Told) {
  const secrets = runSecrets(definition, agents, env);
  return { env, cwd: repository.root, signal: stop, secrets };
}

function baseOf(told: Told): MessageBase {
  const { definition, repository } = told;
  return { definition, root: repository.root, redact: redactor(senderOf(told).secrets) };
}
