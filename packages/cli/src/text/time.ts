/** `12s`, `3m 5s`, `2h 10m`: how long something took, short enough for a live line. */
export function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 1) return `${(ms / 1000).toFixed(1)}s`;
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

/** An instant as people of this machine read it. */
export function localTime(instant: string): string {
  const at = new Date(instant);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
