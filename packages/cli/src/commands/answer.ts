import { DevflowError, type GateWord, answerGate, status } from '@devflow/core';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { placeOf } from '../place.js';
import { decidedLine } from '../reporters/lines.js';
import type { Terminal } from '../terminal.js';
import { nameRun } from '../text/hint.js';
import { block } from '../text/style.js';
import { theRunAtAGate } from '../unfinished.js';
import { type ResumeFlags, resumeNamed, isHeld } from './resume.js';

export interface AnswerFlags extends Omit<ResumeFlags, 'due' | 'interrupted' | 'budget'> {
  readonly note?: string;
  readonly gate?: string;
  readonly to?: string;
  /** False by `--no-run`: the answer is recorded, and nobody goes on. */
  readonly run?: boolean;
}

/** Answers the gate of a run, then goes on with it, unless its holder does. */
export async function answer(
  decision: GateWord['decision'],
  named: string | undefined,
  flags: AnswerFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const place = placeOf(flags);
  if (decision === 'reject' && (flags.note ?? '').trim() === '')
    throw new DevflowError('OPTION_INVALID', '--note: what is to be mended must be said', {
      hint: 'It reaches the prompt: `devflow reject <run> --note "…"`.',
    });
  const runId = named ?? (await theRunAtAGate(place));
  const { note, gate, to } = flags;
  const word: GateWord = {
    decision,
    ...(note !== undefined && { note }),
    ...(to !== undefined && { goto: to }),
  };
  return answered(runId, word, gate, flags, terminal);
}

/** Has the holder that stays at a failed preflight look again. */
export function recheck(runId: string, flags: ResumeFlags, terminal: Terminal): Promise<ExitCode> {
  return answered(runId, { decision: 'recheck' }, undefined, flags, terminal);
}

async function answered(
  runId: string,
  word: GateWord,
  named: string | undefined,
  flags: AnswerFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const place = placeOf(flags);
  const at = new Date(performance.timeOrigin); // when the command was given
  const options = { ...place, at, ...(named !== undefined && { gate: named }) };
  const gate = await answerGate(runId, word, options).catch((error: unknown) => {
    throw nameRun(error, runId);
  });
  const { state, heldBy, reason } = await status(runId, place);
  const isLeft = state === 'due' || state === 'interrupted';
  const goesOn =
    heldBy !== undefined
      ? `process ${heldBy} goes on: \`devflow attach ${runId}\` shows it`
      : isLeft
        ? 'it goes on by `devflow resume --due`'
        : `it is ${state}: ${reason}`;
  const note = gate.decided?.note;
  const { decision } = word;
  const words = decidedLine({ decision, by: 'person', ...(note !== undefined && { note }) });
  const line = `${runId} ${words}`;
  if (isLeft && flags.run !== false) {
    terminal.err(`${block(line, terminal.errWidth)}\n`);
    return takeUp(runId, state === 'due', flags, terminal);
  }
  const told = { type: 'gate-decided', v: 1, run: runId, gate: gate.gate, ...gate.decided, state };
  if (flags.json === true) terminal.out(`${JSON.stringify(told)}\n`);
  else if (flags.quiet !== true) terminal.out(`${block(`${line}\n${goesOn}`, terminal.width)}\n`);
  return EXIT.completed;
}

/** Another may be faster: then that one goes on with it. */
async function takeUp(
  runId: string,
  isDue: boolean,
  { note: _note, gate: _gate, to: _to, run: _run, ...flags }: AnswerFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  try {
    return await resumeNamed(runId, isDue ? { ...flags, due: true } : flags, terminal);
  } catch (error) {
    const isTaken =
      isHeld(error) || (error instanceof DevflowError && error.code === 'RUN_NOT_DUE');
    if (!isTaken) throw error;
    terminal.err(`another devflow goes on with ${runId}: \`devflow attach ${runId}\` shows it\n`);
    return EXIT.completed;
  }
}
