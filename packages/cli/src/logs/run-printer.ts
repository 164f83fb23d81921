import type { RunStatus } from '@devflow/core/status';
import type { LogsFlags } from '../commands/logs.js';
import type { Terminal } from '../terminal.js';
import { type AttemptFiles, findAttempts, printsPlainText } from './attempts.js';
import { type AttemptPrinter, attemptPrinter, rawPrinter } from './printer.js';

/** Prints what the attempts of a run left, one after another. */
export interface RunPrinter {
  /** Prints what is new. @returns how many attempts there are */
  print(): Promise<number>;
  end(): void;
}

/** @param look reads the run anew: its later attempts have agents that are not known yet */
export function createPrinter(
  run: RunStatus,
  look: () => Promise<RunStatus>,
  { phase, raw, follow: isFollowed }: LogsFlags,
  terminal: Terminal,
): RunPrinter {
  const open = new Map<string, AttemptPrinter>();
  let known = agentsOf(run);
  const agentOf = async (attempt: AttemptFiles) => {
    if (!known.has(nameOf(attempt))) known = agentsOf(await look());
    return known.get(nameOf(attempt));
  };
  const end = () => {
    for (const printer of open.values()) printer.end();
  };
  /** One that is just being launched is opened at the next look: what kind it is stands in its command. */
  const isReady = (attempt: AttemptFiles) =>
    raw === true || isFollowed !== true || printsPlainText(attempt) !== undefined;
  return {
    async print() {
      const attempts = findAttempts(run.directory).filter((attempt) => isOfPhase(attempt, phase));
      for (const attempt of attempts.filter(isReady)) {
        if (!open.has(attempt.directory)) {
          end(); // of those before it
          const make = raw === true ? rawPrinter : attemptPrinter;
          open.set(attempt.directory, make(attempt, terminal, await agentOf(attempt)));
        }
        open.get(attempt.directory)?.print();
      }
      return attempts.length;
    },
    end,
  };
}

/** By the name of the attempt. */
function agentsOf({ attempts, openAttempt }: RunStatus): ReadonlyMap<string, string> {
  const all = openAttempt === undefined ? attempts : [...attempts, openAttempt];
  return new Map(all.map((each) => [nameOf(each), each.agent]));
}

function nameOf({ phase, attempt }: Pick<AttemptFiles, 'phase' | 'attempt'>): string {
  return `${phase}/${attempt}`;
}

function isOfPhase({ phase, name }: AttemptFiles, asked: string | undefined): boolean {
  return asked === undefined || asked === name || Number(asked) === phase;
}
