import { existsSync } from 'node:fs';
import { access, constants, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Problem } from '../adapter/index.js';
import type { RunContext } from '../context.js';
import { git, isDirectory } from '../git/git.js';
import { realPath } from '../git/repository.js';

/** Above this much free space the size of a checkout is not asked for: that would cost a walk over all of it. */
const AMPLE_BYTES = 16_000_000_000;
/** Room for what an agent and its tools write besides the checkout. */
const RESERVE_BYTES = 100_000_000;
const FOREIGN = ['package.json', 'node_modules', 'tsconfig.json'];

/** Is the place for worktrees outside the checkout, free of what tools would pick up, and large enough? */
export async function checkPlace({
  definition,
  repository,
  env,
}: Pick<RunContext, 'definition' | 'repository' | 'env'>): Promise<Problem[]> {
  const { worktrees, base } = definition;
  const problems: Problem[] = [];
  const root = `${realPath(repository.root)}${path.sep}`;
  const existing = realPath(nearestExisting(worktrees));
  if (`${existing}${path.sep}`.startsWith(root)) {
    problems.push({
      code: 'WORKTREE_INSIDE_CHECKOUT',
      message: `worktrees would go to ${worktrees}, inside the checkout, where its tools pick them up`,
      hint: 'Give worktree.dir a place outside the repository.',
    });
  }
  for (const directory of ancestors(worktrees)) {
    const foreign = FOREIGN.find((name) => existsSync(path.join(directory, name)));
    if (foreign === undefined || `${realPath(directory)}${path.sep}`.startsWith(root)) continue;
    problems.push({
      code: 'WORKTREE_PLACE_FOREIGN',
      message: `${path.join(directory, foreign)} stands above ${worktrees}: tools in a worktree would pick it up`,
      hint: 'Give worktree.dir another place, or move that away.',
    });
  }
  const unusable = await whyUnusable(existing);
  if (unusable !== undefined) {
    problems.push({
      code: 'WORKTREE_PLACE_UNUSABLE',
      message: `worktrees would go to ${worktrees}, but ${existing} ${unusable}`,
      hint: 'Mend that and resume; or start a new run with another worktree.dir or XDG_STATE_HOME.',
    });
    return problems;
  }
  const { bavail, bsize } = await statfs(existing);
  const free = bavail * bsize;
  if (free > AMPLE_BYTES) return problems;
  const needed = RESERVE_BYTES + (await checkoutSize(repository.root, base.commit, env));
  if (free < needed) {
    problems.push({
      code: 'DISK_FULL',
      message: `${existing} has ${megabytes(free)} free; a checkout needs ${megabytes(needed)}`,
      hint: 'Free some space, or give worktree.dir another place.',
    });
  }
  return problems;
}

async function whyUnusable(existing: string): Promise<string | undefined> {
  if (!isDirectory(existing)) return 'is no directory';
  const refused = await access(existing, constants.W_OK).catch((error: unknown) => error);
  return refused === undefined ? undefined : 'may not be written to';
}

async function checkoutSize(root: string, commit: string, env: RunContext['env']): Promise<number> {
  const listing = await git(root, ['ls-tree', '-r', '-l', '-z', commit], env);
  const sizes = listing
    .split('\0')
    .map((entry) => Number(/^\d+ blob \S+ +(\d+)\t/.exec(entry)?.[1] ?? 0));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function nearestExisting(directory: string): string {
  return existsSync(directory) || directory === path.dirname(directory)
    ? directory
    : nearestExisting(path.dirname(directory));
}

function ancestors(directory: string): string[] {
  const parent = path.dirname(directory);
  return parent === directory ? [directory] : [directory, ...ancestors(parent)];
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000)} MB`;
}
