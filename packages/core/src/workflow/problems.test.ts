import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { known } from '../../test/temporary.js';
import { nearest, suggestion } from '../adapter/index.js';
import { describeIssues, pathText } from './problems.js';

describe('the nearest word', () => {
  it.each([
    ['timout', ['timeout', 'idleTimeout'], 'timeout'],
    ['Timeout', ['timeout'], 'timeout'],
    ['taks', ['text', 'task'], 'task'],
    ['colour', ['shape'], undefined],
    ['x', [], undefined],
  ])('to "%s" among %j is %s', (word, words, near) => {
    expect(nearest(word, words)).toBe(near);
  });

  it('is suggested, or else the words that there are', () => {
    expect(suggestion('paln', ['plan', 'code'])).toBe('did you mean "plan"?');
    expect(suggestion('zebra', ['plan', 'code'])).toBe('known: plan, code');
    expect(suggestion('zebra', [])).toBe('none are known here');
  });
});

describe('a problem', () => {
  it('says where it is', () => {
    expect(pathText(['phases', 0, 'checks', 12, 'name'])).toBe('phases[0].checks[12].name');
    expect(pathText([])).toBe('');
  });

  it('says what was found, cut where it is long', () => {
    const schema = z.strictObject({ a: z.string(), b: z.enum(['x', 'y']) });
    const input = { a: ['long'.repeat(50)], b: 'z' };
    const issues = describeIssues(known(schema.safeParse(input).error), schema, input);
    expect(issues).toEqual([
      expect.stringMatching(/^a: expected a string, found \["(long){14}.*…$/),
      'b: expected "x" or "y", found "z"',
    ]);
  });

  it('may be that of the whole', () => {
    const schema = z.strictObject({ a: z.string() });
    expect(describeIssues(known(schema.safeParse(3).error), schema, 3)).toEqual([
      'the configuration: expected an object, found 3',
    ]);
  });
});
