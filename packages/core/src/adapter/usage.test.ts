import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { Usage } from './agent-event.js';
import { addKnown, addUsage, usageBy, usageSince } from './usage.js';

const KINDS = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const;
const WHOLE = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 0 };
const count = fc.option(fc.nat(1000), { nil: undefined });
const usage: fc.Arbitrary<Usage> = fc
  .tuple(count, count, count, count)
  .map((counts) => usageBy((kind) => counts[KINDS.indexOf(kind)]));

describe('tokens kind by kind', () => {
  test('keep a zero and leave out what is not stated', () => {
    const stated = usageBy((kind) => (kind === 'outputTokens' ? undefined : 0));
    expect(stated).toStrictEqual({ inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 });
  });
});

describe('a sum', () => {
  test('with an unknown part is unknown, in that kind only', () => {
    expect(addUsage(WHOLE, { inputTokens: 5, outputTokens: 1 })).toStrictEqual({
      inputTokens: 6,
      outputTokens: 3,
    });
    expect(addUsage(WHOLE, undefined)).toStrictEqual({});
    expect(addKnown(1, undefined)).toBeUndefined();
    expect(addKnown(undefined, 1)).toBeUndefined();
    expect(addKnown(0, 0)).toBe(0);
  });

  test('is the same in either order', () => {
    fc.assert(
      fc.property(usage, usage, (one, other) => {
        expect(addUsage(one, other)).toStrictEqual(addUsage(other, one));
      }),
    );
  });

  test('less one of its parts is the other', () => {
    fc.assert(
      fc.property(usage, usage, (one, other) => {
        const sum = addUsage(one, other);
        const rest = usageBy((kind) => (sum[kind] === undefined ? undefined : other[kind]));
        expect(usageSince(sum, one)).toStrictEqual(rest);
      }),
    );
  });
});

describe('what came on top of an earlier sum', () => {
  test('is unknown where the sum went down: it is not of the same session', () => {
    expect(usageSince({ inputTokens: 4, outputTokens: 4 }, WHOLE)).toStrictEqual({
      inputTokens: 3,
      outputTokens: 2,
    });
    expect(usageSince({ inputTokens: 0, outputTokens: 2 }, WHOLE)).toStrictEqual({
      outputTokens: 0,
    });
  });
});
