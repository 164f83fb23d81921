import picomatch from 'picomatch';

/**
 * Patterns of paths in a repository. A pattern is matched against the whole path, with `/` between its
 * parts; `*` stays within a part and `**` does not; names that begin with a dot match too.
 */

const OPTIONS = {
  dot: true,
  windows: false,
  nonegate: true,
  strictBrackets: true,
  debug: true, // what is no pattern is an error, and not one that matches nothing
  flags: 's', // a line break in a name hides it from no pattern
};

/** Does a path match one of the patterns? A path outside the repository matches none. @throws where one is no pattern: {@link globProblem} */
export function matcher(patterns: readonly string[]): (path: string) => boolean {
  const matches = picomatch(patterns, OPTIONS);
  return (path) => isWithin(path) && matches(path);
}

/** As {@link matcher}, but `docs/**` is only what is in `docs`: a link or a file in the place of the directory is nothing in it. */
export function matcherWithin(patterns: readonly string[]): (path: string) => boolean {
  const matches = picomatch(patterns, { ...OPTIONS, strictSlashes: true });
  return (path) => isWithin(path) && matches(path);
}

const NUL = 'expected a text without NUL, which no path can have';

/** Why a text is no pattern of paths in a repository. */
export function globProblem(pattern: string): string | undefined {
  if (pattern.includes('\0')) return NUL;
  if (pattern.startsWith('/')) return 'expected a path from the root of the repository, without /';
  if (pattern.endsWith('/')) return `a directory is no file; "${pattern}**" is all that is in it`;
  if (/^!(?!\()/.test(pattern)) return 'a pattern says what it matches; "!" excludes nothing';
  if (!isWithin(pattern)) return 'expected a path within the repository, without "." and ".."';
  try {
    matcher([pattern]);
    return undefined;
  } catch (error) {
    return `expected a pattern of paths, such as "src/**": ${(error as Error).message}`;
  }
}

/** Also not the repository itself: git names files. */
function isWithin(path: string): boolean {
  return path.split('/').every((part) => !['', '.', '..'].includes(part));
}

/** Why a text is no path of a file that is or may come to be in a checkout. */
export function fileProblem(name: string): string | undefined {
  if (name.includes('\0')) return NUL;
  const within = 'expected a path within the repository, from its root, without "." and ".."';
  if (!isWithin(name)) return within;
  if (/^\.git(\/|$)/i.test(name)) return "what is git's own is no file of the repository";
  return name.includes('*') ? 'expected the name of one file; patterns go into changes' : undefined;
}
