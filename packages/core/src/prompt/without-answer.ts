import { readAnswer, readMarker } from '../adapter/index.js';

/** An answer in the prompt would make the same answer of this phase an echo. */
export function withoutAnswer(text: string): string {
  const isAnswer = (line: string) =>
    readAnswer(line) !== undefined || readMarker(line) !== undefined;
  const lines = text.split('\n').filter((line) => !isAnswer(line));
  return lines.join('\n').trim();
}
