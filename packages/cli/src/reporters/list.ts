import type { RunEvent } from '@devflow/core';
import type { Terminal } from '../terminal.js';
import { skippedLine } from '../text/attempts.js';
import { block, oneLine, wrap } from '../text/style.js';
import { elapsed, inLocalTime } from '../text/time.js';
import { type RunFacts, phaseLabel, rememberFacts } from './facts.js';
import {
  activity,
  againIn,
  attemptLine,
  openingLines,
  decidedLine,
  waitingLine,
  waitsUntil,
} from './lines.js';
import { type LiveView, openLiveView } from './live.js';
import { finalReport } from './report.js';
import type { Reporter } from './reporter.js';

/** What the live part of the screen is about. */
interface UnderWay {
  readonly label: string;
  readonly phase: number | undefined;
  readonly since: number;
  readonly doing: string;
  /** The instant that is waited for: the time that is left is shown. */
  readonly until?: string;
}

/** On a terminal: what is over stands above as lines, what is under way and ahead is drawn below by listr2. */
export function listReporter(terminal: Terminal): Reporter {
  const { style } = terminal;
  let facts: RunFacts | undefined;
  let underWay: UnderWay | undefined;
  let view: LiveView | undefined;
  // listr2 takes its time to open and close, and events do not wait: one after another.
  let drawing = Promise.resolve();

  const title = () => {
    if (underWay === undefined) return '';
    const { label, since, until } = underWay;
    return `${label} ${until === undefined ? `· ${elapsed(Date.now() - since)}` : waitsUntil(until)}`;
  };
  const ahead = () =>
    (facts?.phases ?? [])
      .filter(({ id }) => id > (underWay?.phase ?? 0))
      .map(({ id, name }) => `${id} ${name}`);
  const draw = async (lines: readonly string[]) => {
    await view?.end();
    view = undefined;
    for (const line of lines) terminal.out(`${line}\n`);
    if (underWay === undefined || terminal.closed) return;
    view = openLiveView(title, ahead());
    view.activity(underWay.doing);
  };
  /** Prints lines above, then draws what is under way by then. */
  const redraw = (lines: readonly string[]) => {
    drawing = drawing.then(() => draw(lines));
  };
  return {
    event(event) {
      facts = rememberFacts(facts, event);
      const before = underWay;
      underWay = follow(underWay, event, facts);
      const lines = linesFor(event, facts, terminal);
      if (
        lines.length > 0 ||
        before?.phase !== underWay?.phase ||
        (before === undefined) !== (underWay === undefined)
      )
        redraw(lines);
      else if (underWay !== undefined && underWay !== before) {
        view?.title(title());
        view?.activity(underWay.doing);
      }
    },
    say: (text) => redraw([style.yellow(block(text, terminal.width))]),
    async aside(show) {
      const before = underWay;
      underWay = undefined;
      redraw([]);
      await drawing;
      const shown = await show();
      underWay ??= before;
      redraw([]);
      return shown;
    },
    async finish(result) {
      underWay = undefined;
      redraw(['', finalReport(result, facts, { style, width: terminal.width }).trimEnd()]);
      await drawing;
    },
    async close() {
      underWay = undefined;
      redraw([]);
      await drawing;
    },
  };
}

/** What is under way after an event. */
function follow(
  before: UnderWay | undefined,
  event: RunEvent,
  facts: RunFacts | undefined,
): UnderWay | undefined {
  const now = Date.parse(event.at); // also of what began before anybody watched
  const doing = (text: string) => before && { ...before, doing: text };
  switch (event.type) {
    case 'run-started':
    case 'run-resumed':
      return { label: 'getting ready', phase: undefined, since: now, doing: 'preflight' };
    case 'worktree-adding':
      return doing('adding the worktree');
    case 'setup-started':
      return doing(`setup: ${oneLine(event.name)}`);
    case 'phase-entered':
      return { label: phaseLabel(facts, event.phase), phase: event.phase, since: now, doing: '' };
    case 'attempt-started': {
      const again = event.attempt > 1 ? ` · attempt ${event.attempt}` : '';
      const label = `${phaseLabel(facts, event.phase)} · ${event.agent}${again}`;
      return {
        label,
        phase: event.phase,
        since: now,
        doing: event.adopted ? 'it was working already' : '',
      };
    }
    case 'agent': {
      const words = activity(event.event);
      return words === undefined ? before : doing(words);
    }
    case 'retry-pause':
      return doing(againIn(event));
    case 'check-started':
      return doing(`check: ${oneLine(event.name)}`);
    case 'wait-over':
    case 'gate-decided':
      return { label: 'going on', phase: before?.phase, since: now, doing: 'preflight' };
    case 'run-waiting': {
      const { stays, until, gate, run } = event;
      if (stays !== true) return undefined;
      const ask = gate === undefined ? '' : `\`devflow gates ${run}\` shows what is asked`;
      const label = gate === undefined ? 'waiting' : 'waiting for an answer';
      const ends = until === undefined ? {} : { until };
      return { label, phase: before?.phase, since: now, doing: ask, ...ends };
    }
    case 'run-ended':
      return undefined;
    default:
      return before;
  }
}

/** What an event leaves on the screen for good. */
function linesFor(
  event: RunEvent,
  facts: RunFacts | undefined,
  { style, width }: Terminal,
): string[] {
  const wrapped = (text: string) => wrap(text, width, '  ');
  const note = (text: string) => style.dim(wrap(`note: ${inLocalTime(text)}`, width, '  '));
  switch (event.type) {
    case 'run-started':
    case 'run-resumed': {
      const [sandbox = '', ...rest] = openingLines(event);
      return [style.yellow(sandbox), ...rest.map(wrapped), ''];
    }
    case 'note':
      return [note(event.text)];
    case 'preflight':
      return event.notes.map(note); // problems end the run: the report has them
    case 'check-ended': {
      const { name, passed, ended, durationMs } = event.check;
      if (event.before === true) {
        const said = `${passed ? 'passed' : `failed (${oneLine(ended)})`} before the phase`;
        return [style.dim(`  check "${oneLine(name)}" ${said} ${elapsed(durationMs)}`)];
      }
      const mark = passed ? style.green('✔') : style.red('✖');
      return [
        `  ${mark} check "${oneLine(name)}" ${passed ? '' : `(${oneLine(ended)}) `}${style.dim(elapsed(durationMs))}`,
      ];
    }
    case 'attempt-ended': {
      const mark = event.outcome === 'completed' ? style.green('✔') : style.red('✖');
      return [`${mark} ${wrapped(`${phaseLabel(facts, event.phase)}: ${attemptLine(event)}`)}`];
    }
    case 'phase-skipped':
      return [`${style.dim('-')} ${wrapped(skippedLine(event))}`];
    case 'run-waiting':
      return [style.yellow(wrap(waitingLine(event), width, '  '))];
    case 'gate-decided':
      return [wrap(decidedLine(event), width, '  ')];
    case 'wait-over':
      return ['the wait is over'];
    default:
      return [];
  }
}
