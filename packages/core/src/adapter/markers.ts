/**
 * Last lines that other tools ask agents for, read into devflow's own answer.
 *
 * Grammar, one line each; quotation, emphasis and code around the line, the name or the value change nothing:
 *
 *     NOT READY: <reason>
 *     RELEVANCE REVIEW: still relevant | partly done | already done | needs rewrite
 *     PR REVIEW: approve | request changes
 *     ADDRESSED: <what>
 *
 * The name is in capitals, the value of a review in letters of any case. Behind it, after one of `: ; , .` or
 * a dash, or in round brackets, words may follow; but `approve` stands alone: a yes with a but is none. A value
 * that is all in angle brackets is a template, and its line is no marker; nor is a name alone, which is a heading.
 *
 * A line that begins with a name in any other way, as an item of a list or without the colon, is no yes: `NOT READY`
 * is read all the same, and of the others it is a marker that cannot be read.
 *
 * Precedence: a `DEVFLOW_RESULT` line outranks all of these, also where it cannot be read. Of several markers
 * the worse one counts, wherever it stands: one that cannot be read, then `declined`, then gaps, then pass.
 */
import { type Answer, BEFORE } from './answer.js';

export const MARKERS = ['NOT READY', 'RELEVANCE REVIEW', 'PR REVIEW', 'ADDRESSED'] as const;
export type MarkerName = (typeof MARKERS)[number];

export interface Marker {
  readonly name: MarkerName;
  /** Undefined: the line was meant as a marker, and its value is not known. */
  readonly answer: Answer | undefined;
}

/** What markers come to together. `unreadable`: the line that is none. */
export interface FoundMarkers {
  readonly answer?: Answer;
  readonly unreadable?: string;
}

/** As the grammar has it. */
const EXACT = /^[\s*_`>]*(?:NOT READY|RELEVANCE REVIEW|PR REVIEW|ADDRESSED)[*_`]*:/;
const NAME =
  /[Nn]ot [Rr]eady(?=[*_`]*:)|(?:NOT[\s_-]+READY|(?:RELEVANCE|PR)[\s_-]+REVIEW|ADDRESSED)(?![\p{L}\p{N}])/u;
/** Whatever begins like one. */
const MARKER = new RegExp(`(${BEFORE.source})(${NAME.source})[*_\`]*(\\s*:)?(.*)$`, 'su');
/** `<reason>`, or several of them. */
const TEMPLATE = /^(?:<[^<>]*>[\s,;.|"')\]]*)+$/;
/** Between a name without a colon and what is said. */
const SIGNS = /^[^\p{L}\p{N}<`*_]+/u;
const NOTHING = /^(?:nothing|none|n\/a)(?![\p{L}\p{N}])/iu;
/** `0 of 5`, `no comments`; but also `no longer slow`. */
const DOUBTFUL = /^(?:no|not|zero|0)(?![\p{L}\p{N}])/iu;

/** The marker on one line, or undefined where the line is none or a template. */
export function readMarker(line: string): Marker | undefined {
  const [, lead = '', found, colon, rest = ''] = MARKER.exec(line) ?? [];
  if (found === undefined) return undefined;
  const name = found.toUpperCase().replace(/[\s_-]+/, ' ') as MarkerName; // one of them, by the pattern
  const emphasis = lead.split(/[^*_`]+/).at(-1) ?? '';
  const said = undecorated(rest, emphasis);
  const words = colon === undefined ? said.replace(SIGNS, '') : said;
  if (TEMPLATE.test(words)) return undefined;
  if (name === 'NOT READY' || EXACT.test(line)) return { name, answer: ANSWERS[name](words) };
  return colon === undefined && words === '' ? undefined : { name, answer: undefined };
}

/** The answer of all markers among these lines; nothing where there is none. */
export function readMarkers(lines: readonly string[]): FoundMarkers {
  const found = lines.flatMap((line) => {
    const marker = readMarker(line);
    return marker === undefined ? [] : [{ line, ...marker }];
  });
  const unreadable = found.findLast(({ answer }) => answer === undefined)?.line;
  if (unreadable !== undefined) return { unreadable };
  const answers = found.flatMap(({ answer }) => answer ?? []);
  const worst = answers.toSorted((a, b) => badness(a) - badness(b)).at(-1);
  if (worst === undefined) return {};
  const addressed = found.findLast(({ name }) => name === 'ADDRESSED')?.answer?.summary;
  return { answer: { ...worst, ...(addressed !== undefined && { summary: addressed }) } };
}

/** What says least for a good end comes last. */
function badness({ status, verdict }: Answer): number {
  if (status !== 'success') return 3;
  return { gaps: 2, pass: 1, none: 0 }[verdict ?? 'none'];
}

const ANSWERS: Readonly<Record<MarkerName, (words: string) => Answer | undefined>> = {
  'NOT READY': (words) => ({ status: 'declined', ...(words !== '' && { reason: words }) }),
  'RELEVANCE REVIEW': relevance,
  'PR REVIEW': review,
  ADDRESSED(words) {
    const said = words.replace(/^[^\p{L}\p{N}]+/u, '');
    if (NOTHING.test(said)) return { status: 'declined', reason: 'nothing was addressed' };
    if (said === '' || DOUBTFUL.test(said)) return undefined;
    return { status: 'success', summary: words };
  },
};

/** `partly done` is no reason to do nothing: there is work left, and the task is not what was taken for granted. */
function relevance(words: string): Answer | undefined {
  const [value, said] = choice(words, RELEVANCE) ?? [];
  if (value === undefined || said === undefined) return undefined;
  const text = said === '' ? value : `${value}: ${said}`;
  switch (value) {
    case 'still relevant':
      return { status: 'success', verdict: 'pass', summary: text };
    case 'partly done':
      return { status: 'success', verdict: 'gaps', summary: text };
    default:
      return { status: 'declined', reason: text };
  }
}

function review(words: string): Answer | undefined {
  const [value, said] = choice(words, REVIEW) ?? [];
  if (value === 'request changes')
    return {
      status: 'success',
      verdict: 'gaps',
      reason: said === '' ? value : `${value}: ${said}`,
    };
  return value === 'approve' && said === ''
    ? { status: 'success', verdict: 'pass', summary: value }
    : undefined;
}

const RELEVANCE = /^[*_`]*(still relevant|partly done|already done|needs rewrite)[*_`]*(.*)$/is;
const REVIEW = /^[*_`]*(approve|request changes)[*_`]*(.*)$/is;
const SEPARATED = /^(?:\s*[–—:;,.]|\s+-\s)\s*(.*)$|^\s*\((.*)\)\.?$/s;

/** A known value in small letters, and the words behind it. */
function choice(words: string, known: RegExp): [string, string] | undefined {
  const [, value, rest = ''] = known.exec(words) ?? [];
  if (value === undefined) return undefined;
  const [, behind, within] = SEPARATED.exec(rest) ?? [];
  const said = rest.trim() === '' ? '' : (behind ?? within);
  return said === undefined ? undefined : [value.toLowerCase(), said.trim()];
}

/** Without what emphasises the value, or the whole line, and without more: `` `a` and `b` `` stays as it is. */
function undecorated(value: string, lead: string): string {
  const words = value.trim();
  const end = reversed(lead);
  if (end !== '' && words.startsWith(end)) return words.slice(end.length).trim();
  if (end !== '' && words.endsWith(end)) return words.slice(0, -end.length).trim();
  const [start = ''] = /^[*_`]+/.exec(words) ?? [];
  const close = reversed(start);
  const inner = words.slice(start.length, -start.length || undefined);
  const surrounds = start !== '' && words.endsWith(close) && words.length > 2 * start.length;
  return surrounds && !inner.includes(start) ? inner.trim() : words;
}

function reversed(marks: string): string {
  return marks.split('').toReversed().join('');
}
