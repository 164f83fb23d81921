import { globProblem, matcher } from './globs.js';

/** A value of JSON files, as `package.json#scripts.test` names it. */
export interface ProtectedValue {
  readonly keys: readonly string[];
  /** `scripts.test` */
  readonly name: string;
  readonly matches: (path: string) => boolean;
}

/** What a phase may not change. */
export interface Protection {
  /** Is a path protected whole? @param mode its mode in git; a link or a repository in the place of a directory of a pattern is protected too */
  readonly matches: (path: string, mode: string) => boolean;
  /** Those in files that are not protected whole. */
  readonly values: readonly ProtectedValue[];
}

/** Modes of what may stand in the place of a directory: a link, a repository within. */
const IN_PLACE_OF_DIRECTORIES = new Set(['120000', '160000']);

/** @param entries as the workflow has them, each without a problem: {@link protectProblem} */
export function protection(entries: readonly string[]): Protection {
  const parsed = entries.map(parse);
  const patterns = parsed.flatMap(({ pattern, name }) => (name === undefined ? [pattern] : []));
  const files = matcher(patterns);
  const places = matcher(parsed.flatMap(({ pattern }) => directoriesOf(pattern)));
  return {
    matches: (path, mode) => files(path) || (IN_PLACE_OF_DIRECTORIES.has(mode) && places(path)),
    values: parsed.flatMap(({ pattern, name }) => {
      if (name === undefined) return [];
      const isNamed = matcher([pattern]);
      const matches = (path: string) => isNamed(path) && !files(path);
      return [{ keys: name.split('.'), name, matches }];
    }),
  };
}

/** Why an entry protects nothing. */
export function protectProblem(entry: string): string | undefined {
  const { pattern, name } = parse(entry);
  if (name === undefined) return globProblem(pattern);
  if (name.split('.').includes(''))
    return 'expected the names of a value after "#", such as "package.json#scripts.test"';
  if (!pattern.endsWith('.json'))
    return 'a value can be protected in JSON files only: protect the file whole';
  return globProblem(pattern);
}

/** What is before the first `#` names files, what is after it a value in them. */
function parse(entry: string): { readonly pattern: string; readonly name: string | undefined } {
  const at = entry.indexOf('#');
  if (at === -1) return { pattern: entry, name: undefined };
  return { pattern: entry.slice(0, at), name: entry.slice(at + 1) };
}

/** `a` and `a/*` of `a/*` + `/b`, up to where a part may stand for several. */
function directoriesOf(pattern: string): string[] {
  const parts = pattern.split('/').slice(0, -1);
  const end = parts.findIndex((part) => /\*\*|[{}()[\]\\]/.test(part));
  const plain = end === -1 ? parts : parts.slice(0, end);
  return plain.map((_, at) => plain.slice(0, at + 1).join('/'));
}
