import { writeSync } from 'node:fs';
import { EXIT } from './exit-codes.js';

/** How a run is to be interrupted, and whether it was. */
export interface Interruption {
  readonly signal: AbortSignal;
  readonly interrupted: boolean;
  close(): void;
}

/** What of a run goes on at a moment. */
export type UnderWay = 'agent' | 'wait' | 'gate' | 'other';

/** In front of whom a run goes on. */
export interface Front {
  /** What goes on now: that is what is left. */
  readonly underWay?: () => UnderWay;
  readonly front?: 'terminal' | 'detached';
}

/** So long the first Ctrl-C counts: one of hours ago asked for nothing. */
const ASKED_MS = 30_000;

/**
 * Ctrl-C asks first; a second one, or TERM, stops the run, or leaves it where it waits. Where the terminal is closed (HUP) and for Ctrl-\
 * (QUIT) devflow goes at once and the agent works on: it needs nothing of us. Without a terminal there is nobody
 * to ask, so that INT stops, and none that could be closed, so that HUP means nothing.
 *
 * @param runId the run, once it is known
 */
export function watchSignals(
  say: (text: string) => void,
  runId: () => string | undefined,
  { underWay = () => 'other', front = 'terminal' }: Front = {},
): Interruption {
  const controller = new AbortController();
  let askedAt = Number.NEGATIVE_INFINITY;
  const resume = () => `devflow resume${runId() === undefined ? '' : ` ${runId()}`}`;
  const left = () =>
    ({
      agent: `the agent works on, watched by nobody.\n\`${resume()}\` follows it again, here or by --detach.`,
      wait: 'the run keeps waiting, and nobody goes on with it:\n`devflow resume --due` does, once the limit has ended.',
      gate: 'the run keeps waiting for an answer: `devflow gates` shows what is asked.',
      other: `no agent works now.\n\`${resume()}\` goes on, here or by --detach.`,
    })[underWay()];
  const waits = () => underWay() === 'wait' || underWay() === 'gate'; // then nothing is at work that could be stopped
  const stop = (why: string) => {
    if (controller.signal.aborted)
      return say(`stopping already; Ctrl-\\ leaves: \`${resume()}\` goes on`);
    say(waits() ? `${why}: ${left()}` : `${why}: stopping the run; what the agent did stays`);
    controller.abort();
  };
  const handlers = {
    SIGINT: () => {
      if (front === 'detached') return stop('SIGINT');
      if (performance.now() - askedAt < ASKED_MS) return stop('second Ctrl-C');
      askedAt = performance.now();
      say(
        waits()
          ? `Ctrl-C once more, or Ctrl-\\, leaves it: ${left()}\n\`devflow stop\` stops it.`
          : `Ctrl-C once more stops the run.\nCtrl-\\ leaves it: ${left()}`,
      );
    },
    SIGTERM: () => stop('SIGTERM'),
    SIGQUIT: () => leave(`\ndevflow is gone; ${left()}\n`),
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
