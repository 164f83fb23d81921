import type { RunEvent, RunResult } from '@devflow/core';

/** Shows a run as it goes. */
export interface Reporter {
  event(event: RunEvent): void;
  /** Something that the command line itself has to say, at any time. */
  say(text: string): void;
  /** Shows something else on the screen until that is over: a question. */
  aside<T>(show: () => Promise<T>): Promise<T>;
  /** The end: what the run came to. */
  finish(result: RunResult): Promise<void>;
  /** The end where the run itself failed: leaves the screen in order. */
  close(): Promise<void>;
}
