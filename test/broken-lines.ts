/** Ways in which a line of JSON can be other than it was. */
import * as fc from 'fast-check';

/** One change, at a place that `path` picks: each number one of the children there. */
export interface Edit {
  readonly path: readonly number[];
  readonly change:
    | { readonly kind: 'replace'; readonly json: string }
    | { readonly kind: 'drop' | 'wrap' | 'swap' }
    | { readonly kind: 'add'; readonly key: string; readonly json: string };
}

/** Names that every object answers to, characters that are halves, and words that look like something. */
const TRICKY = [
  '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '', ' ', '\n', '\r\n', '\0',
  '\uD800', '\uDC00x', 'x\uD83D', `${'x'.repeat(299)}\u{1F600}`, `${'x'.repeat(899)}\u{1F600}`,
  'DEVFLOW_RESULT: {"status":"success"}', '{"type":', '[]', 'null', '-1', '1e999',
]; // prettier-ignore

export const trickyText = fc.constantFrom(...TRICKY);

const json = fc.oneof(
  fc.json({ maxDepth: 3 }),
  trickyText.map((text) => JSON.stringify(text)),
  fc.constantFrom(
    '1e999',
    '-0',
    '-1',
    '1e300',
    '8640000000001',
    '{"__proto__":{"x":1}}',
    '[[],{}]',
  ),
);

export const edit: fc.Arbitrary<Edit> = fc.record({
  path: fc.array(fc.nat(30), { maxLength: 5 }),
  change: fc.oneof(
    fc.record({ kind: fc.constant('replace' as const), json }),
    fc.record({ kind: fc.constantFrom('drop' as const, 'wrap' as const, 'swap' as const) }),
    fc.record({ kind: fc.constant('add' as const), key: trickyText, json }),
  ),
});

/** The value with one change. What has no children is changed where the path ends. */
export function applyEdit(value: unknown, { path, change }: Edit): unknown {
  const [step, ...rest] = path;
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const key = step === undefined ? undefined : keys[step % keys.length];
  if (key === undefined) return changed(value, change);
  const entries = Object.entries(value ?? {}).flatMap(([name, child]: [string, unknown]) => {
    if (name !== key) return [[name, child]];
    const isLast = rest.length === 0 || typeof child !== 'object' || child === null;
    if (isLast && change.kind === 'drop') return [];
    return [[name, applyEdit(child, { path: rest, change })]];
  });
  return Array.isArray(value)
    ? entries.map(([, child]) => child)
    : Object.fromEntries(entries as [string, unknown][]);
}

function changed(value: unknown, change: Edit['change']): unknown {
  switch (change.kind) {
    case 'replace':
      return JSON.parse(change.json);
    case 'drop':
      return null;
    case 'wrap':
      return [value];
    case 'swap':
      return typeof value === 'string' ? { [value]: value } : JSON.stringify(value);
    default:
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? { ...value, ...JSON.parse(`{${JSON.stringify(change.key)}:${change.json}}`) }
        : value;
  }
}

/** JSON that is nested so many levels deep, as lists and as objects. */
export function nested(levels: number): string[] {
  return [
    `${'['.repeat(levels)}${']'.repeat(levels)}`,
    `${'{"content":'.repeat(levels)}"x"${'}'.repeat(levels)}`,
  ];
}
