import { status } from '@devflow/core/status';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { placeOf } from '../place.js';
import type { Terminal } from '../terminal.js';
import { statusText } from '../text/run.js';
import { wrap } from '../text/style.js';
import { othersLine, runsToLookAt } from '../unfinished.js';

export interface StatusFlags {
  readonly json?: true;
  readonly cwd?: string;
}

export async function showStatus(
  named: string | undefined,
  flags: StatusFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const place = placeOf(flags);
  if (named !== undefined) {
    const run = await status(named, place);
    const json = () => `${JSON.stringify(run, undefined, 2)}\n`;
    terminal.out(flags.json === true ? json() : statusText(run, terminal));
    return EXIT.completed;
  }
  const { runs, others } = await runsToLookAt(place);
  if (flags.json === true) terminal.out(`${JSON.stringify([...runs, ...others], undefined, 2)}\n`);
  else if (runs.length === 0)
    terminal.out('There is no run here yet: `devflow run "…"` starts one.\n');
  else {
    terminal.out(runs.map((run) => statusText(run, terminal)).join('\n'));
    if (others.length > 0)
      terminal.out(`\n${terminal.style.dim(wrap(othersLine(others), terminal.width))}\n`);
  }
  return EXIT.completed;
}
