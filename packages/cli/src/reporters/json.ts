import type { Terminal } from '../terminal.js';
import { block } from '../text/style.js';
import { sandboxLine } from './lines.js';
import type { Reporter } from './reporter.js';

/** Run events as JSON, one a line; the result is the last. What is for people goes to stderr. */
export function jsonReporter(terminal: Terminal): Reporter {
  const print = (value: unknown) => terminal.out(`${JSON.stringify(value)}\n`);
  return {
    event(event) {
      print(event);
      if (event.type === 'run-started' || event.type === 'run-resumed')
        terminal.err(`${sandboxLine(event.sandbox)}\n`);
    },
    say: (text) => terminal.err(`${block(text, terminal.errWidth)}\n`),
    aside: (show) => show(), // nothing is drawn
    async finish(result) {
      print({ type: 'result', v: 1, ...result });
    },
    close: () => Promise.resolve(),
  };
}
