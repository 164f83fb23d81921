import { describe, expect, it } from 'vitest';
import { readNotes, readProblems, readVerdict, thrownWords } from './said.js';

const good = { code: 'A', message: 'm', hint: 'h' };
const cycle: Record<string, unknown> = { ...good };
cycle['message'] = cycle;
const throwing = {
  ...good,
  get message(): string {
    throw new Error('a getter');
  },
};
const { proxy: revoked, revoke } = Proxy.revocable([good], {});
revoke();
const endless = new Proxy([good], {
  get: (list, key) => (key === 'length' ? NaN : (Reflect.get(list, key) as unknown)),
});

describe('problems that somebody else gave back', () => {
  it('are texts, each looked at once', () => {
    let asked = 0;
    const changing = {
      ...good,
      get message() {
        asked += 1;
        return asked === 1 ? 'first' : (1 as never);
      },
    };
    expect(readProblems([changing, { ...good, more: 1n }], 'x')).toEqual([
      { ...good, message: 'first' },
      good,
    ]);
    expect(readProblems(undefined, 'x')).toEqual([]);
    expect(readProblems([{ code: 'A', message: 'm' }], 'x')).toEqual([{ ...good, hint: 'x' }]);
  });

  it('are cut, each and all of them', () => {
    const long = 'x'.repeat(5_000);
    const many = Array.from({ length: 60 }, () => ({ code: long, message: long, hint: long }));
    const read = readProblems(many, 'x');
    expect(read).toHaveLength(51);
    expect(read[0]?.code).toHaveLength(100);
    expect(read[49]?.message).toMatch(/^x{1999}…$/);
    expect(read[49]?.hint).toHaveLength(2_000);
    expect(read[50]?.message).toBe('and 10 more');
  });

  it.each([
    ['without a message', [{ code: 'A' }], /problem 1 has no text as its message; expected a list/],
    ['without a code', [good, { message: 'm', hint: 'h' }], /problem 2 has no text as its code/],
    ['with another hint', [{ ...good, hint: 1 }], /has no text as its hint/],
    ['with an empty message', [{ ...good, message: ' ' }], /has no text as its message/],
    ['of nothing', [null], /problem 1 is null/],
    ['of texts', ['it rains'], /problem 1 is a string/],
    ['left out', Array.from({ length: 2 }), /problem 1 is nothing/],
    ['with a cycle', [cycle], /has no text as its message/],
    ['with a BigInt', [{ ...good, message: 1n }], /has no text as its message/],
    ['that throw', [throwing], /what cannot be read \(a getter\); expected a list/],
    ['that were revoked', revoked, /what cannot be read/],
    ['without a number', endless, /a list without a length/],
    ['as an object', good, /an object that is no list/],
    ['as a set', new Set([good]), /an object that is no list/],
    ['as a number', 1, /gave back a number; expected a list/],
    ['as null', null, /gave back null/],
    ['as a yes', true, /for `when`/],
    ['as a verdict', { run: true }, /for `when`/],
  ])('%s are refused, and it is said what was expected', (_, said, words) => {
    expect(() => readProblems(said, 'x')).toThrow(words);
    expect(() => readProblems(said, 'x')).toThrow(/^gave back .*; expected a list of/);
  });
});

it('notes are texts', () => {
  expect(readNotes(['a', 'x'.repeat(3_000)])).toEqual(['a', `${'x'.repeat(1_999)}…`]);
  for (const said of [undefined, 'a'])
    expect(() => readNotes(said)).toThrow(/^gave back notes that/);
  expect(() => readNotes(['a', 1])).toThrow(/^gave back a note that is no text; expected a list/);
});

describe('a yes or no', () => {
  it('has a reason that is a text, and cut', () => {
    expect([true, false].map(readVerdict)).toEqual([{ run: true }, { run: false }]);
    expect(readVerdict({ run: false })).toEqual({ run: false });
    const { reason } = readVerdict({ run: true, reason: 'x'.repeat(3_000) });
    expect(reason).toHaveLength(2_000);
  });

  const others = [1, null, undefined, [], {}, { run: 1 }, { run: true, reason: 1 }, revoked];
  it.each(others.map((said) => ({ said })))('is not %#', ({ said }) => {
    expect(() => readVerdict(said)).toThrow(/^gave back .*; expected true, false or/);
  });
});

it('what was thrown is put into words, whatever it is', () => {
  expect(thrownWords(new Error('no'))).toBe('no');
  expect(thrownWords(Object.assign(new Error(), { message: { a: 1 } }))).toBe('[object Object]');
  expect(thrownWords(Symbol('s'))).toBe('Symbol(s)');
  expect(thrownWords(undefined)).toBe('undefined');
  for (const odd of [Object.create(null), revoked])
    expect(thrownWords(odd)).toMatch(/cannot be put into words/);
});
