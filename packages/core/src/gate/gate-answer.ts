import { withoutControls } from '../adapter/words.js';
import { DevflowError } from '../errors.js';
import { waysBack } from './gates.js';
import type { GateAnswer } from '../state/answers.js';
import type { RunDefinition } from '../state/definition.js';
import type { RunState } from '../state/fold.js';
import type { Gate } from '../state/gates.js';
import type { Decision } from '../state/records.js';

/** A note is a remark that a prompt quotes; what is longer belongs in a file that it names. */
const MAX_NOTE_CHARACTERS = 10_000;

/** A person's word at a gate. */
export interface GateWord {
  readonly decision: Decision;
  /** Reaches the prompt of the attempt that follows. */
  readonly note?: string;
  /** Where a rejected run goes back to: the name or the number of a phase. */
  readonly goto?: string;
}

/** Pure: what a person's word comes to at this gate. @throws DevflowError GATE_ANSWER_INVALID */
export function answerOf(
  { workflow, range }: Pick<RunDefinition, 'workflow' | 'range'>,
  state: RunState,
  gate: Gate,
  { decision, note, goto }: GateWord,
): GateAnswer {
  const { kind } = gate;
  if (decision === 'reject' && kind === 'preflight')
    throw invalid(
      'a failed preflight cannot be rejected',
      'Approve to go on all the same, abort, or mend it and resume.',
    );
  if (decision === 'recheck' && kind !== 'preflight')
    throw invalid('only a failed preflight is looked at again', 'Approve, reject or abort.');
  const said = {
    gate: gate.gate,
    decision,
    ...(note !== undefined && { note: noteOf(note) }),
  };
  if (decision !== 'reject') {
    if (goto !== undefined) throw invalid('only a rejected run goes back', 'Leave the phase out.');
    return said;
  }
  if (said.note === undefined)
    throw invalid('a rejection needs a note', 'Say what is to be mended: it reaches the prompt.');
  const ways = waysBack(workflow, range, state, gate);
  if (ways.length === 0)
    throw invalid(
      'there is no phase to go back to from here',
      'Approve, or abort: then `devflow resume <run>` asks again.',
    );
  if (goto === undefined) return said;
  const target = ways.find(({ id, name }) => name === goto || String(id) === goto);
  if (target === undefined) {
    const named = workflow.phases.find(({ id, name }) => name === goto || String(id) === goto);
    throw invalid(
      named === undefined
        ? `there is no phase "${goto}"`
        : `there is no way back to phase ${named.id} ${named.name}`,
      `Back from here it can go to: ${ways.map(({ id, name }) => `${id} ${name}`).join(', ')}.`,
    );
  }
  return { ...said, goto: target.id };
}

/** As it is kept, and reaches a prompt: what steers a terminal is no part of it. */
function noteOf(given: string): string {
  const note = withoutControls(given).trim();
  if (note === '') throw invalid('the note is empty', 'Say something by it, or leave it out.');
  if (note.length > MAX_NOTE_CHARACTERS)
    throw invalid(
      `the note has ${note.length} characters: at most ${MAX_NOTE_CHARACTERS} are taken`,
      'Say it in fewer words, or put it into a file and name that.',
    );
  return note;
}

function invalid(message: string, hint: string): DevflowError {
  return new DevflowError('GATE_ANSWER_INVALID', message, { hint });
}
