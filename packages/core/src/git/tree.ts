import { type Entry, type Place, split } from './look.js';
import { plumbing } from './plumbing.js';

/** Paths of a commit as bytes, one character each. */
export type Tree = ReadonlyMap<string, Entry>;

/** All that a commit has. @throws DevflowError SALVAGE_FAILED */
export async function readTree({ directory, env }: Place, commit: string): Promise<Tree> {
  const listed = await plumbing(directory, ['ls-tree', '-r', '-z', '--full-tree', commit], env);
  return new Map(
    split(listed).map((each) => {
      const [facts = '', file = ''] = each.split(/\t(.*)/s);
      const [mode = '', , hash = ''] = facts.split(' ');
      return [file, { mode, hash }];
    }),
  );
}

/** The content of a file of a commit, as text. Of a link, or a repository within, words that are its own. @returns undefined where there is none */
export async function textOf(
  { directory, env }: Place,
  entry: Entry | undefined,
): Promise<string | undefined> {
  if (entry === undefined) return undefined;
  if (!isFile(entry)) return `no file: ${entry.hash}`;
  const output = await plumbing(directory, ['cat-file', 'blob', entry.hash], env);
  return Buffer.from(output, 'latin1').toString('utf8');
}

export function isFile({ mode }: Pick<Entry, 'mode'>): boolean {
  return mode.startsWith('100');
}

/** A path for people and patterns. */
export function asText(file: string): string {
  return Buffer.from(file, 'latin1').toString('utf8');
}

/** Paths of which one tree has something else than the other, or nothing. */
export function differences(one: Tree, other: Tree): string[] {
  const paths = [...new Set([...one.keys(), ...other.keys()])];
  return paths.filter((file) => !isSame(one.get(file), other.get(file)));
}

export function isSame(one: Entry | undefined, other: Entry | undefined): boolean {
  return one?.hash === other?.hash && one?.mode === other?.mode;
}
