import type { AgentEvent, AgentResult } from './adapter/index.js';

const REDACTED = '[redacted]';
/** The beginning of a secret that a cut has left is one from this length on. */
const SHORTEST_BEGINNING = 6;

/** Text without secrets, and without the beginning of one at the place where it was cut. */
export function redactText(text: string, secrets: readonly string[]): string {
  // The longest first: one that begins like another must not leave the rest of it.
  const ordered = formsOf(secrets).toSorted((a, b) => b.length - a.length);
  const whole = ordered.reduce((cleaned, secret) => cleaned.replaceAll(secret, REDACTED), text);
  return whole.endsWith('…') ? redactBeginning(whole, ordered) : whole;
}

/** A secret as it is, line by line, and as it stands in JSON. */
function formsOf(secrets: readonly string[]): string[] {
  const forms = secrets.flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    ...secret.split(/\r?\n/).filter((line) => line.length >= 8),
  ]);
  return [...new Set(forms)];
}

function redactBeginning(text: string, secrets: readonly string[]): string {
  const end = text.length - 1;
  const longest = Math.max(0, ...secrets.map(({ length }) => length));
  for (let start = Math.max(0, end - longest); start <= end - SHORTEST_BEGINNING; start += 1) {
    const beginning = text.slice(start, end);
    if (secrets.some((secret) => secret.startsWith(beginning)))
      return `${text.slice(0, start)}${REDACTED}…`;
  }
  return text;
}

export function redactEvent(event: AgentEvent, secrets: readonly string[]): AgentEvent {
  return redactIn(event, secrets);
}

/** What an agent says goes into the journal, into later prompts, and so to other agents. */
export function redactResult(result: AgentResult, secrets: readonly string[]): AgentResult {
  return redactIn(result, secrets);
}

function redactIn<T>(value: T, secrets: readonly string[]): T {
  if (secrets.length === 0) return value;
  if (typeof value === 'string') return redactText(value, secrets) as T; // a text stays a text
  if (Array.isArray(value)) return value.map((item: unknown) => redactIn(item, secrets)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: [string, unknown]) => [key, redactIn(inner, secrets)]),
  ) as T; // the same keys and types
}
