import { readdirSync } from 'node:fs';
import path from 'node:path';
import { tryGit } from './git.js';
import {
  type Entry,
  type Found,
  GITLINK,
  type Place,
  bytes,
  failed,
  find,
  statsOf,
} from './look.js';
import { STATUS } from './status.js';
import { plumbing } from './plumbing.js';
import { changedFiles, hashFiles } from './snapshot.js';
import { type Tree, asText, isFile } from './tree.js';
import { filesBeside } from './untracked.js';

/** What is there in a worktree. */
export interface WorkTree {
  /** A file that is as a checkout of the commit gives it has the commit's entry. */
  readonly tree: Tree;
  /** The other ones. */
  readonly changed: ReadonlyMap<string, Found>;
}

/** What is protected, whole or in part, in three states of it. */
export interface States {
  readonly accepted: Tree;
  readonly head: Tree;
  readonly work: WorkTree;
}

/**
 * What a worktree has at the paths that count, beside a commit.
 * @param place with an index of that commit
 * @throws DevflowError SALVAGE_FAILED
 */
export async function readWorkTree(
  place: Place,
  commit: Tree,
  confined: boolean,
  counts: (file: string, mode: string) => boolean,
): Promise<WorkTree> {
  const tracked = new Map([...commit].filter(([file, { mode }]) => counts(file, mode)));
  const repositories = [...tracked].filter(([, { mode }]) => mode === GITLINK);
  const files = [...tracked.keys()].filter((file) => tracked.get(file)?.mode !== GITLINK);
  const beside = (await filesBeside(place, commit)).filter(
    (file) => !tracked.has(file) && mayCount(place, file, counts),
  );
  const { there } = find(place, [...files, ...beside]);
  const keeps = await keepsModes(place);
  const found = there.map((each) => (keeps ? each : withModeOf(tracked.get(each.file), each)));
  const differing = await changedFiles(place, { there: found, tracked });
  const hashes = await hashFiles(place, differing);
  const changed = new Map(differing.map((each) => [each.file, each]));
  const entries: [string, Entry][] = [
    ...found.flatMap(({ file }): [string, Entry][] => {
      const entry = tracked.get(file);
      return entry === undefined || changed.has(file) ? [] : [[file, entry]];
    }),
    ...differing.map(({ file, mode }, at): [string, Entry] => [
      file,
      { mode, hash: hashes[at] ?? '' },
    ]),
  ];
  for (const [file, entry] of repositories) {
    const now = await repositoryAt(place, file, entry, confined);
    if (now !== undefined) entries.push([file, now]);
  }
  return { tree: new Map(entries), changed };
}

/** By what it is now: `find` refuses what is neither a file nor a link, which is asked only of what counts. */
function mayCount(
  { directory }: Place,
  file: string,
  counts: (file: string, mode: string) => boolean,
): boolean {
  const isLink = statsOf(bytes(directory, file))?.isSymbolicLink() === true;
  return counts(file, isLink ? '120000' : '100644');
}

/** Does the file system keep the executable bit? */
async function keepsModes({ directory, env }: Place): Promise<boolean> {
  const ask = ['config', '--type=bool', '--get', 'core.fileMode'];
  const said = await plumbing(directory, ask, env, { alsoStatus: 1 });
  return said.trim() !== 'false';
}

function withModeOf(entry: Entry | undefined, found: Found): Found {
  const both = entry !== undefined && isFile(entry) && isFile(found);
  return both ? { ...found, mode: entry.mode } : found;
}

/** A submodule: as the commit has it where it is not set up, or stands at its commit and nothing in it has changed. */
async function repositoryAt(
  { directory, env }: Place,
  file: string,
  entry: Entry,
  confined: boolean,
): Promise<Entry | undefined> {
  const stats = statsOf(bytes(directory, file));
  if (stats === undefined) return entry; // an empty place was removed
  if (!stats.isDirectory()) return undefined;
  const names = readdirSync(bytes(directory, file));
  if (names.length === 0) return entry;
  if (!names.includes('.git')) return { mode: GITLINK, hash: 'other files' };
  const name = asText(file);
  if (confined) throw failed(`what is in the repository within, ${name}, is not looked at`);
  const inside = path.join(directory, name);
  const head = await tryGit(inside, ['rev-parse', '--verify', 'HEAD'], env);
  const status = await tryGit(inside, STATUS, env);
  if (head.status !== 0 || status.status !== 0) throw failed(`git in ${name}: ${status.stderr}`);
  return { mode: GITLINK, hash: status.stdout === '' ? head.stdout.trim() : 'changed files' };
}
