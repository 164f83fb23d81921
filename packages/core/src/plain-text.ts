import { type AgentEvent, type AgentEventParser, cut } from './adapter/index.js';

/** What is kept of a plain-text agent's last words, in characters. */
const TAIL = 64_000;

/** For agents without a parser: their standard output is their text. */
export function plainTextParser(): AgentEventParser & { takeEvent(): AgentEvent | undefined } {
  let tail: string[] = [];
  let length = 0;
  let shown = '';
  let lastWords = '';
  return {
    line(text) {
      const kept = text.length > TAIL ? text.slice(-TAIL) : text;
      tail.push(kept);
      length += kept.length + 1;
      if (length > 2 * TAIL) {
        const end = tail.join('\n').slice(-TAIL);
        tail = [end];
        length = end.length;
      }
      if (kept !== '') lastWords = kept;
      return [];
    },
    openCalls: () => 0,
    /** One event for all lines since the last: the last words stand for them, the log has them all. */
    takeEvent() {
      const words = lastWords.trim();
      if (words === shown || words === '') return undefined;
      shown = words;
      return {
        v: 1,
        kind: 'text',
        name: 'stdout',
        summary: cut(words, 300),
        state: 'working',
        child: false,
      };
    },
    result: () => ({ turn: 'unknown', finalText: tail.join('\n').slice(-TAIL) }),
  };
}
