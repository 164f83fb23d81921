import { truncate } from './digest.js';
import { withoutAnswer } from './without-answer.js';
import type { Attempt } from '../state/fold.js';
import type { PHASE_FACTS } from '../workflow/template.js';

type PhaseFacts = Record<(typeof PHASE_FACTS)[number], string>;

/** What a phase left in files, in words for a prompt. */
export interface HandedOver {
  /** The files that it chose. */
  readonly artifacts?: string;
  /** The digest of what its agent did. */
  readonly events?: string;
}

/** How much of a structured output is passed on, in characters. */
const OUTPUT_SHOWN = 40_000;

/**
 * What a phase passed on. A phase that has not run says so: nothing is not an empty text.
 * @param skipped why it was skipped when the run last came to it; what it had said before is still what it said
 */
export function phaseFacts(
  ended: Attempt['ended'],
  name: string,
  skipped: string | undefined,
  handedOver: HandedOver | undefined,
): PhaseFacts {
  if (ended === undefined) {
    const none =
      skipped === undefined
        ? `(phase ${name} has not run)`
        : `(phase ${name} was skipped: ${skipped})`;
    return {
      summary: none, text: none, output: none, outcome: none, reasons: none, artifacts: none, events: none,
    }; // prettier-ignore
  }
  const facts = factsOf(ended, name, handedOver);
  return skipped === undefined
    ? facts
    : { ...facts, outcome: 'skipped', reasons: `- skipped: ${skipped}` };
}

function factsOf(
  ended: NonNullable<Attempt['ended']>,
  name: string,
  { artifacts = '', events = '' }: HandedOver = {},
): PhaseFacts {
  const said = ended.answer?.summary ?? ended.answer?.reason;
  const text = withoutAnswer(ended.text ?? '') || (said ?? '(it left no text)');
  return {
    summary: said ?? text,
    text,
    output: outputText(ended.answer?.output) ?? `(phase ${name} left no structured output)`,
    outcome: ended.outcome,
    reasons: ended.reasons.map(({ says, text: reason }) => `- ${says}: ${reason}`).join('\n'),
    artifacts,
    events,
  };
}

function outputText(output: unknown): string | undefined {
  return output === undefined
    ? undefined
    : truncate(JSON.stringify(output, undefined, 2), OUTPUT_SHOWN);
}
