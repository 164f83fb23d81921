import { closeSync, constants, fstatSync, writeSync } from 'node:fs';
import type { OnRunEvent } from '../events.js';
import { openRegular } from '../process/own-file.js';

const { O_APPEND, O_CREAT, O_WRONLY } = constants;

/** The run events of a run, kept for those who watch it; what is true of it says the journal alone. */
export interface RunEventFile {
  /** Appends an event. What agents did is left out: it stands with their attempts. Never throws. */
  readonly write: OnRunEvent;
  close(): void;
}

/**
 * Opens the file at its end. Nothing is synced, and where it cannot be written the run goes on: those who watch
 * miss something.
 *
 * @param onLoss told once why something was not kept
 */
export function openRunEvents(file: string, onLoss: (why: string) => void): RunEventFile {
  let told = false;
  const lost = (error: unknown) => {
    if (told) return;
    told = true;
    onLoss((error as Error).message); // fs throws nothing else
  };
  let descriptor: number;
  try {
    descriptor = openRegular(file, O_WRONLY | O_APPEND | O_CREAT, 0o600);
  } catch (error) {
    return { write: () => lost(error), close: () => undefined };
  }
  let torn = fstatSync(descriptor).size > 0; // what a holder that died left may have no end
  return {
    write(event) {
      if (event.type === 'agent') return;
      const line = Buffer.from(`${torn ? '\n' : ''}${JSON.stringify(event)}\n`);
      try {
        torn = true; // unless all of it is written; a full disk may take a part
        for (let written = 0; written < line.length;)
          written += writeSync(descriptor, line, written);
        torn = false;
      } catch (error) {
        lost(error);
      }
    },
    close: () => closeSync(descriptor),
  };
}
