import type { Terminal } from '../terminal.js';
import { type AttemptFiles, printsPlainText } from './attempts.js';
import { eventLine, headLine, placeLine, textLine } from './lines.js';
import { openTail } from './tail.js';

/** Prints what an attempt left, as it grows. */
export interface AttemptPrinter {
  /** Prints what is new. */
  print(): void;
  /** Says what only its end shows: a last line that was not ended, or that there was nothing. */
  end(): void;
}

export function rawPrinter({ stdout }: AttemptFiles, terminal: Terminal): AttemptPrinter {
  const tail = openTail(stdout);
  return {
    print: () => tail.readBytes((bytes) => terminal.out(bytes)),
    end: () => undefined,
  };
}

export function attemptPrinter(
  attempt: AttemptFiles,
  terminal: Terminal,
  agent: string | undefined,
): AttemptPrinter {
  const { style } = terminal;
  let silent = true;
  let over = false;
  const say = (text: string) => {
    if (text !== '') silent = false;
    terminal.out(text);
  };
  const event = { file: attempt.events, show: (line: string) => say(eventLine(line, terminal)) };
  // Of an agent that prints text the events are only samples, for those who watch.
  const streams = (['stdout', 'stderr'] as const).map((name) => ({
    file: attempt[name],
    show: (line: string) => say(textLine(line, name, style)),
  }));
  const sources = printsPlainText(attempt) === true ? streams : [event];
  const tails = sources.map(({ file, show }) => ({ tail: openTail(file), show }));
  terminal.out(`${headLine(attempt, agent, style)}\n`);
  return {
    print() {
      for (const { tail, show } of tails) tail.readLines(show);
    },
    end() {
      if (over) return;
      over = true;
      for (const { tail, show } of tails) tail.readRest(show);
      if (silent) terminal.out(placeLine(attempt, terminal));
    },
  };
}
