import { type CleanedRun, clean } from '@devflow/core/clean';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { placeOf } from '../place.js';
import type { Terminal } from '../terminal.js';
import { plural, wrap } from '../text/style.js';

export interface CleanFlags {
  readonly dryRun?: true;
  readonly json?: true;
  readonly cwd?: string;
}

/** @param named the runs to clean up; all that cannot be resumed where it is empty */
export async function cleanUp(
  named: readonly string[],
  flags: CleanFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const dryRun = flags.dryRun === true;
  const which = named.length === 0 ? {} : { runs: named };
  const runs = await clean({ ...placeOf(flags), dryRun, ...which });
  terminal.out(
    flags.json === true ? `${JSON.stringify(runs, undefined, 2)}\n` : text(runs, dryRun, terminal),
  );
  return EXIT.completed;
}

function text(runs: readonly CleanedRun[], dryRun: boolean, { style, width }: Terminal): string {
  const verb = dryRun ? 'would remove' : 'removed';
  const lines = runs.flatMap(({ run, removed, kept }) => [
    style.bold(run),
    ...removed.map((what) => `  ${style.green(verb)} ${wrap(what, width, '    ')}`),
    ...kept.map(
      ({ what, why }) => `  ${style.yellow('kept')} ${wrap(`${what}: ${why}`, width - 5, '    ')}`,
    ),
  ]);
  const count = runs.reduce((sum, { removed }) => sum + removed.length, 0);
  return `${[...lines, `${verb} ${plural(count, 'thing')} of ${plural(runs.length, 'run')}`].join('\n')}\n`;
}
