import type { Terminal } from '../terminal.js';
import { type RunFacts, rememberFacts } from './facts.js';
import { block } from '../text/style.js';
import { sandboxLine } from './lines.js';
import { finalReport } from './report.js';
import type { Reporter } from './reporter.js';

/** The final report alone. That nobody confines the agent is said at once, beside it. */
export function quietReporter(terminal: Terminal): Reporter {
  const { style } = terminal;
  let facts: RunFacts | undefined;
  return {
    event(event) {
      facts = rememberFacts(facts, event);
      if (event.type === 'run-started' || event.type === 'run-resumed')
        terminal.err(`${sandboxLine(event.sandbox)}\n`);
    },
    say: (text) => terminal.err(`${block(text, terminal.errWidth)}\n`),
    aside: (show) => show(), // nothing is drawn
    async finish(result) {
      terminal.out(finalReport(result, facts, { style, width: terminal.width }));
    },
    close: () => Promise.resolve(),
  };
}
