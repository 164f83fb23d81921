import { type CleanedRun, type SavedThing, clean } from '@devflow/core/clean';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { placeOf } from '../place.js';
import type { Terminal } from '../terminal.js';
import { plural, wrap } from '../text/style.js';

export interface CleanFlags {
  readonly dryRun?: true;
  readonly force?: true;
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
  const force = flags.force === true;
  const runs = await clean({ ...placeOf(flags), dryRun, force, ...which });
  terminal.out(
    flags.json === true ? `${JSON.stringify(runs, undefined, 2)}\n` : text(runs, dryRun, terminal),
  );
  // What was asked for by name and could not be done is no success; nor is what could not be saved.
  const isRefused = runs.some(({ kept }) =>
    kept.some(({ failed }) => named.length > 0 || failed === true),
  );
  return isRefused ? EXIT.failed : EXIT.completed;
}

function text(runs: readonly CleanedRun[], dryRun: boolean, { style, width }: Terminal): string {
  const [verb, save] = dryRun ? ['would remove', 'would save'] : ['removed', 'saved'];
  const line = (word: string, words: string) => `  ${word} ${wrap(words, width - 5, '    ')}`;
  const lines = runs.flatMap(({ run, removed, saved, kept }) => [
    style.bold(run ?? 'the repository'),
    ...saved.map((thing) => line(style.green(save), savedText(thing))),
    ...removed.map((what) => `  ${style.green(verb)} ${wrap(what, width, '    ')}`),
    ...kept.map(({ what, why }) => line(style.yellow('kept'), `${what}: ${why}`)),
  ]);
  const count = runs.reduce((sum, { removed }) => sum + removed.length, 0);
  const named = runs.filter(({ run }) => run !== undefined);
  return `${[...lines, `${verb} ${plural(count, 'thing')} of ${plural(named.length, 'run')}`].join('\n')}\n`;
}

function savedText({ what, ref, restore }: SavedThing): string {
  const held = what.startsWith('worktree')
    ? `what is not committed in ${what}`
    : `the commits of ${what}`;
  const where = ref === undefined ? '' : ` as ${ref}`;
  const not = what.startsWith('worktree') ? ' (what git ignores is not saved)' : '';
  return `${held}${where}${not}. Get it back: \`${restore}\``;
}
