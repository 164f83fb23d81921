import { createInterface } from 'node:readline';
import type { Problem } from '@devflow/core';
import { type Confirmation, type Source, sourceProblems } from '@devflow/core/directory';
import { DevflowError } from '@devflow/core/errors';
import { Interrupted } from '../interrupted.js';
import type { Terminal } from '../terminal.js';
import { oneLine, plural } from '../text/style.js';

/** Local code that nobody has confirmed as it is now. */
export interface Unconfirmed {
  readonly name: string;
  readonly source: Source;
  readonly confirmation: Exclude<Confirmation, 'confirmed'>;
  /** Is there one of devflow's own of that name? */
  readonly replaces: boolean;
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
  { name, source, confirmation, replaces }: Unconfirmed,
  terminal: Terminal,
  goOn?: string,
): Promise<boolean> {
  const { path, files, hash } = source;
  const shown = files.slice(0, SHOWN_FILES).map((file) => `  ${oneLine(file)}`);
  const more = files.length - shown.length;
  const lines = [
    `The adapter "${oneLine(name)}" is code that ${SAID_OF[confirmation]}:`,
    oneLine(path),
    ...(replaces ? [`It takes the place of devflow's own "${oneLine(name)}".`] : []),
    ...shown,
    ...(more > 0 ? [`  and ${plural(more, 'more file')}`] : []),
    `sha256 ${hash}`,
    ...(goOn === undefined ? [] : [goingOn(goOn)]),
    '',
  ];
  terminal.err(lines.join('\n'));
  const answer = await ask('Run it as you, now and as long as it does not change? [y/N] ');
  return /^y(es)?$/i.test(answer.trim());
}

const SAID_OF = {
  new: 'you have not confirmed yet',
  changed: 'has changed since you confirmed it',
} as const satisfies Record<Unconfirmed['confirmation'], string>;

/** Nothing where the input ends. @throws Interrupted at Ctrl-C */
function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve, reject) => {
    lines.once('SIGINT', () => {
      reject(new Interrupted());
      lines.close();
    });
    lines.once('close', () => resolve(''));
    lines.question(question, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}

export function unconfirmedError(unconfirmed: readonly Unconfirmed[], goOn?: string): DevflowError {
  const names = unconfirmed.map(({ name }) => quoted(name)).join(' ');
  return new DevflowError(
    'ADAPTER_UNCONFIRMED',
    'code of your own must be confirmed before it is run',
    {
      problems: unconfirmed.map(unconfirmedText),
      hint: [toConfirm(names), ...(goOn === undefined ? [] : [goingOn(goOn)])].join(' '),
    },
  );
}

function goingOn(command: string): string {
  return `A run goes on with other code than it began with only by \`${command}\`.`;
}

/**
 * A person takes time to answer: what they were shown may be something else by then.
 *
 * @throws DevflowError ADAPTER_UNCONFIRMED
 */
export function requireUnchanged(name: string, source: Source | undefined): void {
  const problems = source === undefined ? [] : sourceProblems(source);
  if (problems.length === 0) return;
  throw new DevflowError('ADAPTER_UNCONFIRMED', problems.map(({ message }) => message).join('; '), {
    hint: toConfirm(quoted(name)),
  });
}

function toConfirm(names: string): string {
  return `Read it: it will be run as you. Then confirm it: \`devflow adapters --accept ${names}\`.`;
}

/** The same as one thing that stands in the way. */
export function unconfirmedProblem({ name, source, confirmation }: Unconfirmed): Problem {
  const fault =
    confirmation === 'changed'
      ? 'it has changed since it was confirmed'
      : 'nobody has confirmed it as it is now';
  return {
    code: 'ADAPTER_UNCONFIRMED',
    message: `${fault} (${shortHash(source)})`,
    hint: `Read it: it will be run as you. Then: \`devflow adapters --accept ${quoted(name)}\`.`,
  };
}

export function unconfirmedText({ name, source, confirmation, replaces }: Unconfirmed): string {
  const fault =
    confirmation === 'changed'
      ? `${source.path} has changed since it was confirmed`
      : `nobody has confirmed ${source.path} as it is now`;
  const place = replaces ? `; it takes the place of devflow's own "${name}"` : '';
  return `${name}: ${fault} (${shortHash(source)})${place}`;
}

function shortHash({ hash }: Source): string {
  return `sha256 ${hash.slice(0, 12)}…`;
}

/** As it can be typed into a shell. */
function quoted(name: string): string {
  return /^[\w./@-]+$/.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`;
}
