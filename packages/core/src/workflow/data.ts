/** How deep data may be nested: deeper, what reads it would run out of stack. */
export const DATA_DEPTH = 100;

/** What is kept in `run.json` as it is: not what holds itself, nor what is nested deeper than {@link DATA_DEPTH}. */
export function isData(value: unknown, above: readonly unknown[] = []): boolean {
  if (typeof value !== 'object' || value === null)
    return value === null || ['string', 'boolean', 'number', 'undefined'].includes(typeof value);
  if ('toJSON' in value || above.includes(value) || above.length === DATA_DEPTH) return false;
  return Object.values(value).every((inner) => isData(inner, [...above, value]));
}
