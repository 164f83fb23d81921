/** Durations (`"20m"`) and sizes (`"1GB"`) as people write them, as numbers as programs use them. */

const DURATION_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const SIZE_BYTES = { B: 1, KB: 1_000, MB: 1_000_000, GB: 1_000_000_000 } as const;

/** A hundred years: what is longer ends at an instant that no clock can say. */
const LONGEST_MS = 36_500 * DURATION_MS.d;

/** Milliseconds, or undefined where the text is no duration, or one of more than 36500 days. */
export function parseDuration(text: string): number | undefined {
  const ms = parse(text, /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/, DURATION_MS);
  return ms === undefined || ms > LONGEST_MS ? undefined : ms;
}

/** Bytes, or undefined where the text is no size. */
export function parseSize(text: string): number | undefined {
  return parse(text, /^(\d+(?:\.\d+)?)(B|KB|MB|GB)$/, SIZE_BYTES);
}

/** `1h 5m`, `12s`, `0.4s`: the two largest units. */
export function formatDuration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`;
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

function parse(text: string, form: RegExp, units: Record<string, number>): number | undefined {
  const [, count, unit] = form.exec(text) ?? [];
  const factor = unit === undefined ? undefined : units[unit];
  if (count === undefined || factor === undefined) return undefined;
  const value = Math.round(Number(count) * factor);
  return value > 0 && Number.isSafeInteger(value) ? value : undefined;
}
