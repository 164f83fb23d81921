import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { resetInstant } from './reset-time.js';

const NOON = '2026-11-30T12:00:00Z';

function at(words: string, now: string, timeZone = 'UTC'): string | undefined {
  return resetInstant(words, { now: () => new Date(now), timeZone });
}

describe('the instant that a limit message names', () => {
  test.each([
    // as Codex writes it, in the zone of the machine
    ["You've hit your usage limit. Try again at 1:23 PM.", '2026-11-30T12:23:00.000Z'],
    ['or try again at 10:23 AM.', '2026-12-01T09:23:00.000Z'],
    ['or try again at Dec 3rd, 2026 10:23 AM.', '2026-12-03T09:23:00.000Z'],
    // as Claude Code writes it, with the zone's name
    ["You've hit your 5-hour limit · resets 10:37am (UTC)", '2026-12-01T10:37:00.000Z'],
    ["You've hit your 5-hour limit · resets 3pm (Europe/Berlin)", '2026-11-30T14:00:00.000Z'],
    ['resets 3pm (Europe/Berlin) · progress saved', '2026-11-30T14:00:00.000Z'],
    ["You've hit your weekly limit · resets Dec 3, 10am (UTC)", '2026-12-03T10:00:00.000Z'],
    ['resets Dec 3 at 10am (UTC)', '2026-12-03T10:00:00.000Z'],
    ['resets Jan 2, 2027, 10:05pm (UTC)', '2027-01-02T22:05:00.000Z'],
    ['resets December 3, 10am (UTC)', '2026-12-03T10:00:00.000Z'],
    // noon and midnight
    ['resets 12pm (Europe/London)', '2026-11-30T12:00:00.000Z'],
    ['resets 12:30am (UTC)', '2026-12-01T00:30:00.000Z'],
    // zones with half hours, and with a sign or more than one slash in the name
    ['resets 9:30pm (Asia/Kolkata)', '2026-11-30T16:00:00.000Z'],
    ['resets 6pm (Asia/Kathmandu)', '2026-11-30T12:15:00.000Z'],
    ['resets 10am (Etc/GMT+5)', '2026-11-30T15:00:00.000Z'],
    ['resets 10am (America/Argentina/Buenos_Aires)', '2026-11-30T13:00:00.000Z'],
  ])('%s', (words, instant) => {
    expect(at(words, NOON, 'Europe/Berlin')).toBe(instant);
  });

  test.each([
    ['across midnight', 'try again at 1:05 AM', '2026-11-10T23:50:00Z', '2026-11-11T01:05:00.000Z'],
    ['across the end of a month', '1am (UTC)', '2026-11-30T23:50:00Z', '2026-12-01T01:00:00.000Z'],
    ['across the end of a year', '1am (UTC)', '2026-12-31T23:50:00Z', '2027-01-01T01:00:00.000Z'],
    ['a date of next year', 'Jan 2, 9am (UTC)', '2026-12-31T12:00:00Z', '2027-01-02T09:00:00.000Z'],
    ['onto a leap day', '1am (UTC)', '2028-02-28T23:50:00Z', '2028-02-29T01:00:00.000Z'],
    ['a leap day', 'Feb 29, 1am (UTC)', '2028-02-20T12:00:00Z', '2028-02-29T01:00:00.000Z'],
    ['a minute ago', 'at 11:59 AM', NOON, '2026-11-30T11:59:00.000Z'],
    ['a quarter of an hour ago', 'at 11:45 AM', NOON, '2026-11-30T11:45:00.000Z'],
    ['longer ago', 'at 11:44 AM', NOON, '2026-12-01T11:44:00.000Z'],
    ['before midnight', 'at 11:58 PM', '2026-12-01T00:05:00Z', '2026-11-30T23:58:00.000Z'],
    [
      'before new year, dated',
      'Dec 31, 11:58pm (UTC)',
      '2027-01-01T00:05:00Z',
      '2026-12-31T23:58:00.000Z',
    ],
    ['a whole date, however past', 'Dec 3rd, 2020 10:23 AM', NOON, '2020-12-03T10:23:00.000Z'],
  ])('%s', (_, words, now, instant) => {
    expect(at(words, now)).toBe(instant);
  });

  test("the day is the zone's, not the machine's", () => {
    // In Auckland it is the first of December already.
    expect(at('resets 2am (Pacific/Auckland)', NOON)).toBe('2026-11-30T13:00:00.000Z');
    expect(at('resets 11pm (America/Los_Angeles)', '2026-12-01T05:00:00Z')).toBe(
      '2026-12-01T07:00:00.000Z',
    );
  });

  test('an hour that a clock change skips is moved on', () => {
    // In Berlin, 02:00 becomes 03:00 on 28 March 2027.
    expect(at('resets 2:30am (Europe/Berlin)', '2027-03-28T00:00:00Z')).toBe(
      '2027-03-28T01:30:00.000Z',
    );
    expect(at('resets 3:30am (Europe/Berlin)', '2027-03-28T00:00:00Z')).toBe(
      '2027-03-28T01:30:00.000Z',
    );
  });

  test('an hour that a clock change makes twice is the later one: nobody comes back too early', () => {
    // In Berlin, 03:00 becomes 02:00 on 25 October 2026.
    const later = '2026-10-25T01:30:00.000Z';
    expect(at('resets 2:30am (Europe/Berlin)', '2026-10-24T22:00:00Z')).toBe(later);
    expect(at('resets 2:30am (Europe/Berlin)', '2026-10-25T00:50:00Z')).toBe(later);
    expect(at('resets 2:30am (America/New_York)', '2026-11-01T04:00:00Z')).toBe(
      '2026-11-01T07:30:00.000Z', // there it is the hour before that is double
    );
    expect(at('resets 1:45am (Australia/Lord_Howe)', '2027-04-03T12:00:00Z')).toBe(
      '2027-04-03T15:15:00.000Z', // by half an hour only
    );
    expect(at('resets 1:30am (America/New_York)', '2026-11-01T04:00:00Z')).toBe(
      '2026-11-01T06:30:00.000Z',
    );
  });

  test.each([
    'You have hit your limit.',
    'resets at midnight',
    'resets 14:30',
    'resets 13pm (UTC)',
    'resets 0am (UTC)',
    'resets 10:60am (UTC)',
    'resets 110:23am (UTC)',
    'resets 10:11:12 AM',
    'resets $1.10 am',
    'resets 10am (Mars/Olympus)',
    'resets 10am (PXT)',
    'resets Feb 30, 10am (UTC)',
    'resets Feb 29, 10am (UTC)', // neither this year nor the next
    'resets Dec 32, 10am (UTC)',
    'resets Dec 0, 10am (UTC)',
    'resets Foo 3, 10am (UTC)',
    'resets Feb 29, 2027, 10am (UTC)',
  ])('none: %s', (words) => {
    expect(at(words, NOON)).toBeUndefined();
  });

  test('none where the zone of the machine is unknown', () => {
    expect(at('try again at 10:23 AM', NOON, 'Nowhere/At_All')).toBeUndefined();
  });
});

describe('a time without a date', () => {
  const ZONES = [
    'UTC', 'Europe/Berlin', 'America/New_York', 'America/St_Johns', 'Asia/Kolkata', 'Asia/Kathmandu',
    'Australia/Lord_Howe', 'Pacific/Auckland', 'Pacific/Chatham', 'Africa/Cairo', 'America/Havana',
  ]; // prettier-ignore
  const seconds = fc.integer({ min: Date.UTC(2026) / 1000, max: Date.UTC(2036) / 1000 });
  const MINUTE = 60_000;
  /** The day before 00:00 becomes 01:00 there. */
  const HAVANA_AT_MIDNIGHT = Date.UTC(2027, 2, 13, 5, 15, 1) / 1000;

  test('is the next of that name, on a clock of that zone', () => {
    const time = fc.record({ hour: fc.integer({ min: 0, max: 23 }), minute: fc.nat(59) });
    fc.assert(
      fc.property(seconds, time, fc.constantFrom(...ZONES), (second, { hour, minute }, zone) => {
        const now = second * 1000;
        const words = `${hour % 12 || 12}:${String(minute).padStart(2, '0')}${hour < 12 ? 'am' : 'pm'}`;
        const said = at(`resets ${words} (${zone})`, new Date(now).toISOString()) ?? '';
        const instant = new Date(said).getTime();
        expect(instant).toBeGreaterThanOrEqual(now - 15 * MINUTE);
        expect(instant).toBeLessThan(now + 26 * 60 * MINUTE);
        const wall = wallTime(instant, zone);
        const wanted = hour * 60 + minute;
        // A time that a clock change skips is moved on by as much as the clock is: at midnight too, in Havana.
        const skipped = minutesFrom(wallTime(instant - 60 * MINUTE, zone), wall) - 60;
        expect(minutesFrom(wanted, wall)).toBe(wall === wanted ? 0 : skipped);
        expect(wallTime(instant + 60 * MINUTE, zone)).not.toBe(wanted);
      }),
      { numRuns: 1000, examples: [[HAVANA_AT_MIDNIGHT, { hour: 0, minute: 0 }, 'America/Havana']] },
    );
  });

  /** Minutes since midnight. */
  function wallTime(instant: number, timeZone: string): number {
    const options = { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    const [hour, minute] = new Date(instant).toLocaleTimeString('en', options).split(':');
    return Number(hour) * 60 + Number(minute);
  }

  /** By a clock, which begins again each day. */
  function minutesFrom(earlier: number, later: number): number {
    return (later - earlier + 24 * 60) % (24 * 60);
  }
});
