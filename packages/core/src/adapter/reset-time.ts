import { TZDateMini } from '@date-fns/tz/date/mini';

/** A clock and a time zone, for what an agent says in words only. */
export interface Clock {
  /** When the words were said. */
  readonly now: () => Date;
  /** IANA name of the zone in which the agent speaks where it names none, e.g. `Europe/Berlin`. */
  readonly timeZone: string;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** `[Dec 3rd[, 2026][,| at] ]10:23 AM[ (Europe/Berlin)]`, as the agents write it. */
const TIME =
  /(?:\b(?<month>[A-Z][a-z]{2})[a-z]* (?<day>\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\d{4}))?(?:,| at)? )?(?<![\d:.])(?<hour>\d{1,2})(?::(?<minute>\d{2}))? ?(?<half>[AaPp])[Mm]\b(?: \((?<zone>[^\s()]+)\))?/;
/** What was said a moment ago may name the minute that has just passed. */
const LATE_MS = 15 * 60_000;

/**
 * The instant that an agent's own limit message names, as ISO text: "try again at 10:23 AM", "resets Dec 3,
 * 10am (UTC)". A time without a date, and a date without a year, is the next one of that name. A time that a
 * clock change makes twice is the later one; one that it skips is moved on. Undefined where the words name none.
 *
 * Only for the words of an event that is known to be about a limit: prose is never searched for a meaning.
 */
export function resetInstant(words: string, { now, timeZone }: Clock): string | undefined {
  const found = TIME.exec(words)?.groups;
  if (found === undefined) return undefined;
  const zone = found['zone'] ?? timeZone;
  const time = timeOf(found);
  if (time === undefined || !isZone(zone)) return undefined;
  const said = now().getTime();
  const instants = daysOf(found, new TZDateMini(said, zone)).map((day) =>
    instantOf(day, time, zone),
  );
  const isWhole = found['year'] !== undefined;
  const instant = instants.find((candidate) => isWhole || candidate >= said - LATE_MS);
  return instant === undefined ? undefined : new Date(instant).toISOString();
}

type Groups = Readonly<Record<string, string | undefined>>;
type Time = readonly [hour: number, minute: number];
type Day = readonly [year: number, month: number, day: number];

function timeOf(found: Groups): Time | undefined {
  const hour = Number(found['hour']);
  const minute = Number(found['minute'] ?? 0);
  if (hour < 1 || hour > 12 || minute > 59) return undefined;
  return [(hour % 12) + (/p/i.test(found['half'] ?? '') ? 12 : 0), minute];
}

/** The days that may be meant, the earliest first. Yesterday too: midnight may have passed since. */
function daysOf(found: Groups, today: Date): readonly Day[] {
  const year = today.getFullYear();
  if (found['month'] === undefined) {
    return [-1, 0, 1].map((later) => [year, today.getMonth(), today.getDate() + later]);
  }
  const month = MONTHS.indexOf(found['month'].toLowerCase());
  const day = Number(found['day']);
  const years = found['year'] === undefined ? [year - 1, year, year + 1] : [Number(found['year'])];
  return years.filter((named) => isDay(named, month, day)).map((named) => [named, month, day]);
}

function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month, day));
  return month >= 0 && date.getUTCMonth() === month && date.getUTCDate() === day;
}

/** How far clocks are set back: an hour, or half of one on Lord Howe Island. */
const SET_BACK_MS = [60 * 60_000, 30 * 60_000];

function instantOf(day: Day, time: Time, zone: string): number {
  const instant = new TZDateMini(...day, ...time, zone);
  const again = SET_BACK_MS.map((ms) => new TZDateMini(instant.getTime() + ms, zone)).find(
    (later) =>
      later.getHours() === instant.getHours() && later.getMinutes() === instant.getMinutes(),
  );
  return (again ?? instant).getTime();
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
