import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Environment } from './git.js';
import { type Found, type Looked, type Place, type Whole, failed, look, split } from './look.js';
import { plumbing } from './plumbing.js';
import { type Repository, operationUnderWay } from './repository.js';
import { gitDirOf, isWorktreeOf } from './worktree.js';

/** All that is in a worktree and in no commit, as trees in the object store. */
export interface Snapshot {
  readonly head: string;
  /** What is there: contents as they are, byte for byte, executable bits, symbolic links. */
  readonly tree: string;
  /** What was staged, where that is neither what HEAD has nor what is there. */
  readonly staged: string | undefined;
  /** How many paths are not as in HEAD. */
  readonly changes: number;
}

/**
 * Puts what is not committed in a worktree into the object store. Touches nothing of the worktree, nor its index;
 * runs no filter, so that a file is saved as it is and not as git would convert it.
 * @throws DevflowError SALVAGE_FAILED where anything in it cannot be saved
 */
export async function snapshot(
  repository: Repository,
  { directory, ignoring }: Whole,
  env: Environment,
): Promise<{ readonly taken: Snapshot | undefined; readonly seen: string }> {
  return inScratch(repository, directory, env, async (place) => {
    const looked = await look(place, ignoring);
    return { taken: await take(place, looked), seen: looked.seen };
  });
}

/**
 * What `snapshot` would save, as one word that changes with it; hashes no file.
 * @throws DevflowError SALVAGE_FAILED where it would refuse
 */
export async function glance(
  repository: Repository,
  { directory, ignoring }: Whole,
  env: Environment,
): Promise<string> {
  return inScratch(repository, directory, env, async (place) => (await look(place, ignoring)).seen);
}

async function inScratch<T>(
  repository: Repository,
  directory: string,
  env: Environment,
  work: (place: Place) => Promise<T>,
): Promise<T> {
  const gitDir = gitDirOf(directory);
  if (gitDir === undefined || !isWorktreeOf(repository, directory))
    throw failed(`${directory} is no worktree of this repository any more`);
  const operation = operationUnderWay(gitDir);
  if (operation !== undefined)
    throw failed(`git is in the middle of ${operation} in ${directory}: end or abort it there`);
  refuseModules(gitDir);
  const scratch = path.join(gitDir, 'devflow-salvage');
  rmSync(scratch, { recursive: true, force: true }); // of one that was cut off
  mkdirSync(scratch);
  try {
    return await work({ directory, gitDir, env, scratch });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Submodules have their commits there, also once they are not set up any more. @throws DevflowError SALVAGE_FAILED */
export function refuseModules(gitDir: string): void {
  const modules = path.join(gitDir, 'modules');
  if (!existsSync(modules) || readdirSync(modules).length === 0) return;
  throw failed(
    `submodules have repositories of their own in ${modules}: keep what only they have, and remove that directory by hand`,
  );
}

async function take(place: Place, looked: Looked): Promise<Snapshot | undefined> {
  const { head, headTree, staged, gone } = looked;
  const changed = await changedFiles(place, looked);
  const removals = gone.map((file) => `0 ${'0'.repeat(head.length)}\t${file}\0`);
  const hashes = await hashFiles(place, changed, ['-w']);
  const additions = changed.map(({ file, mode }, at) => `${mode} ${hashes[at]}\t${file}\0`);
  const index = { index: path.join(place.scratch, 'index') };
  await plumbing(place.directory, ['update-index', '-z', '--index-info'], place.env, {
    ...index,
    stdin: [...removals, ...additions].join(''),
  });
  const tree = (await plumbing(place.directory, ['write-tree'], place.env, index)).trim();
  if (tree === headTree && staged === headTree) return undefined;
  const isElsewhere = staged === headTree || staged === tree;
  const changes = gone.length + changed.length;
  return { head, tree, staged: isElsewhere ? undefined : staged, changes };
}

/**
 * What is neither as it is committed nor as a checkout gives it: git converts ends of lines and the like there.
 * Every file is read: what git believes to be unchanged, by times or by what a filter says, is not believed.
 */
export async function changedFiles(
  place: Place,
  { there, tracked }: Pick<Looked, 'there' | 'tracked'>,
): Promise<readonly Found[]> {
  const known = there.filter(({ file }) => tracked.has(file));
  const hashes = await hashFiles(place, known);
  const hashOf = new Map(known.map(({ file }, at) => [file, hashes[at] ?? '']));
  const differing = there.filter(({ file, mode }) => {
    const entry = tracked.get(file);
    return entry?.mode !== mode || entry.hash !== hashOf.get(file);
  });
  const isSameMode = ({ file, mode }: Found) => tracked.get(file)?.mode === mode;
  const checkedOut = await checkOut(place, differing.filter(isSameMode));
  return differing.filter(
    ({ file }) => checkedOut.get(file) !== hashOf.get(file) || !hashOf.has(file),
  );
}

/** Hashes of files as a checkout gives them, by path; without what a filter's program would make of them. */
async function checkOut(
  place: Place,
  files: readonly Found[],
): Promise<ReadonlyMap<string, string>> {
  if (files.length === 0) return new Map();
  const clean = path.join(place.scratch, 'clean/');
  await checkOutTo(place, clean, files.map(({ file }) => file)); // prettier-ignore
  const under = Buffer.from(clean).toString('latin1');
  const made = files.map((each) => ({ ...each, source: `${under}${each.file}` }));
  const hashes = await hashFiles(place, made);
  return new Map(files.map(({ file }, at) => [file, hashes[at] ?? '']));
}

/** Lays files of the index elsewhere as a checkout gives them: by its own `.gitattributes`, not by those of the worktree. */
export async function checkOutTo(
  place: Place,
  target: string,
  files: readonly string[],
): Promise<void> {
  const { gitDir, env, scratch } = place;
  const nothing = path.join(scratch, 'no-attributes'); // git reads those of a worktree first
  mkdirSync(nothing, { recursive: true });
  await plumbing(nothing, ['checkout-index', '-z', '--stdin', `--prefix=${target}`], env, {
    index: path.join(scratch, 'index'),
    stdin: files.map((file) => `${file}\0`).join(''),
    variables: { ...(await withoutFilters(place)), GIT_DIR: gitDir, GIT_WORK_TREE: nothing },
  });
}

/** Settings by which no filter has a program. */
async function withoutFilters({ directory, env }: Place): Promise<Record<string, string>> {
  const names = split(await plumbing(directory, ['config', '--name-only', '-z', '--list'], env));
  const filters = new Set(names.flatMap((name) => /^(filter\..*)\.[^.]*$/s.exec(name)?.[1] ?? []));
  const settings = [...filters].flatMap((filter) => [
    [`${filter}.clean`, ''],
    [`${filter}.smudge`, ''],
    [`${filter}.process`, ''],
    [`${filter}.required`, 'false'],
  ]);
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', `${settings.length}`],
    ...settings.flatMap(([key = '', value = ''], at) => [
      [`GIT_CONFIG_KEY_${at}`, Buffer.from(key, 'latin1').toString('utf8')],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  ]) as Record<string, string>;
}

/** Hashes in their order, of the bytes as they are. */
export async function hashFiles(
  { directory, env }: Place,
  files: readonly Found[],
  write: readonly string[] = [],
): Promise<string[]> {
  if (files.length === 0) return [];
  const args = ['hash-object', ...write, '--no-filters', '--stdin-paths'];
  const stdin = files.map(({ source }) => `${quote(source)}\n`).join('');
  const hashes = split(await plumbing(directory, args, env, { stdin }), '\n');
  if (hashes.length !== files.length)
    throw failed(`git hash-object in ${directory}: too few hashes`);
  return hashes;
}

/** As git quotes a name that stands in a line: whatever is not plain as octal digits. */
function quote(file: string): string {
  const plain = file.replaceAll(
    /[^A-Za-z0-9 ./_-]/g,
    (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return `"${plain}"`;
}
