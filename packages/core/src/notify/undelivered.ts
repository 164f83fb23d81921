import type { Undelivered } from '../state/news.js';

/** A message that did not get through, in the same words wherever that is shown. */
export function undeliveredText({
  on,
  channel,
  problem,
}: Pick<Undelivered, 'on' | 'channel' | 'problem'>): string {
  return `nobody was told "${on}" by ${channel}: ${problem}`;
}
