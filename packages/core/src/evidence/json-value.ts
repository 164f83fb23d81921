import { isTooDeep } from '../workflow/data.js';

/** One value of a JSON file: `absent` also where the file is not there. */
export type JsonValue =
  | { readonly state: 'absent' }
  | { readonly state: 'unreadable' }
  | { readonly state: 'there'; readonly value: unknown };

/** @param text the file; undefined where it is not there */
export function jsonValue(text: string | undefined, keys: readonly string[]): JsonValue {
  if (text === undefined) return { state: 'absent' };
  const read = readJson(text);
  if (read === undefined) return { state: 'unreadable' };
  let { value } = read;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key))
      return { state: 'absent' };
    value = (value as Record<string, unknown>)[key];
  }
  return { state: 'there', value };
}

/** Values are the same in any order of their keys. What cannot be read is like nothing. */
export function isSameValue(one: JsonValue, other: JsonValue): boolean {
  return one.state !== 'unreadable' && one.state === other.state && shown(one) === shown(other);
}

/** A value in one line, its keys in order. */
export function shown(value: JsonValue): string {
  if (value.state === 'absent') return '(not there)';
  if (value.state === 'unreadable') return '(no readable JSON)';
  return JSON.stringify(sorted(value.value));
}

/** The file with the value put in its place, or taken out. @returns undefined where it cannot be read */
export function withValue(
  text: string,
  keys: readonly string[],
  value: JsonValue,
): string | undefined {
  const read = readJson(text);
  if (read === undefined || value.state === 'unreadable' || !isObject(read.value)) return undefined;
  put(read.value, keys, value);
  const indent = /^[[{]\r?\n([ \t]+)/.exec(text.trimStart())?.[1];
  return `${JSON.stringify(read.value, undefined, indent)}\n`;
}

function put(object: Record<string, unknown>, keys: readonly string[], value: JsonValue): void {
  const [key = '', ...rest] = keys;
  if (rest.length === 0) {
    if (value.state === 'there') define(object, key, value.value);
    else delete object[key];
    return;
  }
  const below = Object.hasOwn(object, key) ? object[key] : undefined;
  if (isObject(below)) put(below, rest, value);
  else if (value.state === 'there') {
    const made: Record<string, unknown> = {};
    define(object, key, made);
    put(made, rest, value);
  }
}

/** Also under a name such as `__proto__`, which an assignment would not set. */
function define(object: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(object, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}

/**
 * A mark of its encoding at the start of a file is skipped, as package managers do. What is nested without end is
 * not read: an agent may have written the file, and to show it, or to write it again, would run out of stack.
 */
function readJson(text: string): { readonly value: unknown } | undefined {
  try {
    const value = JSON.parse(text.replace(/^\uFEFF/, '')) as unknown;
    return isTooDeep(value) ? undefined : { value };
  } catch {
    return undefined;
  }
}
