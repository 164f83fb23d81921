import { rmSync } from 'node:fs';
import { effect } from '../process/effect.js';
import { isGone } from '../process/system-error.js';
import { readRegular } from '../process/own-file.js';
import { request, requests } from './inbox.js';
import { DECISIONS, type RecordBody } from './records.js';
import { id, object, oneOf, optional, text } from './shape.js';

/** What somebody answers at a gate. */
export type GateAnswer = Pick<
  Extract<RecordBody, { type: 'gate-decided' }>,
  'gate' | 'decision' | 'note' | 'goto'
>;

/** Leaves an answer for the holder. @returns its file */
export function requestDecision(inbox: string, answer: GateAnswer): string {
  return request(inbox, 'decide', answer);
}

/** The answer to this gate. It stays there until the journal has it: a person's word is not lost with a holder. */
export function answerIn(inbox: string, gate: string): GateAnswer | undefined {
  return requests(inbox, 'decide')
    .map(readAnswer)
    .find((answer) => answer?.gate === gate);
}

/** Once a gate is decided. What was said of another one came too late, or from somebody who could only guess. */
export function clearAnswers(inbox: string): void {
  for (const file of requests(inbox, 'decide')) withdraw(file);
}

export function withdraw(file: string): void {
  effect('inbox.take', () => rmSync(file, { force: true }));
}

const ANSWER = object({
  gate: text,
  decision: oneOf(DECISIONS),
  note: optional(text),
  goto: optional(id),
});

function readAnswer(file: string): GateAnswer | undefined {
  try {
    const value: unknown = JSON.parse(readRegular(file).toString());
    if (ANSWER(value) !== undefined) return undefined;
    const { gate, decision, note, goto } = value as GateAnswer;
    return {
      gate,
      decision,
      ...(note !== undefined && { note }),
      ...(goto !== undefined && { goto }),
    };
  } catch (error) {
    if (error instanceof SyntaxError || isGone(error)) return undefined; // no request, or withdrawn just now
    throw error;
  }
}
