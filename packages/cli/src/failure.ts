import { DevflowError } from '@devflow/core/errors';
import { EXIT, type ExitCode, exitCodeOfError } from './exit-codes.js';
import type { Terminal } from './terminal.js';
import { nameRun } from './text/hint.js';
import { describeError, errorText } from './text/error.js';

/** Says what went wrong, to a program or to a person. */
export function reportFailure(
  error: unknown,
  args: readonly string[],
  terminal: Terminal,
): ExitCode {
  const shown = describeError(nameRun(error));
  // Looked for by itself: where the command line is wrong, it was not parsed to its end.
  if (args.includes('--json')) terminal.out(`${JSON.stringify(shown)}\n`);
  else terminal.err(errorText(shown, terminal));
  return error instanceof DevflowError ? exitCodeOfError(error.code) : EXIT.failed;
}
