import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSameValue, jsonValue, shown, withValue } from './json-value.js';

const KEYS = ['scripts', 'test'];

describe('a value of a JSON file', () => {
  it.each([
    ['{"scripts":{"test":"vitest"}}', { state: 'there', value: 'vitest' }],
    ['\uFEFF{"scripts":{"test":null}}', { state: 'there', value: null }],
    ['{"scripts":{}}', { state: 'absent' }],
    ['{"scripts":"x"}', { state: 'absent' }],
    ['[]', { state: 'absent' }],
    ['null', { state: 'absent' }],
    [undefined, { state: 'absent' }],
    ['{"scripts":{"test":"a","test":"b"}}', { state: 'there', value: 'b' }],
    ['{"scripts":', { state: 'unreadable' }],
    ['', { state: 'unreadable' }],
    ['{"scripts":{"test":"x"}} // ok', { state: 'unreadable' }],
    [
      `{"scripts":{"test":"x"},"a":${'['.repeat(90)}${']'.repeat(90)}}`,
      { state: 'there', value: 'x' },
    ],
  ])('of %j', (text, expected) => {
    expect(jsonValue(text, KEYS)).toEqual(expected);
  });

  it('is not read out of what is nested without end', () => {
    const deep = `{"scripts":{"test":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`;
    expect(jsonValue(deep, KEYS)).toEqual({ state: 'unreadable' });
    expect(withValue(deep, ['a'], { state: 'there', value: 1 })).toBeUndefined();
  });

  it('is no property that every object has', () => {
    expect(jsonValue('{}', ['constructor'])).toEqual({ state: 'absent' });
    expect(jsonValue('{"__proto__":1}', ['__proto__'])).toEqual({ state: 'there', value: 1 });
  });

  it('is the same in any order of keys, not of lists; unreadable is like nothing', () => {
    const [one, other] = ['{"a":{"x":1,"y":[1,2]}}', '{"a":{"y":[1,2],"x":1}}'];
    const same = (a: string | undefined, b: string) =>
      isSameValue(jsonValue(a, ['a']), jsonValue(b, ['a']));
    expect(same(one, other)).toBe(true);
    expect(same(one, '{"a":{"x":1,"y":[2,1]}}')).toBe(false);
    expect(same(undefined, '{}')).toBe(true);
    expect(same('{"a":null}', '{}')).toBe(false);
    expect(same('{', '{')).toBe(false);
    expect(shown(jsonValue(other, ['a']))).toBe('{"x":1,"y":[1,2]}');
  });

  it.each([
    ['{\n  "scripts": {\n    "test": "true"\n  }\n}\n', 'vitest', '{\n  "scripts": {\n    "test": "vitest"\n  }\n}\n'],
    ['{\n\t"a": 1\n}\n', 'x', '{\n\t"a": 1,\n\t"scripts": {\n\t\t"test": "x"\n\t}\n}\n'],
    ['{"scripts":1}', 'x', '{"scripts":{"test":"x"}}\n'],
    ['{"scripts":{"test":"x","b":1}}', undefined, '{"scripts":{"b":1}}\n'],
    ['{"a":1}', undefined, '{"a":1}\n'],
    ['[', 'x', undefined],
    ['1', 'x', undefined],
  ])('is put into %j as %j', (text, value, expected) => {
    const given = value === undefined ? { state: 'absent' as const } : { state: 'there' as const, value };
    expect(withValue(text, KEYS, given)).toBe(expected);
  }); // prettier-ignore

  it('is read as it was put, whatever it is and wherever', () => {
    const keys = fc.array(fc.oneof(fc.string(), fc.constant('__proto__')), { minLength: 1 });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.json()), keys, fc.json(), (object, path, json) => {
        const value = { state: 'there' as const, value: JSON.parse(json) as unknown };
        const text = withValue(JSON.stringify(object), path, value);
        expect(isSameValue(jsonValue(text, path), value)).toBe(true);
      }),
    );
  });
});
