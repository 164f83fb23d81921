/** How deep data may be nested: deeper, what reads it would run out of stack. */
export const DATA_DEPTH = 100;

export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === DATA_DEPTH || Object.values(value).some((inner) => isTooDeep(inner, depth + 1));
}

/** What is kept in `run.json` as it is: nothing that is nested deeper than {@link DATA_DEPTH}, as what holds itself is. */
export function isData(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null)
    return value === null || ['string', 'boolean', 'number', 'undefined'].includes(typeof value);
  if ('toJSON' in value || depth === DATA_DEPTH) return false;
  return Object.values(value).every((inner) => isData(inner, depth + 1));
}
