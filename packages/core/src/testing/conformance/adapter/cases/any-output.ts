import { type ConformanceCase, judged } from '../../case.js';
import { isPlainText, readAs } from '../captures.js';
import { whyNotConfigured } from '../place.js';
import type { AdapterSubject } from '../subject.js';
import { UNKNOWN, malformed } from './events.js';

const LONG = 1_000_000;
/** What no vendor means to print, and what a torn pipe makes of what it does. */
const ODD = [
  '', ' ', '{"type":', 'null', '[]', '{}', '{"type":5}', '"text"', 'words', '\u0000', '{"type":"result"', '[{"a":1}]',
  UNKNOWN, 'x'.repeat(LONG), `{"type":"conformance.long","text":"${'x'.repeat(LONG)}"}`,
] as const; // prettier-ignore

/** Asked of every adapter, also where nothing is known of what its agent prints. */
export const readsAnyOutput: ConformanceCase<AdapterSubject> = {
  name: 'reads-any-output',
  unsupported: whyNotConfigured,
  run({ subject, observe }) {
    observe(`${ODD.length} lines that no agent means to print were read, of up to ${LONG} bytes`);
    return judged(
      ODD.flatMap((line) => wrongWith(subject, line)),
      'no line makes it throw, and none of them is a success',
    );
  },
};

function wrongWith(subject: AdapterSubject, line: string): string[] {
  const shown = JSON.stringify(line).slice(0, 60);
  try {
    const { outcome, events } = readAs(subject, { stdout: `${line}\n`, status: 0 });
    // Plain text has no end of a turn: there an exit of 0 may end it.
    const isSuccess = outcome === 'completed' && !isPlainText(subject);
    return [...(isSuccess ? [`the line ${shown} is a success`] : []), ...events.flatMap(malformed)];
  } catch (error) {
    return [`the line ${shown} makes it throw: ${String(error)}`];
  }
}
