import { readAnswer } from './adapter/index.js';
import type { Attempt } from './state/fold.js';
import type { PHASE_FACTS } from './workflow/template.js';

/** What a phase passed on. A phase that has not run says so: nothing is not an empty text. */
export function phaseFacts(
  ended: Attempt['ended'],
  name: string,
): Record<(typeof PHASE_FACTS)[number], string> {
  if (ended === undefined) {
    const none = `(phase ${name} has not run)`;
    return { summary: none, text: none, outcome: none, reasons: none };
  }
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
