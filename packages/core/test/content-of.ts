import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** What git says of a checkout, and every file in it with a hash of what is in that. */
export function contentOf(checkout: string): string[] {
  const status = ['--no-optional-locks', 'status', '--porcelain', '-uall'];
  const git = execFileSync('git', status, { cwd: checkout, encoding: 'utf8' });
  const entries = readdirSync(checkout, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name));
  const hash = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
  return [git, ...files.toSorted().map((file) => `${file} ${hash(file)}`)];
}
