import { type Problem, cut } from '../adapter/index.js';

/** So much of a text of somebody else's code is kept, in characters. */
const TEXT_LIMIT = 2_000;
const CODE_LIMIT = 100;
/** So many problems of one answer are kept. */
const PROBLEMS_LIMIT = 50;

const EXPECTED = 'expected a list of { code, message, hint }, all of them texts, or nothing';

/**
 * The problems that somebody else's code gave back, as plain texts: each of its members is looked at once, so that
 * what is kept is what was checked. What is journalled unchecked might never be read again.
 *
 * @param hint for those that have none
 * @throws Error saying what was given back, and what was expected
 */
export function readProblems(said: unknown, hint: string): Problem[] {
  if (said === undefined) return [];
  return reading(EXPECTED, () => {
    if (!Array.isArray(said)) throw new Unexpected(kindOf(said));
    const length = lengthOf(said);
    const count = Math.min(length, PROBLEMS_LIMIT);
    const problems = Array.from({ length: count }, (_, index) =>
      readProblem(said[index], index + 1, hint),
    );
    const more = { code: 'MORE_PROBLEMS', message: `and ${length - count} more`, hint };
    return length > count ? [...problems, more] : problems;
  });
}

/** A proxy can say anything, and no number of problems must not look like none. */
function lengthOf({ length }: { readonly length: unknown }): number {
  if (Number.isSafeInteger(length) && Number(length) >= 0) return Number(length);
  throw new Unexpected('a list without a length');
}

function readProblem(said: unknown, number: number, byDefault: string): Problem {
  const which = `a list whose problem ${number}`;
  if (typeof said !== 'object' || said === null)
    throw new Unexpected(`${which} is ${kindOf(said)}`);
  const { code, message, hint = byDefault } = said as Readonly<Record<string, unknown>>;
  const wrong = Object.entries({ code, message, hint }).find(([, each]) => !isText(each));
  if (wrong !== undefined) throw new Unexpected(`${which} has no text as its ${wrong[0]}`);
  return {
    code: cut(String(code), CODE_LIMIT),
    message: kept(String(message)),
    hint: kept(String(hint)),
  };
}

/** @throws Error saying what was given back, and what was expected */
export function readNotes(said: unknown): string[] {
  return reading('expected a list of texts as its notes', () => {
    if (!Array.isArray(said)) throw new Unexpected(`notes that are ${kindOf(said)}`);
    const notes: unknown[] = Array.from({ length: Math.min(said.length, PROBLEMS_LIMIT) }, (_, index) => said[index] as unknown); // prettier-ignore
    if (!notes.every((note) => typeof note === 'string'))
      throw new Unexpected('a note that is no text');
    return notes.map(kept);
  });
}

const EXPECTED_VERDICT = 'expected true, false or { run, reason }: a yes or no, and a text';

/** Whether a phase is to be done. @throws Error saying what was given back, and what was expected */
export function readVerdict(said: unknown): { run: boolean; reason?: string } {
  if (typeof said === 'boolean') return { run: said };
  return reading(EXPECTED_VERDICT, () => {
    if (typeof said !== 'object' || said === null) throw new Unexpected(kindOf(said));
    const { run, reason } = said as Readonly<Record<string, unknown>>;
    if (typeof run !== 'boolean')
      throw new Unexpected(`${kindOf(said)} that says neither true nor false`);
    if (reason === undefined) return { run };
    if (typeof reason !== 'string') throw new Unexpected('a reason that is no text');
    return { run, reason: kept(reason) };
  });
}

/** What was thrown, in words: anything can be, also what is no text and cannot become one. */
export function thrownWords(thrown: unknown): string {
  try {
    return kept(String(thrown instanceof Error ? thrown.message : thrown));
  } catch {
    return 'it threw what cannot be put into words';
  }
}

/** A text as it is kept. */
function kept(text: string): string {
  return cut(text, TEXT_LIMIT);
}

/** The end of an output: it says most. */
export function keptEnd(text: string): string {
  return text.length <= TEXT_LIMIT ? text : `…${text.slice(1 - TEXT_LIMIT)}`;
}

/** What was found in place of what was expected. */
class Unexpected extends Error {}

function reading<T>(expected: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const found =
      error instanceof Unexpected ? error.message : `what cannot be read (${thrownWords(error)})`; // a getter, a proxy
    throw new Error(`gave back ${found}; ${expected}`, { cause: error });
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'boolean') return 'a yes or no, which is for `when`';
  if (typeof value !== 'object') return value === undefined ? 'nothing' : `a ${typeof value}`;
  return 'run' in value ? '{ run }, which is for `when`' : 'an object that is no list';
}
