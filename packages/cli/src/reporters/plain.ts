import type { RunEvent } from '@devflow/core';
import type { Terminal } from '../terminal.js';
import { skippedLine } from '../text/attempts.js';
import { block, fit, oneLine, wrap } from '../text/style.js';
import { elapsed, inLocalTime } from '../text/time.js';
import { type RunFacts, phaseLabel, rememberFacts } from './facts.js';
import {
  activities,
  againIn,
  attemptLine,
  isNotable,
  openingLines,
  decidedLine,
  waitingLine,
} from './lines.js';
import { finalReport } from './report.js';
import type { Reporter } from './reporter.js';

/** A line for each thing that happened: for logs, and where nothing can be drawn. */
export function plainReporter(terminal: Terminal): Reporter {
  const { style } = terminal;
  let facts: RunFacts | undefined;
  return {
    event(event) {
      facts = rememberFacts(facts, event);
      for (const line of eventLines(event, facts, terminal)) terminal.out(`${line}\n`);
    },
    say: (text) => terminal.err(`${block(text, terminal.errWidth)}\n`),
    aside: (show) => show(), // nothing is drawn
    async finish(result) {
      terminal.out(`\n${finalReport(result, facts, { style, width: terminal.width })}`);
    },
    close: () => Promise.resolve(),
  };
}

function eventLines(
  event: RunEvent,
  facts: RunFacts | undefined,
  { style, width }: Terminal,
): string[] {
  const since = facts === undefined ? 0 : Math.max(0, Date.parse(event.at) - facts.startedAt);
  const clock = elapsed(since).padStart(7);
  const indent = ' '.repeat(clock.length + 2);
  const at = (text: string, paint = style.plain) =>
    `${style.dim(clock)}  ${paint(wrap(text, width, indent))}`;
  /** What agents say may be long; what devflow says is not cut. */
  const note = (text: string) => `note: ${inLocalTime(oneLine(text))}`;
  const cut = (text: string) => fit(text, width - clock.length - 2);
  const phase = 'phase' in event ? phaseLabel(facts, event.phase) : '';
  switch (event.type) {
    case 'run-started':
    case 'run-resumed':
      return openingLines(event).map((line) => wrap(line, width, '  '));
    case 'note':
      return [at(note(event.text))];
    case 'preflight':
      return event.notes.map((text) => at(note(text))); // problems end the run: the report has them
    case 'worktree-ready':
      return [at(`worktree ${event.directory}`)];
    case 'setup-started':
      return [at(`setup: ${oneLine(event.name)}`)];
    case 'phase-entered':
      return [at(cut(`${phase}: entered, because ${oneLine(event.because)}`))];
    case 'phase-skipped':
      return [at(skippedLine(event))];
    case 'attempt-started':
      return [
        at(
          `${phase}: ${event.agent} ${event.adopted ? 'is followed' : 'begins'}, attempt ${event.attempt}`,
        ),
      ];
    case 'agent': {
      const said = isNotable(event.event) ? activities(event.event) : [];
      return said.map((words) => at(cut(`${phase}: ${words}`)));
    }
    case 'check-started':
      return [];
    case 'check-ended': {
      const { name, passed, ended, durationMs } = event.check;
      const said = passed ? 'passed' : `failed (${ended})`;
      const when = event.before === true ? ', before the phase,' : '';
      const text = `${phase}: check "${oneLine(name)}"${when} ${said} in ${elapsed(durationMs)}`;
      if (event.before === true) return [at(text)]; // no ground for anything
      return [at(text, passed ? style.green : style.red)];
    }
    case 'attempt-ended':
      return [
        at(
          `${phase}: ${attemptLine(event)}`,
          event.outcome === 'completed' ? style.green : style.red,
        ),
      ];
    case 'retry-pause':
      return [at(`${phase}: ${againIn(event)}`)];
    case 'run-waiting':
      return [at(waitingLine(event))];
    case 'gate-decided':
      return [at(decidedLine(event))];
    case 'wait-over':
      return [at('the wait is over')];
    case 'gate-opened': // that it waits is told too
    case 'worktree-adding':
    case 'worktree-removed':
    case 'run-ended':
      return []; // the report says it
    default:
      return event satisfies never;
  }
}
