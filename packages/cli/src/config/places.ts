import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const CODE = ['ts', 'mts', 'js', 'mjs', 'cjs'];

/** Where a configuration may stand in a directory. package.json is last: it is there for other reasons too. */
export const SEARCH_PLACES = [
  ...[...CODE, 'json', 'yaml', 'yml'].map((kind) => `devflow.config.${kind}`),
  '.devflowrc',
  ...['json', 'yaml', 'yml', 'js', 'cjs', 'mjs', 'ts'].map((kind) => `.devflowrc.${kind}`),
  'package.json',
];

export function isCode(file: string): boolean {
  return CODE.some((kind) => file.endsWith(`.${kind}`));
}

/** From a directory up to the root of its repository; outside a repository that directory alone. */
export function searchDirectories(cwd: string): string[] {
  const upward = ancestors(path.resolve(cwd));
  const root = upward.findIndex((directory) => existsSync(path.join(directory, '.git')));
  return upward.slice(0, root + 1 || 1);
}

/** Where a configuration stands, whether or not it can be read; without one the root of the repository. */
export function configurationDirectory(cwd: string): string {
  const directories = searchDirectories(cwd);
  const holds = (directory: string) =>
    SEARCH_PLACES.some((name) => {
      const file = path.join(directory, name);
      return existsSync(file) && (name !== 'package.json' || speaksOfDevflow(file));
    });
  return directories.find(holds) ?? directories.at(-1) ?? path.resolve(cwd);
}

function speaksOfDevflow(packageFile: string): boolean {
  try {
    const content: unknown = JSON.parse(readFileSync(packageFile, 'utf8'));
    return typeof content === 'object' && content !== null && 'devflow' in content;
  } catch {
    return false; // whoever reads the configuration is told
  }
}

function ancestors(directory: string): string[] {
  const parent = path.dirname(directory);
  return parent === directory ? [directory] : [directory, ...ancestors(parent)];
}
