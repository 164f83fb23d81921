import { readAnswer } from './adapter/index.js';
import type { Attempt } from './state/fold.js';
import type { PHASE_FACTS } from './workflow/template.js';

type PhaseFacts = Record<(typeof PHASE_FACTS)[number], string>;

/**
 * What a phase passed on. A phase that has not run says so: nothing is not an empty text.
 * @param skipped why it was skipped when the run last came to it; what it had said before is still what it said
 */
export function phaseFacts(
  ended: Attempt['ended'],
  name: string,
  skipped: string | undefined,
): PhaseFacts {
  if (ended === undefined) {
    const none =
      skipped === undefined
        ? `(phase ${name} has not run)`
        : `(phase ${name} was skipped: ${skipped})`;
    return { summary: none, text: none, outcome: none, reasons: none };
  }
  const facts = factsOf(ended);
  return skipped === undefined
    ? facts
    : { ...facts, outcome: 'skipped', reasons: `- skipped: ${skipped}` };
}

function factsOf(ended: NonNullable<Attempt['ended']>): PhaseFacts {
  const said = ended.answer?.summary ?? ended.answer?.reason;
  const text = withoutAnswer(ended.text ?? '') || (said ?? '(it left no text)');
  return {
    summary: said ?? text,
    text,
    outcome: ended.outcome,
    reasons: ended.reasons.map(({ says, text: reason }) => `- ${says}: ${reason}`).join('\n'),
  };
}

/** An answer in the prompt would make the same answer of this phase an echo. */
function withoutAnswer(text: string): string {
  const lines = text.split('\n').filter((line) => readAnswer(line) === undefined);
  return lines.join('\n').trim();
}
