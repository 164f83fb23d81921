/** What is kept in `run.json` as it is. */
export function isData(value: unknown, above: readonly unknown[] = []): boolean {
  if (typeof value !== 'object' || value === null)
    return value === null || ['string', 'boolean', 'number', 'undefined'].includes(typeof value);
  if ('toJSON' in value || above.includes(value)) return false;
  return Object.values(value).every((inner) => isData(inner, [...above, value]));
}
