/** A JSON Schema that refers to itself with no step into the value: to validate by it would never end. */

type Fields = Readonly<Record<string, unknown>>;

/** What is no schema, whatever it looks like. */
const VALUES: readonly string[] = ['const', 'enum', 'default', 'examples'];
/** What holds schemas by names of the user's own, which may be those of keywords. */
const BY_NAME: readonly string[] = [
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
];
/** Keywords whose schemas are for the value itself, and not for a part of it. */
const LISTS = ['allOf', 'anyOf', 'oneOf'] as const;
const SINGLE = ['not', 'if', 'then', 'else'] as const;

export function refersToItself(root: Fields): boolean {
  const all = schemasIn(root);
  const ended = new Set<Fields>();
  const comesBack = (schema: Fields, above: ReadonlySet<Fields>): boolean => {
    if (above.has(schema)) return true;
    if (ended.has(schema)) return false;
    const below = new Set([...above, schema]);
    const found = forTheSameValue(schema, root, all).some((next) => comesBack(next, below));
    ended.add(schema);
    return found;
  };
  return all.some((schema) => comesBack(schema, new Set()));
}

/** References whose end is not looked for: to what is no part of the schema, or is none. */
export function strangeReferences(root: Fields): string[] {
  const all = schemasIn(root);
  return all.flatMap(({ $ref: reference }) => {
    if (typeof reference !== 'string') return [];
    const found = asFields(referredTo(reference, root, all));
    const isKnown = reference.startsWith('#') && (found === undefined || all.includes(found));
    return isKnown ? [] : [reference];
  });
}

/** The schemas in a schema, itself first. */
export function schemasIn(schema: unknown): Fields[] {
  if (Array.isArray(schema)) return schema.flatMap(schemasIn);
  const fields = asFields(schema);
  if (fields === undefined) return [];
  const inner = Object.entries(fields).flatMap(([key, value]) => {
    if (VALUES.includes(key)) return [];
    return BY_NAME.includes(key) ? Object.values(asFields(value) ?? {}) : [value];
  });
  return [fields, ...inner.flatMap(schemasIn)];
}

function forTheSameValue(schema: Fields, root: Fields, all: readonly Fields[]): Fields[] {
  const listed = LISTS.flatMap((key) => (Array.isArray(schema[key]) ? schema[key] : []));
  const dependent = ['dependentSchemas', 'dependencies'].flatMap((key) =>
    Object.values(asFields(schema[key]) ?? {}),
  );
  const inner = [...listed, ...SINGLE.map((key) => schema[key]), ...dependent];
  return [...inner, referredTo(schema['$ref'], root, all)]
    .map(asFields)
    .filter((found) => found !== undefined);
}

/** What a reference within the schema leads to; undefined for any other. */
function referredTo(reference: unknown, root: Fields, all: readonly Fields[]): unknown {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
  const name = reference.slice(1);
  if (name !== '' && !name.startsWith('/'))
    return all.find(({ $anchor }) => $anchor === decoded(name));
  const words = name.split('/').slice(1).map(asKey);
  return words.reduce<unknown>(
    (at, word) => (typeof at === 'object' && at !== null ? (at as Fields)[word] : undefined),
    root,
  );
}

/** A part of a reference, by RFC 6901. */
function asKey(word: string): string {
  return decoded(word).replaceAll('~1', '/').replaceAll('~0', '~');
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

function asFields(value: unknown): Fields | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Fields) : undefined; // an object, by the line above
}
