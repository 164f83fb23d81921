import type { LogsFlags } from '../commands/logs.js';
import type { Terminal } from '../terminal.js';
import { type AttemptFiles, findAttempts, printsPlainText } from './attempts.js';
import { type AttemptPrinter, attemptPrinter, rawPrinter } from './printer.js';

/** Prints what the attempts of a run left, one after another. */
export interface RunPrinter {
  /** Prints what is new. @returns how many attempts there are */
  print(): number;
  end(): void;
}

export function createPrinter(
  directory: string,
  { phase, raw, follow: isFollowed }: LogsFlags,
  terminal: Terminal,
): RunPrinter {
  const open = new Map<string, AttemptPrinter>();
  const end = () => {
    for (const printer of open.values()) printer.end();
  };
  /** One that is just being launched is opened at the next look: what kind it is stands in its command. */
  const isReady = (attempt: AttemptFiles) =>
    raw === true || isFollowed !== true || printsPlainText(attempt) !== undefined;
  return {
    print() {
      const attempts = findAttempts(directory).filter((attempt) => isOfPhase(attempt, phase));
      for (const attempt of attempts.filter(isReady)) {
        if (!open.has(attempt.directory)) {
          end(); // of those before it
          const make = raw === true ? rawPrinter : attemptPrinter;
          open.set(attempt.directory, make(attempt, terminal));
        }
        open.get(attempt.directory)?.print();
      }
      return attempts.length;
    },
    end,
  };
}

function isOfPhase({ phase, name }: AttemptFiles, asked: string | undefined): boolean {
  return asked === undefined || asked === name || Number(asked) === phase;
}
