import { writeSync } from 'node:fs';
import { EXIT } from './exit-codes.js';

/** How a run is to be interrupted, and whether it was. */
export interface Interruption {
  readonly signal: AbortSignal;
  readonly interrupted: boolean;
  close(): void;
}

/**
 * Ctrl-C asks first; a second one, or TERM, stops the run. Where the terminal is closed (HUP) and for Ctrl-\
 * (QUIT) devflow goes at once and the agent works on: it needs nothing of us. Without a terminal there is nobody
 * to ask, so that INT stops, and none that could be closed, so that HUP means nothing.
 *
 * @param runId the run, once it is known
 */
export function watchSignals(
  say: (text: string) => void,
  runId: () => string | undefined,
  front: 'terminal' | 'detached' = 'terminal',
): Interruption {
  const controller = new AbortController();
  let asked = false;
  const resume = () => `devflow resume${runId() === undefined ? '' : ` ${runId()}`}`;
  const stop = (why: string) => {
    if (controller.signal.aborted)
      return say(`stopping already; Ctrl-\\ leaves: \`${resume()}\` goes on`);
    say(`${why}: stopping the run; what the agent did stays`);
    controller.abort();
  };
  const handlers = {
    SIGINT: () => {
      if (front === 'detached') return stop('SIGINT');
      if (asked) return stop('second Ctrl-C');
      asked = true;
      say(
        `Ctrl-C once more stops the run.\nCtrl-\\ leaves it: the agent works on, watched by nobody;\n\`${resume()}\` picks it up, with --detach without a terminal.`,
      );
    },
    SIGTERM: () => stop('SIGTERM'),
    SIGQUIT: () =>
      leave(
        `\ndevflow is gone, the agent works on, watched by nobody: \`${resume()}\`\npicks it up, with --detach without a terminal.\n`,
      ),
    SIGHUP: () => (front === 'detached' ? undefined : leave('')),
  } as const;
  const entries = Object.entries(handlers) as [keyof typeof handlers, () => void][]; // what Object.entries forgets
  for (const [name, handler] of entries) process.on(name, handler);
  return {
    signal: controller.signal,
    get interrupted() {
      return controller.signal.aborted;
    },
    close() {
      for (const [name, handler] of entries) process.off(name, handler);
    },
  };
}

/** Past all that is under way: nothing may be journalled any more, and the screen may be listr2's. */
function leave(words: string): never {
  try {
    writeSync(2, words);
  } catch {
    // the terminal is gone
  }
  process.exit(EXIT.interrupted);
}
