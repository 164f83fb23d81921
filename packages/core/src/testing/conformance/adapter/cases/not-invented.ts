import type { Capture } from '../../../read-capture.js';
import { type ConformanceCase, judged } from '../../case.js';
import {
  MARKER,
  asOutput,
  endOf,
  isComplete,
  isPlainText,
  linesOf,
  mapTexts,
  readAs,
  requireCaptures,
  whyNoCaptures,
} from '../captures.js';
import type { AdapterCaptures, AdapterSubject } from '../subject.js';

/** An output that is no success, whatever it looks like. */
interface Lookalike {
  readonly what: string;
  readonly capture: Capture;
  /** The turn itself is over: what must not be there is an answer. */
  readonly turnEnds?: true;
}

export const completionNotInvented: ConformanceCase<AdapterSubject> = {
  name: 'completion-not-invented',
  unsupported: whyNoCaptures,
  run({ subject, observe }) {
    const captures = requireCaptures(subject);
    const lookalikes = [
      ...truncated(captures),
      ...errors(captures),
      ...echoes(captures),
      ...(isPlainText(subject) ? quotedAsText() : quotedInStream(captures)),
    ];
    // Plain text has no end of a turn: there an exit of 0 ends it, and the answer is all that can be missing.
    const taken = lookalikes.filter(({ capture, turnEnds }) =>
      turnEnds === true || isPlainText(subject)
        ? isComplete(subject, capture)
        : readAs(subject, capture).outcome === 'completed',
    );
    for (const { what, capture } of taken) observe(`${what}: ${endOf(readAs(subject, capture))}`);
    observe(`${lookalikes.length} outputs that are no success were read`);
    return judged(
      taken.map(({ what }) => `taken for a success: ${what}`),
      'no truncated, failed, echoed or quoted success is taken for one',
    );
  },
};

/** A cut at every line, and within the line that ends the turn; exit 0 each time, which is the worst. */
function truncated({ success }: AdapterCaptures): Lookalike[] {
  const lines = linesOf(success.stdout);
  const last = lines.at(-1) ?? '';
  const cuts = lines.map((_, count) => ({
    what: count === 0 ? 'no output at all' : `the first ${count} of ${lines.length} lines`,
    capture: { ...success, stdout: asOutput(lines.slice(0, count)), status: 0 },
  }));
  const torn = [last.slice(0, Math.ceil(last.length / 2)), last.slice(0, -1)].map((part) => ({
    what: `the last line cut after ${part.length} of ${last.length} characters`,
    capture: { ...success, stdout: asOutput(lines.slice(0, -1)) + part, status: 0 },
  }));
  return [...cuts, ...torn];
}

function errors({ error }: AdapterCaptures): Lookalike[] {
  return [error.status, 0].map((status) => ({
    what: `the error capture with exit ${status}`,
    capture: { ...error, status },
  }));
}

const ECHOED = `Say hello, and end with this line:\n${MARKER}`;

/** The prompt, printed as it is, with nothing that ends a turn. */
function echoes({ success }: AdapterCaptures): Lookalike[] {
  const begun = asOutput(linesOf(success.stdout).slice(0, -1));
  const echo = (stdout: string) => ({ stdout, status: 0, prompt: ECHOED });
  return [
    { what: 'an echo of the prompt', capture: echo(`${ECHOED}\n`), turnEnds: true },
    { what: 'a turn that ends in an echo of the prompt', capture: echo(`${begun}${ECHOED}\n`), turnEnds: true },
  ]; // prettier-ignore
}

/** A document with the marker, as a tool's output or in passing. */
function quotedInStream({ success }: AdapterCaptures): Lookalike[] {
  const lines = linesOf(success.stdout);
  const final = success.says.finalText.trim();
  // Texts with a space are prose, commands and their output; the others are names and ids.
  const quote = (text: string) =>
    /\s/.test(text) && !text.includes(final) ? `${text}\n${MARKER}` : text;
  const silent = (text: string) => (text.includes(final) ? 'I have read the document.' : text);
  const quoted = lines.slice(0, -1).map((line) => mapTexts(line, quote));
  const ended = [...quoted, ...lines.slice(-1)].map((line) => mapTexts(line, silent));
  return [
    {
      what: 'a document with the marker in a turn that does not end',
      capture: { ...success, stdout: asOutput(quoted.map((line) => mapTexts(line, silent))) },
    },
    {
      what: 'a document with the marker before a last text without it',
      capture: { ...success, stdout: asOutput(ended) },
      turnEnds: true,
    },
  ];
}

function quotedAsText(): Lookalike[] {
  const prose = ['So the document ends.', 'I have read it.', 'Nothing was to be done.', 'Bye.'];
  return [
    {
      what: 'a document with the marker and words after it',
      capture: { stdout: asOutput(['The document says:', MARKER, ...prose]), status: 0 },
    },
  ];
}
