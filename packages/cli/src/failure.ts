import { DevflowError } from '@devflow/core/errors';
import { asStateFault } from '@devflow/core/fault';
import { EXIT, type ExitCode, exitCodeOfError } from './exit-codes.js';
import { Interrupted } from './interrupted.js';
import { buildProgram } from './parser/program.js';
import type { Terminal } from './terminal.js';
import { nameCommand, nameRun } from './text/hint.js';
import { describeError, errorText } from './text/error.js';

/** Says what went wrong, to a program or to a person. */
export function reportFailure(
  thrown: unknown,
  args: readonly string[],
  terminal: Terminal,
): ExitCode {
  const error = asStateFault(thrown);
  if (error instanceof Interrupted) {
    terminal.err('\ninterrupted: nothing was started\n');
    return EXIT.interrupted;
  }
  const shown = describeError(nameCommand(nameRun(error), commandIn(args, terminal)));
  // Looked for by itself: where the command line is wrong, it was not parsed to its end.
  if (args.includes('--json')) terminal.out(`${JSON.stringify(shown)}\n`);
  else terminal.err(errorText(shown, terminal));
  return error instanceof DevflowError ? exitCodeOfError(error.code) : EXIT.failed;
}

/** The command that the command line begins with, with its sub-command. */
function commandIn(args: readonly string[], terminal: Terminal): string {
  let { program: command } = buildProgram(terminal);
  const names: string[] = [];
  for (const word of args) {
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) break;
    names.push(word);
    command = next;
  }
  return names.join(' ');
}
