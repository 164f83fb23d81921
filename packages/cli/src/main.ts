import type { DevflowError } from '@devflow/core/errors';
import type { ExitCode } from './exit-codes.js';
import { type Terminal, openTerminal } from './terminal.js';

/** Does what the command line says. Loads only what that needs. @returns the exit code */
export async function main(args: readonly string[]): Promise<ExitCode> {
  const terminal = openTerminal(process.env);
  try {
    return await perform(args, terminal);
  } catch (error) {
    const failure = await import('./failure.js').catch(() => undefined);
    return failure === undefined
      ? reportPlainly(error, args, terminal)
      : failure.reportFailure(error, args, terminal);
  }
}

/** Where there is no file handle left, not even for the words of an error. */
function reportPlainly(error: unknown, args: readonly string[], terminal: Terminal): ExitCode {
  const { code = 'INTERNAL', message, hint } = error as Partial<DevflowError>;
  if (args.includes('--json'))
    terminal.out(`${JSON.stringify({ type: 'error', code, message, problems: [], hint })}\n`);
  else terminal.err(`devflow: ${message}\n${hint ?? MOSTLY}\n(${code})\n`);
  return 1;
}

const MOSTLY = 'If no file handle is left, raise the limit (`ulimit -n`), then do it again.';

/** Libraries ask for the home directory where they are loaded, and their error then goes past every `catch`. */
async function requireHome(): Promise<void> {
  const { homedir } = await import('node:os');
  try {
    homedir();
  } catch (cause) {
    const { DevflowError } = await import('@devflow/core/errors');
    const message = 'HOME is not set, and your user has no home directory';
    throw new DevflowError('ENVIRONMENT_INCOMPLETE', message, { hint: 'Set HOME.', cause });
  }
}

/** `devflow status` is asked again and again, by people and by `watch`: alone it needs no parser, which would take a fifth of its time. */
async function perform(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  if (args.length === 1 && args[0] === 'status') {
    const { showStatus } = await import('./commands/status.js');
    return showStatus(undefined, {}, terminal);
  }
  if (process.env['HOME'] === undefined) await requireHome();
  const { parse } = await import('./parser/parse.js');
  return parse(args, terminal);
}
