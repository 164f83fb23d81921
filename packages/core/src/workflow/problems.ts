import { z } from 'zod';
import { suggestion } from '../adapter/index.js';

/** Each zod issue as one sentence: where, what was found, what is expected, and the nearest valid key. */
export function describeIssues(error: z.ZodError, schema: z.ZodType, input: unknown): string[] {
  return describeEach(error.issues, schema, input);
}

export function pathText(path: readonly PropertyKey[]): string {
  const words = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return words.join('').replace(/^\./, '');
}

/** At each place the first: a function has a length too, so that what is of the wrong type may also be "too short". */
function describeEach(
  issues: readonly z.core.$ZodIssue[],
  schema: z.ZodType,
  input: unknown,
): string[] {
  const places = issues.map(({ path }) => pathText(path));
  return issues
    .filter(
      ({ code }, index) =>
        code === 'unrecognized_keys' || places.indexOf(places[index] ?? '') === index,
    )
    .flatMap((issue) => describeIssue(issue, schema, input));
}

function describeIssue(issue: z.core.$ZodIssue, schema: z.ZodType, input: unknown): string[] {
  const where = pathText(issue.path) || 'the configuration';
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = keysAt(schema, issue.path);
      return issue.keys.flatMap((key) => {
        const at = [...issue.path, key];
        if (known.includes(key)) return describeKnown(schema, at, input);
        return [`${pathText(at)}: unknown key; ${suggestion(key, known)}`];
      });
    }
    case 'invalid_union': {
      if (issue.message.startsWith('expected'))
        return [`${where}: ${issue.message}, found ${describeValue(valueAt(input, issue.path))}`];
      // The form that was meant: of the right type, and with the fewest keys that it does not know.
      const isOther = ([first]: readonly z.core.$ZodIssue[]) =>
        Number(
          (first?.code === 'invalid_type' || first?.code === 'invalid_value') &&
            first.path.length === 0,
        );
      const unknownKeys = (issues: readonly z.core.$ZodIssue[]) =>
        issues.flatMap((inner) => (inner.code === 'unrecognized_keys' ? inner.keys : [])).length;
      const [closest] = issue.errors.toSorted(
        (a, b) => isOther(a) - isOther(b) || unknownKeys(a) - unknownKeys(b) || a.length - b.length,
      );
      if (closest === undefined) return [`${where}: ${issue.message}`];
      const issues = closest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
      return describeEach(issues, schema, input);
    }
    case 'invalid_type':
      if (issue.expected === 'never') return [`${where}: ${issue.message}`];
      if (issue.message.startsWith('expected'))
        return [`${where}: ${issue.message}, found ${describeValue(valueAt(input, issue.path))}`];
      return [
        `${where}: expected ${expectedType(issue)}, found ${describeValue(valueAt(input, issue.path))}`,
      ];
    case 'invalid_value':
      return [
        `${where}: expected ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}, found ${describeValue(valueAt(input, issue.path))}`,
      ];
    default:
      return [`${where}: ${issue.message}, found ${describeValue(valueAt(input, issue.path))}`];
  }
}

/** A key that another form of the same entry knows: then that form was meant, and its value is what is wrong. */
function describeKnown(schema: z.ZodType, at: readonly PropertyKey[], input: unknown): string[] {
  const value = valueAt(input, at);
  const told = schemasAt(schema, at).flatMap((known) => {
    const { error } = known.safeParse(value);
    const issues = error?.issues.map((issue) => ({ ...issue, path: [...at, ...issue.path] }));
    return issues === undefined ? [] : describeEach(issues, schema, input);
  });
  return told.length > 0 ? told : [`${pathText(at)}: does not go with the other keys here`];
}

function expectedType(issue: z.core.$ZodIssueInvalidType): string {
  if (issue.expected === 'int') return 'a whole number';
  return `${/^[aeiou]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`;
}

function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'function')
    return 'a function (a workflow is data; give code by name under hooks)';
  const text = asText(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function asText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return typeof value; // what JSON has no form for: a bigint, a value that holds itself
  }
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null
        ? (value as Record<PropertyKey, unknown>)[key]
        : undefined,
    input,
  );
}

/** The keys that the schema knows at a path. */
function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const keys = schemasAt(schema, path).flatMap((found) =>
    found instanceof z.ZodObject ? Object.keys(found.shape) : [],
  );
  return [...new Set(keys)];
}

/** What may stand at a path: follows objects, arrays, records and what wraps them. */
function schemasAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType[] {
  const inner = unwrap(schema);
  const [key, ...rest] = path;
  if (inner instanceof z.ZodUnion)
    return inner.options.flatMap((option) => schemasAt(option as z.ZodType, path));
  if (key === undefined) return [inner];
  if (inner instanceof z.ZodObject) {
    const next = inner.shape[String(key)] as z.ZodType | undefined;
    return next === undefined ? [] : schemasAt(next, rest);
  }
  if (inner instanceof z.ZodArray) return schemasAt(inner.element as z.ZodType, rest);
  if (inner instanceof z.ZodRecord) return schemasAt(inner.valueType as z.ZodType, rest);
  return [];
}

function unwrap(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional ? unwrap(schema.unwrap() as z.ZodType) : schema;
}
