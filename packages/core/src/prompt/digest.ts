import type { AgentEvent } from '../adapter/index.js';
import { withoutAnswer } from './without-answer.js';
import { DIGEST_KEYS, type DigestRule } from '../workflow/schema-hand-over.js';

/** What agents did, in lines for the next one: pure. */

/** What has changed nothing says little to whoever comes next; the summary has the rest. */
const LEFT_OUT = [
  'session', 'prompt', 'text', 'idle', 'read', 'search', 'attention', 'usage', 'end', 'other',
] as const; // prettier-ignore

/** Where a phase has no rules of its own: what was changed and run, by the agent itself. */
const DEFAULT_RULES: readonly DigestRule[] = [
  ...LEFT_OUT.map((event) => ({ event, remove: true }) as const),
  { event: '*', where: { child: true }, remove: true },
  ...(['file', 'cmd', 'detail', 'text'] as const).map(
    (key) => ({ event: '*', key, remove: true }) as const,
  ),
  { event: '*', key: 'summary', truncate: 200 },
];

/** No line is longer, whatever the rules say, in characters. */
const LINE_LIMIT = 4_000;
/** No digest is longer, in UTF-16 units. */
const DIGEST_LIMIT = 60_000;

/** The events of an attempt, as they were kept. */
export interface AttemptEvents {
  readonly attempt: number;
  readonly outcome: string;
  readonly events: readonly AgentEvent[];
  /** What of it could not be read, in words. */
  readonly missing: readonly string[];
}

/** A line for each event that the rules leave, those of each attempt together; the earliest are left out first, and that is said. */
export function digest(
  attempts: readonly AttemptEvents[],
  { events: rules = DEFAULT_RULES, maxEvents = 100 }: DigestSettings,
): string {
  const parts = attempts.map((attempt) => ({
    ...attempt,
    lines: attempt.events.flatMap((event) => eventLine(event, rules) ?? []),
  }));
  const all = parts.flatMap(({ lines }) => lines);
  let left = Math.max(0, all.length - maxEvents);
  let length = all.slice(left).reduce((sum, line) => sum + line.length + 1, 0);
  while (length > DIGEST_LIMIT) length -= (all[left++] ?? '').length + 1;
  let skip = left;
  const shown = parts.map(({ attempt, outcome, lines, events, missing }) => {
    const kept = lines.slice(skip);
    skip = Math.max(0, skip - lines.length);
    return [
      ...(parts.length > 1 ? [`attempt ${attempt}, ${outcome}:`] : []),
      ...missing.map((words) => `(${words})`),
      ...(kept.length > 0 ? kept : [lines.length > 0 ? '(left out)' : noLine(events.length)]),
    ].join('\n');
  });
  const note = left === 0 ? [] : [`[${left} earlier ${left === 1 ? 'event' : 'events'} left out]`];
  return [...note, ...shown].join(parts.length > 1 ? '\n\n' : '\n');
}

interface DigestSettings {
  readonly events?: readonly DigestRule[] | undefined;
  readonly maxEvents?: number | undefined;
}

function noLine(events: number): string {
  return events === 0 ? '(no events)' : `(${events} events, none of which the rules leave)`;
}

/** One line, or undefined where the rules leave nothing of the event. */
function eventLine(event: AgentEvent, rules: readonly DigestRule[]): string | undefined {
  const left = applyRules(event, rules);
  if (left === undefined) return undefined;
  const words = DIGEST_KEYS.flatMap((key) => {
    const value = left[key]?.replace(/\s+/g, ' ').trim() ?? '';
    if (value === '') return [];
    return key === 'summary' ? [value] : [`${key}: ${value}`];
  });
  const said = words.length === 0 ? event.name : words.join(' | ');
  return truncate(`- ${event.kind}${event.ok === false ? ' (failed)' : ''}: ${said}`, LINE_LIMIT);
}

type Shown = Partial<Record<(typeof DIGEST_KEYS)[number], string>>;

/**
 * Rules in order, each to the event as it arrived: the last one that fits a key decides about it. So a cut is
 * never cut again, and its mark is true. An event that a rule removes as a whole is gone.
 */
export function applyRules(event: AgentEvent, rules: readonly DigestRule[]): Shown | undefined {
  const fitting = rules.filter((rule) => fits(event, rule));
  if (fitting.some(({ key }) => key === undefined)) return undefined;
  const shown: Shown = {};
  for (const key of DIGEST_KEYS) {
    if (event[key] === undefined) continue;
    const value = withoutAnswer(event[key]);
    const rule = fitting.findLast(({ key: of }) => of === key);
    if (rule === undefined) shown[key] = value;
    else if ('truncate' in rule) shown[key] = truncate(value, rule.truncate);
  }
  return shown;
}

function fits(event: AgentEvent, { event: kind, where = {} }: DigestRule): boolean {
  if (kind !== '*' && kind !== event.kind) return false;
  return Object.entries(where).every(([key, wanted]) => {
    const value = event[key as keyof typeof where]; // a strict object of the schema
    return typeof wanted === 'string' && typeof value === 'string'
      ? matches(value, wanted)
      : wanted === undefined || value === wanted;
  });
}

/** `*` stands for any text. Goes through the value once, whatever the pattern is. */
function matches(value: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return value === pattern;
  if (!value.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = value.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return value.length - last.length >= at && value.endsWith(last);
}

/** The first characters (code points) of a text, and how many were left out: `…[1234 more]`. */
export function truncate(text: string, characters: number): string {
  if (text.length <= characters) return text;
  let end = 0;
  let count = 0;
  for (const character of text) {
    if (count < characters) end += character.length;
    count += 1;
  }
  return count <= characters ? text : `${text.slice(0, end)}…[${count - characters} more]`;
}
