import type { Entry, Place } from './look.js';
import { plumbing } from './plumbing.js';
import type { Tree } from './tree.js';

/** What is to stand at a path; undefined: nothing. */
export type Laid = readonly [file: string, entry: Entry | undefined];

/** Puts entries into the index of a scratch directory. @param hash any of the repository's: they are as long. @throws DevflowError SALVAGE_FAILED */
export async function lay(
  { directory, env, scratch }: Place,
  laid: readonly Laid[],
  hash: string,
): Promise<void> {
  if (laid.length === 0) return;
  const none = '0'.repeat(hash.length);
  const removals = laid.flatMap(([file, entry]) => (entry ? [] : [`0 ${none}\t${file}\0`]));
  const additions = laid.flatMap(([file, entry]) =>
    entry ? [`${entry.mode} ${entry.hash}\t${file}\0`] : [],
  );
  await plumbing(directory, ['update-index', '--replace', '-z', '--index-info'], env, {
    index: `${scratch}/index`,
    stdin: [...removals, ...additions].join(''),
  });
}

export function withLaid(tree: Tree, laid: readonly Laid[]): Tree {
  const entries = new Map(tree);
  for (const [file, entry] of laid)
    if (entry === undefined) entries.delete(file);
    else entries.set(file, entry);
  return entries;
}
