import { setTimeout as delay } from 'node:timers/promises';
import { type RunStatus, status } from '@devflow/core/status';
import type { Place } from '../place.js';
import type { Terminal } from '../terminal.js';
import { block } from '../text/style.js';
import { findAttempts, hasExited } from './attempts.js';
import type { RunPrinter } from './run-printer.js';

/** How often to look for more, and how often for the end: that reads the whole journal. */
const LOOK_MS = 150;
const LOOKS_A_STATUS = 4;

/** Prints what comes until nothing more will, then says why. */
export async function followRun(
  runId: string,
  place: Place,
  printer: RunPrinter,
  terminal: Terminal,
): Promise<void> {
  const say = (text: string) => terminal.err(`${block(text, terminal.errWidth)}\n`);
  let isLeft = false;
  for (let look = 1; !terminal.closed; look += 1) {
    const run = look % LOOKS_A_STATUS === 1 ? await status(runId, place) : undefined;
    const over = run !== undefined && !goesOn(run);
    await printer.print(); // after the look: what came until then is there
    if (over) {
      printer.end();
      return say(closingWords(run));
    }
    if (run?.state === 'interrupted' && !isLeft) {
      isLeft = true;
      say(leftWords(run));
    }
    await delay(LOOK_MS);
  }
}

/** Events are made by a devflow: of an agent that has them there are none until the next one. */
function leftWords({ id }: RunStatus): string {
  return `the devflow of the run ${id} is gone, its agent still works; \`devflow resume ${id}\` picks it up, \`devflow logs ${id} --raw --follow\` shows what it prints`;
}

/** An agent works on where its devflow is gone: what it prints can still be followed. */
function goesOn({ heldBy, endedAt, agentLives, directory }: RunStatus): boolean {
  if (heldBy !== undefined && endedAt === undefined) return true;
  const last = findAttempts(directory).at(-1);
  return agentLives && last !== undefined && !hasExited(last);
}

function closingWords({ id, state, directory }: RunStatus): string {
  const last = findAttempts(directory).at(-1);
  return state === 'interrupted' && last !== undefined && hasExited(last)
    ? `the run ${id} is interrupted and its agent has ended: \`devflow resume ${id}\` judges it`
    : `the run ${id} is ${state}`;
}
