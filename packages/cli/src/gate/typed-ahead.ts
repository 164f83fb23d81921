import { setTimeout as delay } from 'node:timers/promises';
import type { ReadStream } from 'node:tty';

/** What comes without a pause as long as this was typed, or pasted, before there was a question. */
const QUIET_MS = 100;

/**
 * Reads away what was typed into a terminal before a question stands there: it is an answer to nothing, and would
 * approve what nobody has seen. Unfinished lines too, which only a raw terminal gives.
 */
export async function dropTypedAhead(
  input: Pick<ReadStream, 'isTTY' | 'setRawMode' | 'on' | 'off' | 'pause'>,
  interrupt: () => void,
): Promise<void> {
  if (!input.isTTY) return;
  let last = performance.now();
  const drop = (typed: Buffer | string) => {
    last = performance.now();
    if (typed.toString().includes('\u0003')) interrupt(); // Ctrl-C, which a raw terminal gives as a character
  };
  input.setRawMode(true);
  input.on('data', drop);
  try {
    while (performance.now() - last < QUIET_MS) await delay(10);
  } finally {
    input.off('data', drop);
    input.setRawMode(false);
    input.pause();
  }
}
