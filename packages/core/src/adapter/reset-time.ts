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
  /(?:\b(?<month>[A-Z][a-z]{2})[a-z]* (?<day>\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\d{4}))?(?:,| at)? )?\b(?<hour>\d{1,2})(?::(?<minute>\d{2}))? ?(?<half>[AaPp][Mm])\b(?: \((?<zone>[A-Za-z][\w+/-]*)\))?/;
/** What was said a moment ago may name the minute that has just passed. */
const LATE_MS = 15 * 60_000;

/**
 * The instant that an agent's own limit message names, as ISO text: "try again at 10:23 AM", "resets Dec 3,
 * 10am (UTC)". A time without a date is the next one of that name. A time that a clock change makes twice is
 * the later one; one that it skips is moved on. Undefined where the words name none.
 *
 * Only for the words of an event that is known to be about a limit: prose is never searched for a meaning.
 */
export function resetInstant(words: string, { now, timeZone }: Clock): string | undefined {
  const found = TIME.exec(words)?.groups;
  if (found === undefined) return undefined;
  const hour = Number(found['hour']);
  const minute = Number(found['minute'] ?? 0);
  const zone = found['zone'] ?? timeZone;
  if (hour < 1 || hour > 12 || minute > 59 || !isZone(zone)) return undefined;
  const time = [(hour % 12) + (/p/i.test(found['half'] ?? '') ? 12 : 0), minute] as const;
  const said = now();
  const today = new TZDateMini(said.getTime(), zone);
  const year = today.getFullYear();
  const at = (years: number, month: number, day: number) =>
    new TZDateMini(years, month, day, ...time, zone).getTime();
  const month = MONTHS.indexOf((found['month'] ?? '').toLowerCase());
  if (found['month'] !== undefined && month === -1) return undefined;
  const day = Number(found['day']);
  const candidates =
    found['month'] === undefined
      ? [0, 1].map((later) => at(year, today.getMonth(), today.getDate() + later))
      : (found['year'] === undefined ? [year, year + 1] : [Number(found['year'])]).map((named) =>
          at(named, month, day),
        );
  const instant =
    candidates.find((candidate) => candidate >= said.getTime() - LATE_MS) ?? candidates.at(-1);
  return instant === undefined || Number.isNaN(instant)
    ? undefined
    : new Date(instant).toISOString();
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
