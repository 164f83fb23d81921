/** `0.8s`, `12s`, `3m 5s`, `2h 10m`: how long something took, short enough for a live line. */
export function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (ms < 100) return '<0.1s';
  if (seconds < 1) return `${Math.floor(ms / 100) / 10}s`;
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return twoUnits(minutes, 'm', seconds % 60, 's');
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? twoUnits(hours, 'h', minutes % 60, 'm') : `${Math.floor(hours / 24)}d`;
}

function twoUnits(large: number, unit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${unit}` : `${large}${unit} ${small}${smallUnit}`;
}

/** `3m 5s ago`; nothing where the instant is not known. */
export function ago(instant: string | undefined, now = Date.now()): string {
  return instant === undefined ? '' : `${elapsed(Math.max(0, now - Date.parse(instant)))} ago`;
}

/** `in 1h 3m`: how far an instant is away; `now` where it has come. */
export function within(instant: string, now = Date.now()): string {
  const left = Date.parse(instant) - now;
  return left > 0 ? `in ${elapsed(left)}` : 'now';
}

/** An instant as people of this machine read it, with its zone: `2026-11-30 14:28 UTC+1`. */
export function localTime(instant: string): string {
  const at = new Date(instant);
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())} ${zone(-at.getTimezoneOffset())}`;
}

/** @param offset in minutes east of UTC */
function zone(offset: number): string {
  if (offset === 0) return 'UTC';
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return `UTC${offset < 0 ? '-' : '+'}${hours}${minutes === 0 ? '' : `:${two(minutes)}`}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

const INSTANT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** The core's words with its instants as people read them. @param said the instant that stands beside them, and is left out of them */
export function inLocalTime(words: string, said?: string): string {
  const once = said === undefined ? words : words.replaceAll(` (until ${said})`, '');
  return once.replace(INSTANT, localTime);
}
