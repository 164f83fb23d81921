import { stop } from '@devflow/core';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { placeOf } from '../place.js';
import type { Terminal } from '../terminal.js';
import { theUnfinishedRun } from '../unfinished.js';
import { nameRun } from '../text/hint.js';
import { statusText } from '../text/run.js';

export interface StopFlags {
  readonly json?: true;
  readonly cwd?: string;
}

export async function stopRun(
  named: string | undefined,
  flags: StopFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const place = placeOf(flags);
  const runId = named ?? (await theUnfinishedRun(place));
  const stopped = await stop(runId, place).catch((error: unknown) => {
    throw nameRun(error, runId);
  });
  terminal.out(
    flags.json === true
      ? `${JSON.stringify(stopped, undefined, 2)}\n`
      : statusText(stopped, terminal),
  );
  return EXIT.completed;
}
