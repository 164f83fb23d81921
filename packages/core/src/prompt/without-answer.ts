import { isMarked } from '../adapter/answer.js';
import { readMarker } from '../adapter/index.js';

/** An answer in the prompt would make the same answer of this phase an echo, also one that could not be read. */
export function withoutAnswer(text: string): string {
  const isAnswer = (line: string) => isMarked(line) || readMarker(line) !== undefined;
  const lines = text.split('\n').filter((line) => !isAnswer(line));
  return lines.join('\n').trim();
}
