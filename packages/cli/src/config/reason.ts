import { readFileSync } from 'node:fs';
import path from 'node:path';
import { JsonError, loadJson } from './json.js';
import { SEARCH_PLACES } from './places.js';

/** Why a configuration file could not be read, and where in it. */
export function reasonOf(error: unknown, directory: string): { file: string; reason: string } {
  if (!(error instanceof Error)) return { file: directory, reason: String(error) };
  const file = filepathOf(error) ?? directory;
  if (error.name === 'JSONError') return reasonOf(jsonError(file), directory);
  const words = error.message
    .split('\n')
    .filter((line) => !line.startsWith('YAML Error in '))
    .map((line) => line.trim())
    .find((line) => line !== '');
  const isCode = SEARCH_PLACES.includes(path.basename(file));
  const position = placeOf(error) ?? (isCode ? codePosition(error, file) : undefined);
  const reason = (words ?? error.name).replace(/ \(\d+:\d+\)$/, '').replaceAll(`${file}: `, '');
  return { file: position === undefined ? file : `${file}:${position}`, reason };
}

/** Read once more by a loader that names the place. */
function jsonError(file: string): unknown {
  try {
    loadJson(file, readFileSync(file, 'utf8'));
    return new Error(`${file} was no JSON a moment ago`);
  } catch (error) {
    return Object.assign(error instanceof Error ? error : new Error(String(error)), {
      filepath: file,
    });
  }
}

/** Set by cosmiconfig on what a loader throws. */
function filepathOf(error: Error): string | undefined {
  return 'filepath' in error && typeof error.filepath === 'string' ? error.filepath : undefined;
}

/** Of data. js-yaml counts from 0. */
function placeOf(error: Error): string | undefined {
  if (error instanceof JsonError) return error.place;
  if (!('mark' in error) || typeof error.mark !== 'object' || error.mark === null) return undefined;
  const { line, column } = error.mark as { line?: unknown; column?: unknown };
  return typeof line === 'number' && typeof column === 'number'
    ? `${line + 1}:${column + 1}`
    : undefined;
}

/** Where in a file of code an error arose: syntax errors name the place in their words, others in their stack. */
export function codePosition(error: Error, file: string): string | undefined {
  const name = path.basename(file);
  const text = `${error.message}\n${error.stack ?? ''}`;
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return (
    new RegExp(`${escaped}:(\\d+(?::\\d+)?)`).exec(text)?.[1] ?? /\((\d+:\d+)\)/.exec(text)?.[1]
  );
}
