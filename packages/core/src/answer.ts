import { type Answer, readAnswer } from './adapter/index.js';

/** How many of the last lines that are not empty may hold the answer: further up it is quoted, not given. */
const ANSWER_LINES = 3;

/**
 * The answer in an agent's final text: the last one in its last lines. A line that stands in the prompt
 * is an echo, whatever it says.
 */
export function findAnswer(finalText: string, prompt: string): Answer | undefined {
  const asked = new Set(prompt.split('\n').map((line) => line.trim()));
  const lines = finalText
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines
    .slice(-ANSWER_LINES)
    .toReversed()
    .filter((line) => !asked.has(line))
    .map(readAnswer)
    .find((answer) => answer !== undefined);
}
