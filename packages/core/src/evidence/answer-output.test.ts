import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { answerOf, answerSchema } from './answer.js';
import { type JsonSchema, schemaProblems, validationProblems } from './json-schema.js';

const success = { status: 'success', summary: 'done', reason: '' };

describe('the schema of an answer', () => {
  const node = z.object({
    name: z.string(),
    get kids() {
      return z.array(node);
    },
  });
  const tree = { name: 'a', kids: [{ name: 'b', kids: [] }] };
  const broken = { name: 'a', kids: [{ name: 1, kids: [] }] };
  const text = { type: 'string' };

  // prettier-ignore
  it.each<[string, JsonSchema, unknown, unknown]>([
    ['a plain one', { type: 'object', properties: { a: text } }, { a: 'x' }, { a: 1 }],
    ['one that refers to itself', z.toJSONSchema(node), tree, broken],
    ['one that refers to one that does', z.toJSONSchema(z.object({ n: node })), { n: tree }, { n: broken }],
    ['definitions by their old name', { $ref: '#/definitions/a', definitions: { a: text } }, 'x', 1],
    ['definitions that refer to others', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: text } }, 'x', 1],
    ['a reference by a path', { properties: { a: text, b: { $ref: '#/properties/a' } } }, { b: 'x' }, { b: 1 }],
    ['a definition that refers to the whole', { properties: { a: { $ref: '#/$defs/a' } }, type: 'object', $defs: { a: { items: { $ref: '#' } } } }, { a: [{}] }, { a: [1] }],
    ['an anchor', { $ref: '#a', $defs: { a: { $anchor: 'a', type: 'string' } } }, 'x', 1],
    ['a value that looks like a reference', { const: { $ref: '#' } }, { $ref: '#' }, { $ref: '#/properties/output' }],
    ['a property that is called so', { properties: { $ref: text } }, { $ref: 'x' }, { $ref: 1 }],
  ])('holds the one of its output, with what that refers to: %s', (_, answer, good, bad) => {
    const schema = answerSchema({ requires: ['answer'], answer });
    expect(schemaProblems(schema)).toEqual([]);
    expect(schema['required']).toEqual(['status', 'summary', 'reason', 'output']);
    expect(validationProblems(answer, good)).toEqual([]);
    expect(validationProblems(schema, { ...success, output: good })).toEqual([]);
    expect(validationProblems(answer, bad)).not.toEqual([]);
    expect(validationProblems(schema, { ...success, output: bad })).not.toEqual([]);
  });

  it('is the same as before where no output is asked for', () => {
    expect(answerSchema({ requires: ['answer'] })).not.toHaveProperty('properties.output');
  });
});

describe('the answer of an attempt', () => {
  const given = (output: unknown, answer?: JsonSchema) =>
    answerOf(
      { answerBy: 'schema', ...(answer !== undefined && { answer }) },
      { turn: 'finished', structuredOutput: { ...success, output } },
      '',
    );

  it('has its output, where the phase asks for one', () => {
    expect(given({ a: [1] }, {}).answer?.output).toEqual({ a: [1] });
    expect(given(false, {}).answer?.output).toBe(false);
    expect(given(null, {}).answer?.output).toBeNull();
    expect(given({ a: [1] }).answer).toEqual({ status: 'success', summary: 'done' });
  });

  it('has none that cannot be kept: too long, or too deep to be written down', () => {
    let deep: unknown[] = [];
    for (let depth = 0; depth < 200_000; depth += 1) deep = [deep];
    const cases = [
      ['x'.repeat(100_000), 'longer than 100000 characters'],
      [deep, 'nested more than 100 deep'],
    ] as const;
    for (const [output, why] of cases) {
      expect(given(output, {})).toEqual({
        answer: { status: 'success', summary: 'done' },
        unreadable: expect.stringContaining(why),
      });
    }
  });

  it.each([
    ['1e999', ''],
    ['{"n":1e999}', ' ("n")'],
    ['{"a":[{"n":-1e999}]}', ' ("n")'],
  ])('has none with a number that JSON could not keep: %s', (output, where) => {
    const line = `DEVFLOW_RESULT: {"status":"success","output":${output}}`;
    const read = (schema?: JsonSchema) =>
      answerOf(
        { answerBy: 'marker', ...(schema !== undefined && { answer: schema }) },
        { turn: 'finished', finalText: line },
        '',
      );
    expect(read({})).toEqual({
      answer: { status: 'success' },
      unreadable: `its output has a number that is too large to be kept${where}`,
    });
    expect(read()).toEqual({ answer: { status: 'success' } }); // nobody asked for it
  });
});
