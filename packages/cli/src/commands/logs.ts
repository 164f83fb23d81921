import { setTimeout as delay } from 'node:timers/promises';
import { DevflowError } from '@devflow/core/errors';
import { status } from '@devflow/core/status';
import { type AttemptFiles, findAttempts } from '../logs/attempts.js';
import { eventLine, headLine } from '../logs/lines.js';
import { type Tail, openTail } from '../logs/tail.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { placeOf } from '../place.js';
import type { Terminal } from '../terminal.js';
import { theCurrentRun } from '../unfinished.js';

export interface LogsFlags {
  readonly phase?: string;
  readonly follow?: true;
  readonly raw?: true;
  readonly cwd?: string;
}

/** How often to look for more, and how often for the end: that reads the whole journal. */
const LOOK_MS = 150;
const LOOKS_A_STATUS = 4;

export async function logs(
  named: string | undefined,
  flags: LogsFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const place = placeOf(flags);
  const runId = named ?? (await theCurrentRun(place));
  const { directory } = await status(runId, place);
  const show = createPrinter(directory, flags, terminal);
  if (show() === 0 && flags.phase !== undefined && flags.follow !== true)
    throw noPhase(flags.phase, directory);
  if (flags.follow !== true) return EXIT.completed;
  for (let look = 1; !terminal.closed; look += 1) {
    const state = look % LOOKS_A_STATUS === 1 ? (await status(runId, place)).state : 'running';
    show();
    if (state !== 'running') {
      terminal.err(`the run ${runId} is ${state}\n`);
      break;
    }
    await delay(LOOK_MS);
  }
  return EXIT.completed;
}

/** @returns a function that prints what is new, and tells how many attempts there are */
function createPrinter(
  directory: string,
  { phase, raw }: LogsFlags,
  terminal: Terminal,
): () => number {
  const tails = new Map<string, Tail>();
  return () => {
    const attempts = findAttempts(directory).filter((attempt) => isOfPhase(attempt, phase));
    for (const attempt of attempts) {
      let tail = tails.get(attempt.directory);
      if (tail === undefined) {
        tail = openTail(raw === true ? attempt.stdout : attempt.events);
        tails.set(attempt.directory, tail);
        if (raw !== true) terminal.out(`${headLine(attempt, terminal.style)}\n`);
      }
      if (raw === true) tail.readBytes((bytes) => terminal.out(bytes));
      else tail.readLines((line) => terminal.out(eventLine(line, terminal)));
    }
    return attempts.length;
  };
}

function isOfPhase({ phase, name }: AttemptFiles, asked: string | undefined): boolean {
  return asked === undefined || asked === name || Number(asked) === phase;
}

function noPhase(asked: string, directory: string): DevflowError {
  const known = [...new Set(findAttempts(directory).map(({ phase, name }) => `${phase} ${name}`))];
  return new DevflowError('OPTION_INVALID', `--phase: no attempt at a phase "${asked}" so far`, {
    hint:
      known.length === 0 ? 'No phase has begun yet.' : `There are logs of: ${known.join(', ')}.`,
  });
}
