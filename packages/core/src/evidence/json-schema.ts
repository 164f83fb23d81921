import { createRequire } from 'node:module';
import { runInNewContext } from 'node:vm';
import type * as library from 'ajv/dist/2020.js';
import type { Ajv2020, ErrorObject } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { refersToItself, schemasIn, strangeReferences } from './json-schema-loops.js';

/** JSON Schema, draft 2020-12: is a text one, and does a value hold by it? */

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Formats that are looked at; any other one is refused, as it would decide nothing. */
const FORMATS: Readonly<Record<string, z.ZodType>> = {
  'date-time': z.iso.datetime({ offset: true }),
  date: z.iso.date(),
  duration: z.iso.duration(),
  email: z.email(),
  uuid: z.guid(),
  ipv4: z.ipv4(),
  ipv6: z.ipv6(),
  uri: z.url(),
  hostname: z.hostname(),
};

/** A schema with a name of its own, references that depend on the way to them, and answers that are promises. */
const REFUSED = [
  '$id', '$async', '$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor',
]; // prettier-ignore

/** How long a validation may take: a `pattern` can go on for ever over what an agent said. */
const TIME_LIMIT_MS = 2_000;

/** So many errors are told. */
const TOLD_ERRORS = 20;
/** Where one is longer, its end is not told: it holds what the agent wrote. */
const TOLD_CHARACTERS = 300;

/** What is wrong with a schema, each with its path such as `.properties.a`; empty where nothing is. */
export function schemaProblems(schema: JsonSchema): string[] {
  const schemas = schemasIn(schema);
  const unknown = REFUSED.find((key) => schemas.some((inner) => Object.hasOwn(inner, key)));
  if (unknown !== undefined) return [`: "${unknown}" is not known here`];
  const [strange] = strangeReferences(schema);
  if (strange !== undefined)
    return [`: can't resolve reference ${strange}: expected "#/…" or "#name", to a schema within`];
  if (refersToItself(schema)) return [': it refers to itself without an end'];
  if (schemas.some(namesPrototype))
    return [
      ': the property "__proto__" would decide nothing; name it by the pattern "^__proto__$"',
    ];
  const validator = newValidator();
  try {
    if (validator.validateSchema(schema) !== true)
      return errorTexts(firstOfEach(validator.errors ?? []));
    validator.compile(schema);
    return [];
  } catch (error) {
    const { message } = error as Error;
    const isDraft = message.startsWith('no schema with key or ref "http');
    // Ajv says that it ignores the format, and refuses the schema.
    const refused = message.replace(' ignored in schema', '');
    return [isDraft ? '.$schema: expected the draft 2020-12' : `: ${refused}`];
  }
}

/** Ajv leaves it out without a word. */
function namesPrototype({ properties, patternProperties }: JsonSchema): boolean {
  return [properties, patternProperties].some(
    (given) => typeof given === 'object' && given !== null && Object.hasOwn(given, '__proto__'),
  );
}

/** What of a value does not hold by a schema, each with its path such as `.items[0].name`; empty where all holds. */
export function validationProblems(schema: JsonSchema, value: unknown): string[] {
  try {
    const validate = newValidator().compile(schema);
    // Not to confine it: V8 ends at the limit whatever is called from there.
    const holds: unknown = runInNewContext(
      'holds()',
      { holds: () => validate(value) },
      { timeout: TIME_LIMIT_MS },
    );
    return holds === true ? [] : errorTexts(validate.errors ?? []);
  } catch (error) {
    return [`: it could not be validated: ${(error as Error).message}`]; // nested too deep for it
  }
}

/** Loaded once a schema is there: most workflows have none. */
function newValidator(): Ajv2020 {
  const load = createRequire(import.meta.url);
  const { Ajv2020: Validator } = load('ajv/dist/2020.js') as typeof library;
  return new Validator({
    allErrors: true,
    strict: false,
    strictSchema: true, // a keyword that is misspelled would decide nothing
    keywords: ['$anchor'], // which it goes by, and does not count among those that it knows
    ownProperties: true, // `constructor` is no property of every object
    logger: false,
    formats: Object.fromEntries(
      Object.entries(FORMATS).map(([name, format]) => [
        name,
        (text: string) => format.safeParse(text).success,
      ]),
    ),
  });
}

/** At each place the first: a word that is no type is no list of types either. */
function firstOfEach(errors: readonly ErrorObject[]): ErrorObject[] {
  const places = errors.map(({ instancePath }) => instancePath);
  return errors.filter(({ instancePath }, index) => places.indexOf(instancePath) === index);
}

function errorTexts(errors: readonly ErrorObject[]): string[] {
  const texts = [...new Set(errors.map(errorText))];
  if (texts.length === 0) return [': it does not hold'];
  const more = texts.length - TOLD_ERRORS;
  return [...texts.slice(0, TOLD_ERRORS), ...(more > 0 ? [`: and ${more} more errors`] : [])];
}

function errorText({ instancePath, message, params }: ErrorObject): string {
  const given = params as Readonly<Record<string, unknown>>;
  const detail =
    given['additionalProperty'] ?? given['unevaluatedProperty'] ?? given['propertyName'] ??
    given['allowedValues'] ?? given['allowedValue']; // prettier-ignore
  const more = detail === undefined ? '' : `: ${JSON.stringify(detail)}`;
  return `${pointerText(instancePath)}: ${message ?? 'does not hold'}${more}`.slice(
    0,
    TOLD_CHARACTERS,
  );
}

/** `/items/0/a~1b` as `.items[0].a/b` */
function pointerText(pointer: string): string {
  const words = pointer.split('/').slice(1);
  return words
    .map((word) => word.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((word) => (/^\d+$/.test(word) ? `[${word}]` : `.${word}`))
    .join('');
}
