import { createInterface } from 'node:readline';
import type { Problem } from '@devflow/core';
import type { Source } from '@devflow/core/directory';
import { DevflowError } from '@devflow/core/errors';
import type { Terminal } from '../terminal.js';
import { oneLine, plural } from '../text/style.js';

/** Local code that nobody has confirmed as it is now. */
export interface Unconfirmed {
  readonly name: string;
  readonly source: Source;
}

/** So many of a directory's files are shown. */
const SHOWN_FILES = 20;

/** May a person be asked here? */
export function canAsk(terminal: Terminal, flags: { readonly json?: true; readonly quiet?: true }) {
  return (
    terminal.interactive &&
    process.stdin.isTTY &&
    process.stderr.isTTY &&
    flags.json !== true &&
    flags.quiet !== true
  );
}

/** Shows what would be run as the user; nothing but a plain yes counts as one. */
export async function askToConfirm(
  { name, source }: Unconfirmed,
  terminal: Terminal,
): Promise<boolean> {
  const { path, files, hash } = source;
  const shown = files.slice(0, SHOWN_FILES).map((file) => `  ${oneLine(file)}`);
  const more = files.length - shown.length;
  const lines = [
    `The adapter "${oneLine(name)}" is code that you have not confirmed as it is now:`,
    oneLine(path),
    ...shown,
    ...(more > 0 ? [`  and ${plural(more, 'more file')}`] : []),
    `sha256 ${hash}`,
    '',
  ];
  terminal.err(lines.join('\n'));
  const answer = await ask('Run it as you, now and as long as it does not change? [y/N] ');
  return /^y(es)?$/i.test(answer.trim());
}

/** Nothing where the input ends, or Ctrl-C is pressed. */
function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    lines.once('close', () => resolve(''));
    lines.question(question, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}

export function unconfirmedError(unconfirmed: readonly Unconfirmed[]): DevflowError {
  const names = unconfirmed.map(({ name }) => quoted(name)).join(' ');
  return new DevflowError(
    'ADAPTER_UNCONFIRMED',
    'code of your own must be confirmed before it is run',
    {
      problems: unconfirmed.map(unconfirmedText),
      hint: `Read it: it will be run as you. Then confirm it: \`devflow adapters --accept ${names}\`.`,
    },
  );
}

/** The same as one thing that stands in the way. */
export function unconfirmedProblem({ name, source }: Unconfirmed): Problem {
  return {
    code: 'ADAPTER_UNCONFIRMED',
    message: `nobody has confirmed it as it is now (sha256 ${source.hash.slice(0, 12)}…)`,
    hint: `Read it: it will be run as you. Then: \`devflow adapters --accept ${quoted(name)}\`.`,
  };
}

export function unconfirmedText({ name, source }: Unconfirmed): string {
  return `${name}: nobody has confirmed ${source.path} as it is now (sha256 ${source.hash.slice(0, 12)}…)`;
}

/** As it can be typed into a shell. */
function quoted(name: string): string {
  return /^[\w./@-]+$/.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`;
}
