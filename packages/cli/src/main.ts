import type { ExitCode } from './exit-codes.js';
import { type Terminal, openTerminal } from './terminal.js';

/** Does what the command line says. Loads only what that needs. @returns the exit code */
export async function main(args: readonly string[]): Promise<ExitCode> {
  const terminal = openTerminal(process.env);
  try {
    return await perform(args, terminal);
  } catch (error) {
    const { reportFailure } = await import('./failure.js');
    return reportFailure(error, args, terminal);
  }
}

/** `devflow status` is asked again and again, by people and by `watch`: alone it needs no parser, which would take a fifth of its time. */
async function perform(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  if (args.length === 1 && args[0] === 'status') {
    const { showStatus } = await import('./commands/status.js');
    return showStatus(undefined, {}, terminal);
  }
  const { parse } = await import('./parser/parse.js');
  return parse(args, terminal);
}
