import { statSync } from 'node:fs';
import type { AgentEvent, AgentEventParser, AgentResult } from '../adapter/index.js';
import { LINE_CAP_BYTES, followLines } from '../process/follow.js';

/** What an agent prints, as it comes and as a whole. */
export interface AgentOutput {
  /** Takes in what has come. @returns whether there may be more to take in at once */
  read(): boolean;
  /** Tool calls that began and have not ended. */
  openCalls(): number;
  /** What the stream says of the turn so far, as the adapter has it; undefined where it says nothing. */
  soFar(): unknown;
  /** Is the agent waiting to try again what a limit or a refused key has stopped? */
  waitsForLimit(): boolean;
  /** Has the agent said that its turn is over, and well? */
  isFinished(): boolean;
  /** Takes in what is left, unless the attempt is not worth it, and sums up. */
  finish(options: { readonly drain: boolean }): AgentResult;
  close(): void;
}

/** Bytes to take in before limits are looked at again and others get their turn. */
const TURN_BYTES = 2_000_000;

/** The output of an agent whose adapter has a parser. */
export function parsedOutput(
  file: string,
  parser: AgentEventParser,
  show: (event: AgentEvent) => void,
  note: (text: string) => void,
): AgentOutput {
  const lines = followLines(file, (line) => {
    for (const event of parser.line(line)) show(event);
  });
  /** Of what the stream says so far. */
  const saysNow = (ask: (result: AgentResult) => boolean): boolean => {
    try {
      return ask(parser.result());
    } catch {
      return false; // a fault of the adapter's, which is said once, at the end
    }
  };
  return {
    read: () => lines.read(TURN_BYTES) === TURN_BYTES,
    openCalls: () => parser.openCalls(),
    soFar() {
      try {
        return parser.result();
      } catch {
        return undefined; // a fault of the adapter's, which is said once, at the end
      }
    },
    waitsForLimit: () =>
      saysNow(({ turn, failure }) => {
        return turn === 'open' && failure !== undefined && failure.kind !== 'failed';
      }),
    isFinished: () => saysNow(({ turn }) => turn === 'finished'),
    finish({ drain }) {
      const { size } = statSync(file); // as it is now: something left behind may write for ever
      if (drain) while (lines.bytesRead < size && lines.read(TURN_BYTES) > 0);
      lines.finish();
      if (lines.cutLines > 0) {
        note(
          `${lines.cutLines} lines of output are longer than ${LINE_CAP_BYTES / 1e6} MB and were read in part; ${file} has them whole`,
        );
      }
      return parser.result();
    },
    close: () => lines.close(),
  };
}
