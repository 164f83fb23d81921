import type { RunView } from '@devflow/core';
import { listRuns } from '@devflow/core/status';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { placeOf } from '../place.js';
import type { Terminal } from '../terminal.js';
import { paintState, phaseText } from '../text/run.js';
import { fit, oneLine } from '../text/style.js';
import { ago } from '../text/time.js';

export interface ListFlags {
  readonly json?: true;
  readonly cwd?: string;
}

export async function list(flags: ListFlags, terminal: Terminal): Promise<ExitCode> {
  const runs = await listRuns(placeOf(flags));
  if (flags.json === true) terminal.out(`${JSON.stringify(runs, undefined, 2)}\n`);
  else if (runs.length === 0)
    terminal.out('There is no run here yet: `devflow run "…"` starts one.\n');
  else terminal.out(table(runs, terminal));
  return EXIT.completed;
}

/** One line a run, no wider than the screen: the task gives way first, then what is least asked for. */
function table(runs: readonly RunView[], { style, width }: Terminal): string {
  const rows = runs.map((run) => ({
    state: run.state,
    id: run.id,
    phase: phaseText(run),
    when: run.endedAt === undefined ? since('began', run.startedAt) : since('ended', run.endedAt),
    run,
  }));
  const widest = (name: Column) => Math.max(...rows.map((row) => row[name].length));
  const columns = COLUMNS.map((name) => ({ name, width: widest(name) }));
  const used = () => columns.reduce((sum, column) => sum + column.width + 2, 0);
  while (columns.length > 2 && used() > width) columns.pop();
  return rows
    .map((row) => {
      const cells = columns.map((column) => {
        const padding = ' '.repeat(column.width - row[column.name].length);
        const text = column.name === 'state' ? paintState(row.run.state, style) : row[column.name];
        return `${text}${padding}  `;
      });
      const left = width - used();
      const task = left < 10 ? '' : style.dim(fit(oneLine(row.run.task), left));
      return `${`${cells.join('')}${task}`.trimEnd()}\n`;
    })
    .join('');
}

function since(what: string, instant: string | undefined): string {
  return instant === undefined ? '' : `${what} ${ago(instant)}`;
}

const COLUMNS = ['id', 'state', 'phase', 'when'] as const;
type Column = (typeof COLUMNS)[number];
