import type { Loader } from 'cosmiconfig';

/** That a text is no JSON, with the place, which the engine's own error does not always name. */
export class JsonError extends Error {
  constructor(
    message: string,
    readonly place: string,
  ) {
    super(message);
  }
}

/** @throws JsonError */
export const loadJson: Loader = (_file, content) => {
  const text = content.replace(/^\uFEFF/, '');
  const error = failure(text);
  if (error === undefined) return JSON.parse(text);
  const before = text.slice(0, errorOffset(text)).split('\n');
  throw new JsonError(
    error.replace(/, (\.\.\.)?".*$| in JSON at position.*$/s, ''),
    `${before.length}:${(before.at(-1) ?? '').length + 1}`,
  );
};

/** The length of the longest beginning to which only an end is missing: what follows it is wrong. */
function errorOffset(text: string): number {
  let good = 0;
  let wrong = text.length + 1;
  while (wrong - good > 1) {
    const middle = Math.floor((good + wrong) / 2);
    if (isWrong(text.slice(0, middle))) wrong = middle;
    else good = middle;
  }
  return good;
}

function isWrong(beginning: string): boolean {
  const error = failure(beginning);
  if (error === undefined || /Unexpected end|Unterminated/.test(error)) return false;
  return !error.includes(`at position ${beginning.length}`);
}

function failure(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as Error).message; // JSON.parse throws nothing else
  }
}
