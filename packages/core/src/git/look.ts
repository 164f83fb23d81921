import { createHash } from 'node:crypto';
import {
  type BigIntStats,
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { DevflowError } from '../errors.js';
import { isGone } from '../process/system-error.js';
import type { Environment } from './git.js';
import { type PlumbingOptions, plumbing } from './plumbing.js';

/** Whether to believe `info/exclude`: an agent can write to it, and hide with it what it made. */
export type Ignoring = 'all-that-git-ignores' | 'not-info-exclude';

/** A worktree, and what of it belongs to what is saved. */
export interface Whole {
  readonly directory: string;
  readonly ignoring: Ignoring;
}

/** The mode of a submodule's entry. */
export const GITLINK = '160000';

export interface Place {
  readonly directory: string;
  readonly gitDir: string;
  readonly env: Environment;
  /** A private directory: the index of the snapshot, and the targets of symbolic links. */
  readonly scratch: string;
}

/** What is there, before any of it is hashed. */
export interface Looked {
  readonly head: string;
  readonly headTree: string;
  readonly staged: string;
  /** What HEAD or the index has, by path. */
  readonly tracked: ReadonlyMap<string, Entry>;
  readonly there: readonly Found[];
  /** Tracked, and not there. */
  readonly gone: readonly string[];
  /** Differs once anything of it is written anew. */
  readonly seen: string;
}

export interface Entry {
  readonly mode: string;
  readonly hash: string;
}

export interface Found {
  readonly file: string;
  readonly mode: string;
  /** The file with the bytes to save: itself, or one that has the target of the link. */
  readonly source: string;
}

/** All that is in a worktree, by names and times. @throws DevflowError SALVAGE_FAILED where any of it could not be saved */
export async function look(place: Place, ignoring: Ignoring): Promise<Looked> {
  const { directory, gitDir, env, scratch } = place;
  const index = path.join(scratch, 'index');
  const git = (args: readonly string[], more: PlumbingOptions = {}) =>
    plumbing(directory, args, env, { index, ...more });
  const head = (await git(['rev-parse', '--verify', 'HEAD^{commit}'])).trim();
  const headTree = (await git(['rev-parse', '--verify', 'HEAD^{tree}'])).trim();
  const own = path.join(gitDir, 'index');
  const before = existsSync(own) ? stamp(lstatSync(own, { bigint: true })) : '';
  const { staged, intended } = await ownIndex(place, own, headTree);
  const absent = await outsideSparseCheckout(place);
  // An index of its own: nothing in it is assumed unchanged.
  await git(['read-tree', 'HEAD']);
  await git(['update-index', '-z', '--index-info'], { stdin: await addedTo(place, staged) });
  const tracked = entries(await git(['ls-files', '--stage', '-z']));
  const exclude =
    ignoring === 'all-that-git-ignores'
      ? '--exclude-standard'
      : '--exclude-per-directory=.gitignore';
  const others = split(await git(['ls-files', '--others', '-z', exclude]));
  const untracked = [...new Set([...others, ...intended])];
  refuseRepositories(directory, [...tracked.keys()], untracked);
  refuseFilesInSubmodules(directory, tracked);
  const files = [...tracked].filter(([, { mode }]) => mode !== GITLINK).map(([file]) => file);
  const { there, gone, stamps } = find(place, [...files, ...untracked]);
  const seen = createHash('sha256')
    .update([head, before, ...stamps].join('\0'))
    .digest('hex');
  return {
    head, headTree, staged, tracked, there, gone: gone.filter((file) => tracked.has(file) && !absent.has(file)), seen,
  }; // prettier-ignore
}

/** Of a copy: git may rewrite the index that it reads. `intended`: what `git add --intent-to-add` named, which no tree has. */
async function ownIndex(
  { directory, env, scratch }: Place,
  own: string,
  headTree: string,
): Promise<{ staged: string; intended: readonly string[] }> {
  if (!existsSync(own)) return { staged: headTree, intended: [] };
  const index = path.join(scratch, 'staged');
  copyFileSync(own, index);
  const added = ['diff-files', '-z', '--name-only', '--diff-filter=A', '--ignore-submodules'];
  return {
    staged: (await plumbing(directory, ['write-tree'], env, { index })).trim(),
    intended: split(await plumbing(directory, added, env, { index })),
  };
}

/** Entries that were staged and that HEAD does not have: they may be ignored, and are tracked all the same. */
async function addedTo({ directory, env }: Place, staged: string): Promise<string> {
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--diff-filter=A', 'HEAD', staged];
  const fields = split(await plumbing(directory, args, env));
  const added: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = '', , hash = ''] = (fields[at] ?? '').split(' ');
    added.push(`${mode} ${hash}\t${fields[at + 1]}\0`);
  }
  return added.join('');
}

/** Paths that a sparse checkout leaves out: that they are not there is no deletion. */
async function outsideSparseCheckout({ directory, env }: Place): Promise<ReadonlySet<string>> {
  const tagged = split(await plumbing(directory, ['ls-files', '-t', '-z'], env));
  return new Set(tagged.filter((each) => each.startsWith('S ')).map((each) => each.slice(2)));
}

/** `ls-files --stage`: `100644 <hash> 0\t<path>`. */
function entries(output: string): ReadonlyMap<string, Entry> {
  return new Map(
    split(output).map((each) => {
      const [facts = '', file = ''] = each.split(/\t(.*)/s);
      const [mode = '', hash = ''] = facts.split(' ');
      return [file, { mode, hash }];
    }),
  );
}

/** What there is of paths, without following links. */
export function find(
  { directory, scratch }: Place,
  files: readonly string[],
): { there: Found[]; gone: string[]; stamps: string[] } {
  const there: Found[] = [];
  const gone: string[] = [];
  const stamps: string[] = [];
  const behindLink = linksAbove(directory);
  for (const [number, file] of files.entries()) {
    const full = bytes(directory, file);
    const stats = behindLink(file) ? undefined : statsOf(full);
    stamps.push(file, stats === undefined ? '' : stamp(stats));
    if (stats === undefined || stats.isDirectory()) gone.push(file);
    else if (stats.isSymbolicLink()) {
      const target = path.join(scratch, `link-${number}`);
      writeFileSync(target, readlinkSync(full, 'buffer'));
      there.push({ file, mode: '120000', source: Buffer.from(target).toString('latin1') });
    } else if (stats.isFile()) {
      const mode = (stats.mode & 0o100n) === 0n ? '100644' : '100755';
      there.push({ file, mode, source: file });
    } else throw failed(`${file} in ${directory} is neither a file nor a link`);
  }
  return { there, gone, stamps };
}

/** A tracked file is gone where one of its directories is a link by now: what stands behind that is another's. */
function linksAbove(directory: string): (file: string) => boolean {
  const known = new Map<string, boolean>([['.', false]]);
  const isLink = (place: string): boolean => {
    const found =
      known.get(place) ??
      (isLink(path.dirname(place)) || statsOf(bytes(directory, place))?.isSymbolicLink() === true);
    known.set(place, found);
    return found;
  };
  return (file) => isLink(path.dirname(file));
}

export function statsOf(file: Buffer): BigIntStats | undefined {
  try {
    return lstatSync(file, { bigint: true });
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** Every write changes it: the time of the last change is the system's own, and no program sets it. */
function stamp({ ino, mode, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, mode, size, mtimeNs, ctimeNs].join(' ');
}

/** In a submodule that is not set up git looks at no file. */
function refuseFilesInSubmodules(directory: string, tracked: ReadonlyMap<string, Entry>): void {
  for (const [file, { mode }] of tracked) {
    if (mode !== GITLINK) continue;
    const place = bytes(directory, file);
    const stats = statsOf(place);
    if (stats === undefined || (stats.isDirectory() && readdirSync(place).length === 0)) continue;
    const name = Buffer.from(file, 'latin1').toString('utf8');
    throw failed(`files in the place of the submodule ${name} in ${directory}`);
  }
}

/** Of a repository within, git would save one commit's name, and nothing of what is in it. */
function refuseRepositories(
  directory: string,
  tracked: readonly string[],
  untracked: readonly string[],
): void {
  const places = new Set<string>();
  for (const file of [...tracked, ...untracked])
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

export function split(output: string, separator = '\0'): string[] {
  return output.split(separator).filter((entry) => entry !== '');
}

/** A path whose second part is bytes, one character each. */
export function bytes(directory: string, file: string): Buffer {
  return Buffer.concat([Buffer.from(`${directory}/`), Buffer.from(file, 'latin1')]);
}

export function failed(why: string): DevflowError {
  return new DevflowError('SALVAGE_FAILED', why);
}
