import { inspect } from 'node:util';
import { EXIT } from './exit-codes.js';
import type { ReporterFlags } from './reporters/choose.js';
import type { Terminal } from './terminal.js';
import { describeError, errorText } from './text/error.js';

/**
 * Code of hooks and adapters is run in this process, and can end it past all that is under way: by an error for
 * which nobody waits, or by exiting. Then the run is as after a kill. Here it is said which one it was, and how to
 * go on; whatever status was asked for, it has not come to its end.
 *
 * @param runId the run, once it is known
 */
export function watchStrays(
  { json }: ReporterFlags,
  terminal: Terminal,
  runId: () => string | undefined,
): { close(): void } {
  const goOn = () => {
    const run = runId();
    return run === undefined
      ? 'No run had begun.'
      : `What run "${run}" did is kept: \`devflow resume ${run}\` goes on.`;
  };
  const onError = (thrown: unknown) => {
    close();
    const error = thrown instanceof Error ? thrown : new Error(inspect(thrown));
    const hint = `Nobody waited for this error: a hook or an adapter has left it behind, or devflow itself. ${goOn()}`;
    const shown = { ...describeError(error), code: 'INTERNAL', hint };
    if (json === true) terminal.out(`${JSON.stringify(shown)}\n`);
    else terminal.err(errorText(shown, terminal));
    process.exit(EXIT.failed);
  };
  const onExit = (status: number) => {
    if (status === EXIT.interrupted) return; // by a signal, which has said it
    process.exitCode = EXIT.failed;
    terminal.err(`devflow: ended in the midst of its work: does a hook exit? ${goOn()}\n`);
  };
  const close = () => {
    process.off('uncaughtException', onError);
    process.off('exit', onExit);
  };
  process.on('uncaughtException', onError);
  process.on('exit', onExit);
  return { close };
}
