import { describe, expect, it } from 'vitest';
import { schemaProblems, validationProblems } from './json-schema.js';

describe('a JSON Schema', () => {
  it.each([
    [{ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }],
    [{ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'array' }],
    [{ $ref: '#/$defs/x', $defs: { x: { type: 'string' } } }],
    [{ oneOf: [{ const: 1 }, { pattern: '^a', format: 'date-time' }] }],
    [{ if: { required: ['a'] }, else: { required: ['b'] } }],
    [{ items: { $ref: '#' }, properties: { not: { $ref: '#' }, const: { $ref: '#' } } }],
    [{ allOf: [{ $ref: '#/$defs/x' }, { $ref: '#/$defs/x' }], $defs: { x: { type: 'string' } } }],
    [{ const: { $ref: '#/const' } }],
    [{ properties: { $id: { type: 'string' }, $ref: { type: 'string' }, $dynamicRef: {} } }],
    [{ properties: { const: { items: { $ref: '#/properties/const' } } } }],
    [{ patternProperties: { '^__proto__$': { type: 'string' } } }],
    [{ title: 't', description: 'd', default: 1, examples: [1], deprecated: true }],
  ])('is taken: %j', (schema) => {
    expect(schemaProblems(schema)).toEqual([]);
  });

  it.each([
    [{ properties: { a: { minLength: 'x' } } }, '.properties.a.minLength: must be integer'],
    [{ properties: { a: 1 } }, '.properties.a: must be object,boolean'],
    [{ type: 'object', requird: ['a'] }, 'unknown keyword: "requird"'],
    [{ $ref: '#/$defs/x' }, "can't resolve reference #/$defs/x"],
    [{ $ref: 'https://example.com/a' }, "can't resolve reference https://example.com/a"],
    [
      { $schema: 'http://json-schema.org/draft-07/schema#' },
      '.$schema: expected the draft 2020-12',
    ],
    [{ pattern: '(' }, 'Invalid regular expression'],
    [{ format: 'phone' }, 'unknown format "phone" at path'],
    [{ if: {} }, 'is ignored'],
    [{ $ref: '#' }, ': it refers to itself without an end'],
    [{ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, 'end'],
    [{ properties: { a: { anyOf: [{ type: 'string' }, { $ref: '#/properties/a' }] } } }, 'end'],
    [{ items: { $anchor: 'x', not: { $ref: '#x' } } }, 'without an end'],
    [{ dependentSchemas: { a: { $ref: '#' } } }, 'without an end'],
    [{ $async: true, type: 'string' }, '"$async" is not known'], // it would answer with a promise
    [{ $dynamicRef: '#a' }, '"$dynamicRef" is not known'],
    [{ items: { $recursiveRef: '#' } }, '"$recursiveRef" is not known'],
    [{ items: { $dynamicAnchor: 'x', $ref: '#x' } }, '"$dynamicAnchor" is not known'],
    [{ items: { $id: 'http://x/y', $ref: 'http://x/y' } }, '"$id" is not known'],
    [{ $ref: '' }, "can't resolve reference : expected"],
    [{ $ref: '#/const', const: { items: { $ref: '#/const/items' } } }, "can't resolve"],
    [{ properties: { const: { $ref: '#/properties/const' } } }, 'without an end'],
    [{ properties: { 'a~b': { $ref: '#/properties/a%7E0b' } } }, 'without an end'],
    [{ items: { $anchor: 'x', $ref: '#%78' } }, 'without an end'],
    [{ dependencies: { a: { $ref: '#' } } }, 'without an end'],
    [
      { items: { properties: { ['__proto__']: {} } } },
      'the property "__proto__" would decide nothing',
    ],
    [{ patternProperties: { ['__proto__']: {} } }, 'the property "__proto__" would decide nothing'],
  ])('that is none is told with its path: %j', (schema, why) => {
    expect(schemaProblems(schema).join('\n')).toContain(why);
  });
});

it('what is wrong at one place of a schema is told once', () => {
  const schema = { type: 'strin', properties: { a: { type: 7, minLength: 'x' } } };
  expect(schemaProblems(schema)).toEqual([
    expect.stringMatching(/^\.properties\.a\.type: must be equal to one of the allowed values/),
    '.properties.a.minLength: must be integer',
    expect.stringMatching(/^\.type: must be equal to one of the allowed values/),
  ]);
});

describe('a value', () => {
  it.each([
    [{ $ref: '#/$defs/x', $defs: { x: { type: 'string' } } }, 'a', 1],
    [{ oneOf: [{ type: 'number' }, { const: 3 }] }, 4, 3],
    [{ pattern: '^\\p{Lu}' }, 'É', 'é'],
    [{ properties: { a: {} }, additionalProperties: false }, { a: 1 }, { b: 1 }],
    [{ properties: { a: {} }, unevaluatedProperties: false }, { a: 1 }, { b: 1 }],
    [{ if: { required: ['a'] }, else: { required: ['b'] } }, { b: 1 }, {}],
    [{ dependentRequired: { a: ['b'] } }, { b: 1 }, { a: 1 }],
    [{ prefixItems: [{ type: 'string' }], items: false }, ['a'], ['a', 1]],
    [{ required: ['constructor'] }, { constructor: 1 }, {}],
    [{ minLength: 2 }, '😀😀', '😀'],
    [{ format: 'date-time' }, '2030-01-01T00:00:00+01:00', '1.1.2030'],
    [{ format: 'date' }, '2028-02-29', '2030-02-29'],
    [{ format: 'email' }, 'a@example.com', 'a'],
    [{ format: 'uri' }, 'https://example.com/a', 'a'],
    [{ format: 'uuid' }, '00000000-0000-0000-0000-00000000000a', 'a'],
    [{ format: 'ipv4' }, '127.0.0.1', '127.0.0.256'],
    [{ format: 'ipv6' }, '::1', ':::'],
    [{ format: 'hostname' }, 'example.com', '-a'],
    [{ format: 'duration' }, 'P1D', '1 day'],
    [{ type: 'object' }, {}, null],
  ])('holds by %j or does not', (schema, good, bad) => {
    expect(validationProblems(schema, good)).toEqual([]);
    expect(validationProblems(schema, bad)).not.toEqual([]);
  });

  it('that does not hold is told error by error, with the path and what was expected', () => {
    const schema = {
      properties: {
        'a/b': { items: { enum: [1, 2] } },
        c: { const: 3 },
        d: { type: 'object', additionalProperties: false },
      },
      required: ['e'],
    };
    expect(validationProblems(schema, { 'a/b': [1, 7], c: 4, d: { x: 1 } })).toEqual([
      ": must have required property 'e'",
      '.a/b[1]: must be equal to one of the allowed values: [1,2]',
      '.c: must be equal to constant: 3',
      '.d: must NOT have additional properties: "x"',
    ]);
  });

  it('with many errors is told the first of them, and how many there are', () => {
    const problems = validationProblems({ items: { type: 'string' } }, Array(1_000).fill(1));
    expect(problems).toHaveLength(21);
    expect(problems.at(-1)).toBe(': and 980 more errors');
  });

  it('cannot fill a prompt with its own names', () => {
    const [problem] = validationProblems(
      { additionalProperties: false },
      { ['x'.repeat(9_999)]: 1 },
    );
    expect(problem?.length).toBe(300);
  });

  it('that would be looked at for ever does not hold, and is left after a while', () => {
    expect(validationProblems({ pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`)).toEqual([
      expect.stringMatching(/^: it could not be validated: .*timed out after 2000ms/),
    ]);
  });

  it('that is nested too deep to be looked at does not hold', () => {
    const schema = { type: 'array', items: { $ref: '#' } };
    let deep: unknown[] = [];
    for (let depth = 0; depth < 200_000; depth += 1) deep = [deep];
    expect(validationProblems(schema, deep)).toEqual([
      expect.stringMatching(/^: it could not be validated: /),
    ]);
  });
});
