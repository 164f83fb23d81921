/** A value of Codex's configuration, as one argument can hold it. */
type TomlValue = string | boolean | readonly string[] | TomlTable;

export interface TomlTable {
  readonly [key: string]: TomlValue | undefined;
}

/** `-c key=value`. Codex would take a value that is no TOML for a plain text, in silence. */
export function setting(key: string, value: TomlValue): readonly string[] {
  return ['-c', `${key}=${toml(value)}`];
}

/** A key that is undefined is left out. */
function toml(value: TomlValue): string {
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return quoted(value);
  if (isList(value)) return `[${value.map(quoted).join(',')}]`;
  const entries = Object.entries(value).flatMap(([key, one]) =>
    one === undefined ? [] : [`${quoted(key)}=${toml(one)}`],
  );
  return `{${entries.join(',')}}`;
}

function isList(value: readonly string[] | TomlTable): value is readonly string[] {
  return Array.isArray(value);
}

/** A basic string is what JSON has, but for two things that TOML does not allow: DEL, and half a character. */
function quoted(text: string): string {
  return JSON.stringify(text.replaceAll(/\p{Surrogate}/gu, '\ufffd')).replaceAll(
    '\u007f',
    '\\u007f',
  );
}
