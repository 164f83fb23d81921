import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Limited, endOfLimit, endOfRow, endOfWait } from './limit-end.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const AT = Date.UTC(2030, 0, 1);
const instant = (ms: number) => new Date(ms).toISOString();
const said = (reset: number, at = AT): Limited => ({ at, resetsAt: instant(reset) });

describe('a limit ends', () => {
  it('at its reset, and never more than 8 days later', () => {
    expect(endOfLimit(said(AT + HOUR), 1)).toBe(AT + HOUR);
    expect(endOfLimit(said(AT + 8 * DAY), 1)).toBe(AT + 8 * DAY);
    expect(endOfLimit(said(AT + 30 * DAY), 1)).toBe(AT + 8 * DAY);
  });

  it('by backoff where no reset is known, or what is said has passed or is no instant', () => {
    const waits = [1, 2, 3, 6, 7, 8, 999].map((row) => (endOfLimit({ at: AT }, row) - AT) / MINUTE);
    expect(waits).toEqual([1, 2, 4, 32, 60, 60, 60]);
    for (const reset of ['soon', '', instant(AT), instant(AT - DAY)])
      expect(endOfLimit({ at: AT, resetsAt: reset }, 2)).toBe(AT + 2 * MINUTE);
  });

  it('not at once again and again, whatever an agent says', () => {
    expect(endOfLimit(said(AT + 1), 1)).toBe(AT + 1);
    expect(endOfLimit(said(AT + 1), 2)).toBe(AT + MINUTE);
    expect(endOfLimit(said(AT + 1), 20)).toBe(AT + HOUR);
  });
});

describe('a row of limits', () => {
  it('has no end where none is known for a day, from the first that was unknown', () => {
    const row = (last: number): Limited[] => [
      said(AT - HOUR, AT - 2 * HOUR),
      { at: AT },
      { at: last },
    ];
    expect(endOfRow([])).toBeUndefined();
    expect(endOfRow(row(AT + DAY - 4 * MINUTE))).toBe(AT + DAY);
    expect(endOfRow(row(AT + DAY - 4 * MINUTE + 1))).toBeUndefined();
    // A reset that is known again is waited for.
    expect(endOfRow([...row(AT + DAY), said(AT + 2 * DAY, AT + DAY)])).toBe(AT + 2 * DAY);
  });

  const anyRow = fc
    .array(
      fc.record({
        late: fc.nat(2 * HOUR),
        reset: fc.option(fc.integer({ min: -DAY, max: 90 * DAY })),
      }),
      { minLength: 1, maxLength: 80 },
    )
    .map((turns) => {
      const row: Limited[] = [];
      for (const { late, reset } of turns) {
        const before = row.length === 0 ? AT : endOfRow(row);
        if (before === undefined) break; // a person is asked
        const at = before + late;
        row.push(reset === null ? { at } : said(at + reset, at));
      }
      return row;
    });

  it('is waited for at most 8 days at a time, longer the longer it is, and a day in all where none is known', () => {
    fc.assert(
      fc.property(anyRow, (row) => {
        for (const [index, { at }] of row.entries()) {
          const end = endOfRow(row.slice(0, index + 1));
          if (end === undefined) continue;
          expect(end - at).toBeLessThanOrEqual(8 * DAY);
          expect(end - at).toBeGreaterThanOrEqual(index === 0 ? 1 : Math.min(MINUTE * index, HOUR));
        }
        const unknown = row.every(({ resetsAt }) => resetsAt === undefined);
        const end = endOfRow(row);
        const inAll = unknown && end !== undefined ? end - (row[0]?.at ?? 0) : 0;
        expect(inAll).toBeLessThanOrEqual(DAY);
      }),
    );
  });
});

describe('a wait', () => {
  it('ends after the limit, by a second to a minute, and within 8 days', () => {
    expect(endOfWait(AT, AT, 0)).toBe(AT + 1_000);
    expect(endOfWait(AT + 1_000, AT, 1)).toBe(AT + 2_000);
    expect(endOfWait(AT + 5 * MINUTE, AT, 1)).toBe(AT + 5 * MINUTE + 30_000);
    expect(endOfWait(AT + DAY, AT, 0)).toBe(AT + DAY + 1_000);
    expect(endOfWait(AT + DAY, AT, 1)).toBe(AT + DAY + MINUTE);
    expect(endOfWait(AT + 8 * DAY, AT, 1)).toBe(AT + 8 * DAY);
    // Over already: from now on.
    expect(endOfWait(AT - DAY, AT, 1)).toBe(AT + 1_000);
  });
});
