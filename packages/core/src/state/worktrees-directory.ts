import { createHash } from 'node:crypto';
import path from 'node:path';

/** Where a repository's worktrees go. The key is readable and injective. */
export function worktreesDirectory(
  stateDir: string,
  repository: { root: string; commonDir: string },
): string {
  const name = path
    .basename(repository.root)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .slice(0, 40);
  const key = createHash('sha256').update(repository.commonDir).digest('hex').slice(0, 10);
  return path.join(stateDir, 'worktrees', `${name}-${key}`);
}
