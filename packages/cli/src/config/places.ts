import { existsSync } from 'node:fs';
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

function ancestors(directory: string): string[] {
  const parent = path.dirname(directory);
  return parent === directory ? [directory] : [directory, ...ancestors(parent)];
}
