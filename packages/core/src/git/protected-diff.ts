import { type Entry, GITLINK, type Place, bytes, split, statsOf } from './look.js';
import { plumbing } from './plumbing.js';
import type { States } from './protected-work.js';
import { hashFiles } from './snapshot.js';
import { type Tree, asText, isFile, isSame } from './tree.js';

/** Files above that are named in a diff, and not shown, in bytes. */
const SHOWN_FILE = 100_000;
/** How many files are shown. */
const SHOWN_FILES = 20;

/**
 * What was changed at paths: in the worktree, or in the commits where the worktree has it put back.
 * @param place with an index of the accepted commit, which is changed
 */
export async function diffOf(
  place: Place,
  states: States,
  files: readonly string[],
): Promise<string> {
  if (files.length === 0) return '';
  const { accepted, head, work } = states;
  const { directory, env, scratch } = place;
  const index = { index: `${scratch}/index` };
  const before = (await plumbing(directory, ['write-tree'], env, index)).trim();
  const none = '0'.repeat(before.length);
  const line = (file: string, entry: Entry | undefined) =>
    entry === undefined ? `0 ${none}\t${file}\0` : `${entry.mode} ${entry.hash}\t${file}\0`;
  const large = await largeFiles(place, states, files);
  const isShown = (file: string) => !large.has(file) && !isSetUp(work.tree.get(file));
  const shown = files.filter(isShown).slice(0, SHOWN_FILES);
  const isPutBack = (file: string) => isSame(accepted.get(file), work.tree.get(file));
  // What git has not got yet.
  const found = shown.flatMap((file) => (isPutBack(file) ? [] : (work.changed.get(file) ?? [])));
  await hashFiles(place, found, ['-w']);
  const lines = shown.map((file) => line(file, (isPutBack(file) ? head : work.tree).get(file)));
  await plumbing(directory, ['update-index', '--replace', '-z', '--index-info'], env, {
    ...index,
    stdin: lines.join(''),
  });
  const after = (await plumbing(directory, ['write-tree'], env, index)).trim();
  // As text, whatever attributes say: a file that is called binary would not be shown.
  const show = [
    '--patch',
    '--text',
    '--no-ext-diff',
    '--no-textconv',
    '--no-renames',
    '--no-color',
  ];
  const output = await plumbing(directory, ['diff-tree', ...show, before, after, '--'], env);
  const left = files.length - shown.length;
  const unseen = left === 0 ? '' : `and ${left} more files, or larger ones\n`;
  return `${withoutControls(asText(output))}${unseen}`;
}

/** A repository within, of which more than the commit has changed. */
function isSetUp(entry: Entry | undefined): boolean {
  return entry?.mode === GITLINK && !/^[0-9a-f]+$/.test(entry.hash);
}

async function largeFiles(
  place: Place,
  { accepted, head, work }: States,
  files: readonly string[],
): Promise<ReadonlySet<string>> {
  const sizes = await Promise.all([accepted, head].map((tree) => sizesIn(place, tree, files)));
  return new Set(
    files.filter(
      (file, at) =>
        sizes.some((each) => (each[at] ?? 0) > SHOWN_FILE) ||
        (work.changed.has(file) && sizeOf(place, file) > SHOWN_FILE),
    ),
  );
}

async function sizesIn(
  { directory, env }: Place,
  tree: Tree,
  files: readonly string[],
): Promise<number[]> {
  const entries = files.map((file) => tree.get(file));
  const hashes = entries.flatMap((entry) => (entry && isFile(entry) ? [entry.hash] : []));
  const ask = ['cat-file', '--batch-check=%(objectsize)'];
  const stdin = hashes.map((hash) => `${hash}\n`).join('');
  const sizes = split(await plumbing(directory, ask, env, { stdin }), '\n').map(Number);
  return entries.map((entry) => (entry && isFile(entry) ? (sizes.shift() ?? 0) : 0));
}

function sizeOf({ directory }: Place, file: string): number {
  return Number(statsOf(bytes(directory, file))?.size ?? 0);
}

/** It goes into journals, prompts and terminals. */
function withoutControls(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(/[^\P{Cc}\t\n]/gu, '\uFFFD');
}
