import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { DevflowError } from '../errors.js';
import type { Environment } from './git.js';
import { type PlumbingOptions, plumbing } from './plumbing.js';
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

/** Whether to believe `info/exclude`: an agent can write to it, and hide with it what it made. */
export type Ignoring = 'all-that-git-ignores' | 'not-info-exclude';

interface Place {
  readonly directory: string;
  readonly env: Environment;
  /** A private directory: the index of the snapshot, and the targets of symbolic links. */
  readonly scratch: string;
}

/**
 * Puts what is not committed in a worktree into the object store. Touches nothing of the worktree, nor its index;
 * runs no filter, so that a file is saved as it is and not as git would convert it.
 * @returns undefined where all is committed
 * @throws DevflowError SALVAGE_FAILED where anything in it cannot be saved
 */
export async function snapshot(
  repository: Repository,
  directory: string,
  ignoring: Ignoring,
  env: Environment,
): Promise<Snapshot | undefined> {
  const gitDir = gitDirOf(directory);
  if (gitDir === undefined || !isWorktreeOf(repository, directory))
    throw failed(`${directory} is no worktree of this repository any more`);
  const operation = operationUnderWay(gitDir);
  if (operation !== undefined)
    throw failed(`git is in the middle of ${operation} in ${directory}: end or abort it there`);
  const scratch = path.join(gitDir, 'devflow-salvage');
  rmSync(scratch, { recursive: true, force: true }); // of one that was cut off
  mkdirSync(scratch);
  try {
    return await take({ directory, env, scratch }, gitDir, ignoring);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function take(
  place: Place,
  gitDir: string,
  ignoring: Ignoring,
): Promise<Snapshot | undefined> {
  const ask = async (...args: string[]) =>
    (await plumbing(place.directory, args, place.env)).trim();
  const head = await ask('rev-parse', '--verify', 'HEAD^{commit}');
  const headTree = await ask('rev-parse', '--verify', 'HEAD^{tree}');
  const own = path.join(gitDir, 'index');
  const staged = existsSync(own) ? await stagedTree(place, own) : headTree;
  const { tree, changes } = await treeOfFiles(place, staged, ignoring);
  if (tree === headTree && staged === headTree) return undefined;
  const isElsewhere = staged === headTree || staged === tree;
  return { head, tree, staged: isElsewhere ? undefined : staged, changes };
}

/** Of a copy: git may rewrite the index that it reads. */
async function stagedTree({ directory, env, scratch }: Place, own: string): Promise<string> {
  const index = path.join(scratch, 'staged');
  copyFileSync(own, index);
  return (await plumbing(directory, ['write-tree'], env, { index })).trim();
}

async function treeOfFiles(
  place: Place,
  staged: string,
  ignoring: Ignoring,
): Promise<{ tree: string; changes: number }> {
  const { directory, env, scratch } = place;
  const index = path.join(scratch, 'index');
  const git = (args: readonly string[], more: PlumbingOptions = {}) =>
    plumbing(directory, args, env, { index, ...more });
  const absent = await outsideSparseCheckout(place);
  // An index of its own: nothing in it is assumed unchanged, and git looks into every file.
  await git(['read-tree', 'HEAD']);
  await git(['update-index', '-z', '--index-info'], { stdin: await addedTo(place, staged) });
  const tracked = await git(['ls-files', '--stage', '-z']);
  const status = await git([
    'status', '--porcelain=v2', '-z', '--no-renames', '--untracked-files=no', '--ignore-submodules=dirty',
  ]); // prettier-ignore
  const exclude =
    ignoring === 'all-that-git-ignores'
      ? '--exclude-standard'
      : '--exclude-per-directory=.gitignore';
  const untracked = split(await git(['ls-files', '--others', '-z', exclude]));
  refuseRepositories(directory, tracked, untracked);
  const changed = changedPaths(status).filter(({ file, gone }) => !(gone && absent.has(file)));
  const gone = changed.filter((change) => change.gone).map(({ file }) => file);
  const there = [...changed.filter((change) => !change.gone).map(({ file }) => file), ...untracked];
  const format = (await git(['rev-parse', '--show-object-format'])).trim();
  const none = '0'.repeat(format === 'sha256' ? 64 : 40);
  const removals = gone.map((file) => `0 ${none}\t${file}\0`);
  const additions = await hashFiles(place, there);
  await git(['update-index', '-z', '--index-info'], {
    stdin: [...removals, ...additions].join(''),
  });
  const tree = (await git(['write-tree'])).trim();
  return { tree, changes: gone.length + there.length };
}

/** Entries that were staged and that HEAD does not have: they may be ignored, and are tracked all the same. */
async function addedTo({ directory, env }: Place, staged: string): Promise<string> {
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--diff-filter=A', 'HEAD', staged];
  const fields = split(await plumbing(directory, args, env));
  const entries: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = '', , hash = ''] = (fields[at] ?? '').split(' ');
    entries.push(`${mode} ${hash}\t${fields[at + 1]}\0`);
  }
  return entries.join('');
}

/** Paths that a sparse checkout leaves out: that they are not there is no deletion. */
async function outsideSparseCheckout({ directory, env }: Place): Promise<ReadonlySet<string>> {
  const entries = split(await plumbing(directory, ['ls-files', '-t', '-z'], env));
  return new Set(entries.filter((each) => each.startsWith('S ')).map((each) => each.slice(2)));
}

/** What differs between an index and the files: `1 XY sub mH mI mW hH hI path`. */
function changedPaths(status: string): { readonly file: string; readonly gone: boolean }[] {
  return split(status).flatMap((entry) => {
    const words = entry.split(' ');
    const mark = words[1]?.[1] ?? '';
    if (words[0] !== '1' || mark === '.') return [];
    return [{ file: words.slice(8).join(' '), gone: mark === 'D' }];
  });
}

/** Of a repository within, git would save one commit's name, and nothing of what is in it. */
function refuseRepositories(
  directory: string,
  tracked: string,
  untracked: readonly string[],
): void {
  const files = split(tracked).map((entry) => entry.slice(entry.indexOf('\t') + 1));
  const places = new Set<string>();
  for (const file of [...files, ...untracked])
    for (let place = file; place !== '.' && !places.has(place); place = path.dirname(place))
      places.add(place);
  const found = [...places].filter(
    (place) => place.endsWith('/') || existsSync(bytes(directory, path.join(place, '.git'))),
  );
  if (found.length === 0) return;
  const names = found.map((name) =>
    Buffer.from(name, 'latin1').toString('utf8').replace(/\/$/, ''),
  );
  throw failed(`a repository of its own in ${directory}: ${[...new Set(names)].join(', ')}`);
}

/** Lines for `update-index --index-info`. */
async function hashFiles(place: Place, files: readonly string[]): Promise<string[]> {
  const { directory, env, scratch } = place;
  const found = files.map((file, number) => {
    const full = bytes(directory, file);
    const stats = lstatSync(full);
    if (stats.isSymbolicLink()) {
      const target = path.join(scratch, `link-${number}`);
      writeFileSync(target, readlinkSync(full, 'buffer'));
      return { file, mode: '120000', source: Buffer.from(target).toString('latin1') };
    }
    if (!stats.isFile()) throw failed(`${file} in ${directory} is neither a file nor a link`);
    return { file, mode: (stats.mode & 0o100) === 0 ? '100644' : '100755', source: file };
  });
  if (found.length === 0) return [];
  const hashes = (
    await plumbing(directory, ['hash-object', '-w', '--no-filters', '--stdin-paths'], env, {
      stdin: found.map(({ source }) => `${quote(source)}\n`).join(''),
    })
  ).split('\n');
  return found.map(({ file, mode }, at) => `${mode} ${hashes[at] ?? ''}\t${file}\0`);
}

/** As git quotes a name that stands in a line: whatever is not plain as octal digits. */
function quote(file: string): string {
  const plain = file.replaceAll(
    /[^A-Za-z0-9 ./_-]/g,
    (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return `"${plain}"`;
}

function split(output: string): string[] {
  return output.split('\0').filter((entry) => entry !== '');
}

/** A path whose second part is bytes, one character each. */
function bytes(directory: string, file: string): Buffer {
  return Buffer.concat([Buffer.from(`${directory}/`), Buffer.from(file, 'latin1')]);
}

function failed(why: string): DevflowError {
  return new DevflowError('SALVAGE_FAILED', why);
}
