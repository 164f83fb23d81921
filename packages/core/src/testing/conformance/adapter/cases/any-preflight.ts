import type { Problem } from '../../../../adapter/index.js';
import { type ConformanceCase, judged } from '../../case.js';
import { configured, placeProgram, stubFile, whyNotConfigured } from '../place.js';
import { askPreflight } from '../preflight.js';
import { writeStubProgram } from '../stub-program.js';
import type { AdapterSubject } from '../subject.js';

export const NO_PREFLIGHT = 'it has no preflight';

/** Asked of every adapter that has one, also where nothing is known of its agent: what it finds is its own affair. */
export const preflightAnswers: ConformanceCase<AdapterSubject> = {
  name: 'preflight-answers',
  unsupported: (subject) =>
    whyNotConfigured(subject) ??
    (configured(subject).preflight === undefined ? NO_PREFLIGHT : undefined),
  async run({ subject, directory, observe }) {
    const [mode = 'work'] = subject.adapter.capabilities.modes;
    const program = stubFile(subject, directory);
    writeStubProgram(program, { answers: [], stdout: '' });
    const { adapter } = placeProgram(subject, program);
    const question = { directory, program, mode, state: {}, checkLogin: true };
    const found: unknown = await askPreflight(subject, adapter, question);
    observe(`where its program answers nothing: ${JSON.stringify(found)}`);
    return judged(misshapen(found), 'it answers, also where its program says nothing');
  },
};

function misshapen(found: unknown): string[] {
  const { problems, notes } = Object(found) as Record<string, unknown>;
  if (!Array.isArray(problems) || !Array.isArray(notes))
    return ['it answers with something else than a list of problems and one of notes'];
  return [
    ...(problems.some(isVague) ? ['a problem without a code, words or what to do'] : []),
    ...(notes.every((note) => typeof note === 'string') ? [] : ['a note that is no text']),
  ];
}

/** A problem that nobody can do anything about. */
export function isVague(problem: Problem): boolean {
  const { code, message, hint } = Object(problem) as Partial<Record<keyof Problem, unknown>>;
  const isThere = (words: unknown) => typeof words === 'string' && words.trim() !== '';
  return !/^[A-Z][A-Z0-9_]*$/.test(String(code)) || !isThere(message) || !isThere(hint);
}
