/** Reading an agent's JSON lines: nothing is believed to have the shape it should have. */

export type Fields = Readonly<Record<string, unknown>>;

const OPENING_BRACE = 0x7b;

/** The object on one line, or undefined where the line holds none (the first byte tells most of them without a parse). */
export function readEntry(line: string): Fields | undefined {
  if (line.charCodeAt(0) !== OPENING_BRACE) return undefined;
  try {
    return fields(JSON.parse(line));
  } catch {
    return undefined; // Cut or torn: the caller keeps the line as it is.
  }
}

export function fields(value: unknown): Fields | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Fields) : undefined; // an object, by the line above
}

/** The objects in a list; what is no list has none. */
export function items(value: unknown): readonly Fields[] {
  if (!Array.isArray(value)) return [];
  return value.map(fields).filter((item) => item !== undefined);
}

/** A text that is not empty. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
