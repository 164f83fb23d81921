import { statSync } from 'node:fs';
import { type AgentEvent, cut } from '../adapter/index.js';
import type { AgentOutput } from './agent-output.js';
import { PLAIN_TEXT_BYTES } from '../evidence/answer.js';
import { readTail } from '../process/read-tail.js';

/** From this size on it is said that only the end was read. */
const SAID_BYTES = 10_000_000;
/** How much is looked at for the line that is shown live. */
const LIVE_BYTES = 4_000;

/**
 * The output of an agent without a parser: its standard output is its text. Only its end is ever read; the
 * rest is in the file. @param show is given one event for all that came since the last
 */
export function plainTextOutput(
  file: string,
  show: (event: AgentEvent) => void,
  note: (text: string) => void,
): AgentOutput {
  let shown = '';
  const read = () => {
    const words = lastWords(readTail(file, LIVE_BYTES));
    if (words === shown || words === '') return false;
    shown = words;
    const summary = cut(words, 300);
    show({ v: 1, kind: 'text', name: 'stdout', summary, state: 'working', child: false });
    return false;
  };
  return {
    read,
    openCalls: () => 0,
    soFar: () => undefined,
    waitsForLimit: () => false,
    // Plain text has no terminal event: that the turn is over is for `completionSignalDetected` to say.
    isFinished: () => false,
    finish() {
      read();
      const { size } = statSync(file);
      if (size > SAID_BYTES) {
        const last = `${PLAIN_TEXT_BYTES / 1e6} MB`;
        note(
          `the agent printed ${Math.round(size / 1e6)} MB; the last ${last} was read as its text, ${file} has it whole`,
        );
      }
      return { turn: 'unknown', finalText: readTail(file, PLAIN_TEXT_BYTES) };
    },
    close: () => undefined, // nothing is kept open
  };
}

function lastWords(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.findLast((line) => line !== '') ?? '';
}
