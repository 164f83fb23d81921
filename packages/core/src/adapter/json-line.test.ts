import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { fields, items, number, readEntry, text } from './json-line.js';

describe('the object on a line', () => {
  test.each(['{"a":1}', '{"a":1}\r', '{ "a" : 1 }  '])('%j', (line) => {
    expect(readEntry(line)).toEqual({ a: 1 });
  });

  test.each([
    '',
    ' ',
    'words',
    '[]',
    '[{"a":1}]',
    '"{}"',
    'null',
    '1',
    '{"a":1',
    '{"a":1}{"b":2}',
    '{',
  ])('none: %j', (line) => {
    expect(readEntry(line)).toBeUndefined();
  });

  test('is read back as it was written, whatever is in it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (entry) => {
        expect(JSON.stringify(readEntry(JSON.stringify(entry)))).toBe(JSON.stringify(entry));
      }),
    );
  });

  test('never throws and changes no other object', () => {
    fc.assert(fc.property(fc.string(), (line) => void readEntry(line)));
    const entry = readEntry('{"__proto__":{"polluted":1}}');
    expect(Object.keys(entry ?? {})).toEqual(['__proto__']);
    expect(entry?.['polluted']).toBeUndefined();
    expect('polluted' in {}).toBe(false);
  });

  test('may be nested deeper than a recursive reader could follow', () => {
    const line = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(readEntry(line)).toHaveProperty('a');
  });
});

test('a value is what it is, or nothing', () => {
  const values = [undefined, null, '', 'a', '1', 0, -1, NaN, Infinity, true, [], {}, [{ a: 1 }]];
  expect(values.filter((value) => text(value) !== undefined)).toEqual(['a', '1']);
  expect(values.filter((value) => number(value) !== undefined)).toEqual([0, -1]);
  expect(values.filter((value) => fields(value) !== undefined)).toEqual([{}]);
});

test('of a list the objects count', () => {
  expect(items([{ a: 1 }, null, 'a', [{ b: 1 }], { c: 1 }])).toEqual([{ a: 1 }, { c: 1 }]);
  expect([items(undefined), items({ 0: {} }), items('{}')]).toEqual([[], [], []]);
});
