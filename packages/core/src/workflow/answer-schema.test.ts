import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { code, problemsOf } from '../../test/workflow-problems.js';
import { resolveWorkflow } from './workflow.js';

const answerOf = (answer: unknown) =>
  resolveWorkflow({ phases: [{ ...code, answer }] }, '/nonexistent').phases[0]?.answer;
const problems = (answer: unknown) => problemsOf({ phases: [{ ...code, answer }] });

describe('the answer that a phase asks for', () => {
  it('is a JSON Schema, kept as it is', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    expect(answerOf(schema)).toEqual(schema);
  });

  it('loses its own name, and may not refer to itself by it', () => {
    const $id = 'https://example.com/s';
    expect(answerOf({ $id, type: 'string' })).toEqual({ type: 'string' });
    expect(problems({ $id, properties: { a: { $ref: $id } } }).join()).toContain("can't resolve");
  });

  it('is a zod schema, kept as the JSON Schema of what is put into it', () => {
    const schema = z.object({
      files: z.array(z.string()).min(1),
      done: z.boolean().default(false),
    });
    const kept = answerOf(schema);
    expect(kept).toMatchObject({
      properties: { files: { type: 'array', minItems: 1 }, done: { type: 'boolean' } },
      required: ['files'],
    });
    expect(JSON.parse(JSON.stringify(kept))).toEqual(kept);
  });

  it('may be recursive, and may use formats of zod, which are patterns', () => {
    const node = z.object({
      name: z.cuid2(),
      get kids() {
        return z.array(node);
      },
    });
    expect(answerOf(node)).toMatchObject({
      properties: {
        name: { pattern: expect.any(String) as string },
        kids: { items: { $ref: '#' } },
      },
    });
  });

  it.each([
    ['a refinement', z.object({ a: z.number().refine((value) => value > 1) })],
    ['a check', z.object({ a: z.array(z.string()).check(() => undefined) })],
    ['a trimmed text', z.string().trim().min(1)],
    ['a transformation', z.object({ a: z.string().transform((value) => value.length) })],
    ['a preprocessed value', z.preprocess((value) => value, z.string())],
  ])('is no zod schema with code in it, which would be lost: %s', (_, schema) => {
    expect(problems(schema)).toEqual([expect.stringMatching(/^phases\[0\]\.answer: .* is code/)]);
  });

  it.each([
    ['a date', z.object({ a: z.date() }), 'Date cannot be represented'],
    ['a text', 'object', 'expected a JSON Schema'],
    ['a list', [], 'expected a JSON Schema'],
    ['null', null, 'expected a JSON Schema'],
    ['a function', () => true, 'expected a JSON Schema'],
    ['a function within', { properties: { a: () => true } }, 'expected a JSON Schema'],
  ])('is nothing else: %s', (_, schema, why) => {
    expect(problems(schema).join('\n')).toContain(`phases[0].answer: ${why}`);
  });

  it('is nested so deep at most that all that reads it can', () => {
    const nested = (depth: number) => {
      let schema: object = { type: 'string' };
      for (let at = 0; at < depth; at += 1) schema = { not: schema };
      return schema;
    };
    expect(problems(nested(99))).toEqual([]);
    for (const depth of [100, 5_000, 200_000])
      expect(problems(nested(depth))).toEqual([
        'phases[0].answer: expected a JSON Schema, which is plain data (nested 100 deep at most), or a schema of zod 4',
      ]);
    let deep: z.ZodType = z.string();
    for (let at = 0; at < 60; at += 1) deep = z.object({ a: deep });
    expect(problems(deep)).toEqual(['phases[0].answer: it is nested more than 100 deep']);
  });

  it('that is no valid schema is told with its path', () => {
    expect(problems({ properties: { a: { type: 'strin' } } })[0]).toMatch(
      /^phases\[0\]\.answer\.properties\.a\.type: must be/,
    );
  });
});
