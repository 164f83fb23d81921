const REDACTED = '[redacted]';
/** In the place of what is nested deeper than {@link DEPTH}: whatever reads it, JSON too, would run out of stack. */
const TOO_DEEP = '[nested too deep]';
const DEPTH = 500;
/** The beginning of a secret that a cut has left is one from this length on. */
const SHORTEST_BEGINNING = 6;

/**
 * Takes secrets out of a text, or out of every text in a value: also the beginning of one where a text was cut. And
 * what is nested without end, whether there are secrets or not. What an agent says goes into the journal, into later prompts, and so to other agents.
 */
export function redactor(secrets: readonly string[]): <T>(value: T) => T {
  // The longest first: one that begins like another must not leave the rest of it.
  const ordered = formsOf(secrets).toSorted((a, b) => b.length - a.length);
  const redact = <T>(value: T, depth = 0): T => {
    if (typeof value === 'string') return redactText(value, ordered) as T; // a text stays a text
    if (typeof value !== 'object' || value === null) return value;
    if (depth > DEPTH) return TOO_DEEP as T;
    if (Array.isArray(value)) return value.map((item: unknown) => redact(item, depth + 1)) as T;
    const entries = Object.entries(value).map(([key, inner]: [string, unknown]) => [
      redactText(key, ordered), // an agent names those of its output
      redact(inner, depth + 1),
    ]);
    return Object.fromEntries(entries) as T; // the same types, and the keys that are ours
  };
  return (value) => redact(value);
}

function redactText(text: string, ordered: readonly string[]): string {
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
