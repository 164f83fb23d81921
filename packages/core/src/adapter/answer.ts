/**
 * The agent's answer to the completion contract: one line of its final text,
 * `DEVFLOW_RESULT: {"status":"success","verdict":"pass","summary":"…"}`.
 */

export interface Answer {
  readonly status: 'success' | 'failed' | 'declined';
  /** Only for phases that judge. Missing means no verdict, never `pass`. */
  readonly verdict?: 'pass' | 'gaps';
  readonly summary?: string;
  readonly reason?: string;
  /** What a phase asks for by its `answer`; any JSON value. */
  readonly output?: unknown;
}

/**
 * Before what begins like an answer: no word, but marks of a quotation, a heading or a list, with its `1.` or `[x]`.
 * No `<`, which begins a template.
 */
export const BEFORE = /^[^\p{L}\p{N}<]*(?:[\p{L}\p{N}]{1,3}[.)\]][^\p{L}\p{N}<]*)?/u;
const MARK = new RegExp(`${BEFORE.source}DEVFLOW_RESULT[\\s*_\`]*[:={]`, 'u');
/** Bold or code, as agents like to write, changes nothing. */
const MARKER = /^[\s*_`>]*DEVFLOW_RESULT:[\s*_`]*(\{.*\})[\s*_`]*$/s;
const STATUSES = ['success', 'failed', 'declined'] as const;
const VERDICTS = ['pass', 'gaps'] as const;

/**
 * The answer on one line, or undefined where the line is none: a template (`<…>`) and an unknown
 * status or verdict are no answer.
 */
export function readAnswer(line: string): Answer | undefined {
  const found = MARKER.exec(line)?.[1];
  if (found === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(found);
  } catch {
    return undefined;
  }
  return asAnswer(value);
}

/** A value as an answer, or undefined where it is none: an unknown status or verdict is no answer. */
export function asAnswer(value: unknown): Answer | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { status, verdict, summary, reason, output } = value as Record<string, unknown>;
  const knownStatus = STATUSES.find((known) => known === status);
  if (knownStatus === undefined) return undefined;
  const knownVerdict = VERDICTS.find((known) => known === verdict);
  if (verdict !== undefined && verdict !== null && knownVerdict === undefined) return undefined;
  return {
    status: knownStatus,
    ...(knownVerdict !== undefined && { verdict: knownVerdict }),
    ...(isText(summary) && { summary }),
    ...(isText(reason) && { reason }),
    ...(output !== undefined && { output }),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** A line without what changes nothing about its reading: where two are the same, one echoes the other. */
export function bare(line: string): string {
  return line.replace(/[\s*_`>:;,.–—]/g, '').toLowerCase();
}

/** Does the line begin as an answer does, whether it can be read or not? */
export function isMarked(line: string): boolean {
  return MARK.test(line);
}
