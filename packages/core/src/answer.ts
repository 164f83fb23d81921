import { type Answer, asAnswer, isMarked, readAnswer } from './adapter/answer.js';
import type { AgentResult } from './adapter/index.js';
import { cut } from './adapter/words.js';
import type { Phase } from './workflow/workflow.js';

/** How many of the last lines that are not empty may hold the answer: further up it is quoted, not given. */
const ANSWER_LINES = 3;

/** `unreadable`: the agent meant to answer, and its line is none: broken JSON, or a word that is not known. */
export interface FoundAnswer {
  readonly answer?: Answer;
  readonly unreadable?: string;
}

/**
 * The answer in an agent's final text: the last one in its last lines. A line that stands in the prompt
 * is an echo, whatever it says.
 */
export function findAnswer(finalText: string, prompt: string): FoundAnswer {
  const asked = new Set(prompt.split('\n').map((line) => line.trim()));
  const lines = finalText
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  // The last one counts, also where it cannot be read: then there is no answer, not an earlier one.
  const last = lines.slice(-ANSWER_LINES).findLast((line) => isMarked(line) && !asked.has(line));
  if (last === undefined) return {};
  const answer = readAnswer(last);
  return answer === undefined ? { unreadable: cut(last, 200) } : { answer };
}

/** The answer in an agent's structured output. */
export function structuredAnswer({ structuredOutput }: AgentResult): FoundAnswer {
  if (structuredOutput === undefined) return {};
  const answer = asAnswer(structuredOutput);
  return answer === undefined
    ? { unreadable: cut(JSON.stringify(structuredOutput) ?? '', 200) }
    : { answer };
}

/** Does the phase ask for a verdict? */
export function judges({ requires }: Pick<Phase, 'requires'>): boolean {
  return requires.includes('verdict');
}

/**
 * JSON Schema of the answer, for agents with structured output. Every property is required and no other is
 * allowed: the strict form, which some model APIs demand.
 */
export function answerSchema(phase: Pick<Phase, 'requires'>): Record<string, unknown> {
  const properties = {
    status: { type: 'string', enum: ['success', 'failed', 'declined'] },
    ...(judges(phase) && { verdict: { type: 'string', enum: ['pass', 'gaps'] } }),
    summary: { type: 'string', description: 'What was done.' },
    reason: { type: 'string', description: 'Why, if it is no success or has gaps; else empty.' },
  };
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}
