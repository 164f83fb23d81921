import { DevflowError } from '@devflow/core/errors';
import { type Restored, type Salvaged, restoreSalvaged, salvaged } from '@devflow/core/salvage';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { placeOf } from '../place.js';
import type { Terminal } from '../terminal.js';
import { nameRun } from '../text/hint.js';
import { fit, oneLine, printedLine, wrap } from '../text/style.js';
import { ago } from '../text/time.js';

export interface SalvageListFlags {
  readonly json?: true;
  readonly cwd?: string;
}

export interface SalvageRestoreFlags extends SalvageListFlags {
  readonly branch?: string;
}

export async function listSalvage(flags: SalvageListFlags, terminal: Terminal): Promise<ExitCode> {
  const all = await salvaged(placeOf(flags));
  if (flags.json === true) terminal.out(`${JSON.stringify(all, undefined, 2)}\n`);
  else if (all.length === 0)
    terminal.out('Nothing is saved here: `devflow clean --force` saves what it removes.\n');
  else terminal.out(table(all, terminal));
  return EXIT.completed;
}

/** @param number which of the run's; all of them if left out */
export async function restoreSalvage(
  run: string,
  number: string | undefined,
  { branch, ...flags }: SalvageRestoreFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const which = number === undefined ? {} : { number: numberOf(number) };
  const under = branch === undefined ? {} : { branch };
  const restored = await restoreSalvaged(run, { ...placeOf(flags), ...which, ...under }).catch(
    (error: unknown) => {
      throw nameRun(error, run);
    },
  );
  terminal.out(
    flags.json === true
      ? `${JSON.stringify(restored, undefined, 2)}\n`
      : restored.map((each) => restoredText(each, terminal)).join(''),
  );
  return EXIT.completed;
}

function numberOf(word: string): number {
  if (/^[1-9]\d{0,8}$/.test(word)) return Number(word);
  throw new DevflowError('OPTION_INVALID', `"${word}" is no number`, {
    hint: '`devflow salvage list` shows the numbers.',
  });
}

/** One line each: run and number as `restore` takes them, what it holds, and the last commit's subject. */
function table(all: readonly Salvaged[], { style, width }: Terminal): string {
  const rows = all.map(({ run, number, holds, at, subject }) => ({
    name: oneLine(`${run} ${number}`),
    holds: holds === 'files' ? 'not committed' : 'commits',
    at: at === undefined ? '' : ago(at),
    subject: oneLine(subject),
  }));
  const widest = (of: 'name' | 'holds' | 'at') => Math.max(...rows.map((row) => row[of].length));
  return rows
    .map(({ name, holds, at, subject }) => {
      const cells = `${name.padEnd(widest('name'))}  ${holds.padEnd(widest('holds'))}  ${at.padEnd(widest('at'))}  `;
      const left = width - cells.length;
      return `${`${cells}${left < 10 ? '' : style.dim(fit(subject, left))}`.trimEnd()}\n`;
    })
    .join('');
}

export function restoredText(
  { branch, holds, ref }: Restored,
  { style, width }: Pick<Terminal, 'style' | 'width'>,
): string {
  const what =
    holds === 'files' ? 'its last commit has what was not committed' : 'with its commits';
  const look = holds === 'files' ? `git show --stat ${branch}` : `git log ${branch}`;
  const lines = [
    `${style.green('✔')} branch ${style.bold(oneLine(branch))}: ${what}`,
    printedLine(`  look at it: \`${look}\``),
    printedLine(`  work on it: \`git switch ${branch}\``),
    `  ${wrap(`${ref} stays.`, width, '  ')}`,
  ];
  return `${lines.join('\n')}\n`;
}
