import { DevflowError } from '@devflow/core/errors';
import { status } from '@devflow/core/status';
import { findAttempts } from '../logs/attempts.js';
import { followRun } from '../logs/follow.js';
import { createPrinter } from '../logs/run-printer.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { placeOf } from '../place.js';
import type { Terminal } from '../terminal.js';
import { wrap } from '../text/style.js';
import { othersLine, theRunToLookAt } from '../unfinished.js';

export interface LogsFlags {
  readonly phase?: string;
  readonly follow?: true;
  readonly raw?: true;
  readonly cwd?: string;
}

export async function logs(
  named: string | undefined,
  flags: LogsFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const place = placeOf(flags);
  const { id: runId, others } = named === undefined ? await theRunToLookAt(place) : { id: named };
  const run = await status(runId, place);
  const printer = createPrinter(run, () => status(runId, place), flags, terminal);
  if ((await printer.print()) === 0 && flags.phase !== undefined && flags.follow !== true)
    throw noPhase(flags.phase, run.directory);
  if (flags.follow === true) await followRun(runId, place, printer, terminal);
  else {
    printer.end();
    if (others !== undefined && others.length > 0)
      terminal.err(`${wrap(`this was ${runId}; ${othersLine(others)}`, terminal.errWidth)}\n`);
  }
  return EXIT.completed;
}

function noPhase(asked: string, directory: string): DevflowError {
  const known = [...new Set(findAttempts(directory).map(({ phase, name }) => `${phase} ${name}`))];
  return new DevflowError('OPTION_INVALID', `--phase: no attempt at a phase "${asked}" so far`, {
    hint:
      known.length === 0 ? 'No phase has begun yet.' : `There are logs of: ${known.join(', ')}.`,
  });
}
