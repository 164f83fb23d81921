import type { Channel } from '../workflow/notify.js';
import type { NotifyOn } from '../workflow/schema-notify.js';
import type { Gate } from './gates.js';
import type { JournalRecord, RecordBody } from './records.js';

/** Where the run stands that persons are to be told of. */
export interface News {
  /** The number of the record that it is about. */
  readonly about: number;
  readonly on: NotifyOn;
  /** Where in the run it waits: a wait that follows another one there is no news. */
  readonly place: string;
  /** Names of the channels that were tried, whatever came of it. */
  readonly notified: readonly string[];
  /** The run has gone on since. */
  readonly isOver: boolean;
}

/** A message that did not get through. */
export type Undelivered = Omit<Extract<RecordBody, { type: 'notified' }>, 'type' | 'problem'> & {
  readonly problem: string;
  readonly at: string;
};

/** Pure: what a record makes of the news. @param gate the last one, after that record @param place see {@link News} */
export function newsAfter(
  news: News | undefined,
  record: JournalRecord,
  gate: Gate | undefined,
  place: string,
): News | undefined {
  const gateIsOpen = gate !== undefined && gate.decided === undefined;
  const over = news && { ...news, isOver: true };
  switch (record.type) {
    case 'gate-opened':
      return anew(record, 'gate', place);
    case 'run-waiting':
      return news?.on === 'waiting' && news.place === place
        ? { ...news, about: record.seq, isOver: false }
        : anew(record, 'waiting', place);
    case 'run-ended':
      if (record.state !== 'stopped') return anew(record, record.state, place);
      return isEndedBySilence(gate) ? anew(record, 'failed', place) : undefined;
    case 'gate-decided':
      return gateIsOpen ? news : over;
    case 'wait-over':
      return over;
    case 'run-resumed':
      if (gateIsOpen) return news;
      return record.by === 'due' ? over : undefined; // a person who resumes it has seen that
    case 'notified':
      return news?.about === record.about
        ? { ...news, notified: [...news.notified, record.channel] }
        : news;
    default:
      return news;
  }
}

/** Nobody has stopped it, and so nobody knows. */
function isEndedBySilence(gate: Gate | undefined): boolean {
  return gate?.decided?.by === 'timeout' && gate.decided.decision === 'abort';
}

function anew({ seq: about }: JournalRecord, on: NotifyOn, place: string): News {
  return { about, on, place, notified: [], isOver: false };
}

/** The channels on which the news is still to be told. */
export function channelsToTell(
  channels: readonly Channel[] = [],
  news: News | undefined,
): readonly Channel[] {
  if (news === undefined || news.isOver) return [];
  return channels.filter(({ on, name }) => on.includes(news.on) && !news.notified.includes(name));
}

/** What a record says of a message that did not get through. */
export function undeliveredOf(record: JournalRecord): readonly Undelivered[] {
  if (record.type !== 'notified' || record.problem === undefined) return [];
  const { about, on, channel, problem, at } = record;
  return [{ about, on, channel, problem, at }];
}
