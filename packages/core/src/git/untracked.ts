import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { type Place, bytes, split } from './look.js';
import { plumbing } from './plumbing.js';
import { checkOutTo } from './snapshot.js';
import type { Tree } from './tree.js';

/**
 * Files of a worktree that a commit does not have and does not ignore: staged, committed since, or neither. What the
 * `.gitignore` files say by now counts for nothing: whoever made the files may have written those too.
 * @param place with an index of that commit
 * @returns paths as bytes; of what is in repositories within, too
 * @throws DevflowError SALVAGE_FAILED
 */
export async function filesBeside(place: Place, commit: Tree): Promise<string[]> {
  const index = { index: path.join(place.scratch, 'index') };
  const others = ['ls-files', '--others', '--directory', '--no-empty-directory', '-z'];
  const listed = split(await plumbing(place.directory, others, place.env, index));
  const isIgnored = await ignoredBy(place, commit);
  const visible = await isIgnored(listed);
  const walked = visible.flatMap((name) =>
    name.endsWith('/') ? filesIn(place.directory, name.slice(0, -1)) : [name],
  );
  return visible.some((name) => name.endsWith('/')) ? isIgnored(walked) : walked;
}

/** @returns what leaves out of paths those that the commit ignores */
async function ignoredBy(
  place: Place,
  commit: Tree,
): Promise<(paths: readonly string[]) => Promise<string[]>> {
  const { gitDir, env, scratch } = place;
  const root = path.join(scratch, 'ignoring');
  mkdirSync(root);
  const names = [...commit.keys()].filter((name) => /(?:^|\/)\.gitignore$/.test(name));
  if (names.length > 0) await checkOutTo(place, `${root}/`, names);
  return async (paths) => {
    if (paths.length === 0) return [];
    const output = await plumbing(root, ['check-ignore', '--no-index', '-z', '--stdin'], env, {
      stdin: paths.map((each) => `${each}\0`).join(''),
      variables: { GIT_DIR: gitDir, GIT_WORK_TREE: root },
      alsoStatus: 1, // none is ignored
    });
    const ignored = new Set(split(output));
    return paths.filter((each) => !ignored.has(each));
  };
}

/** All files below a directory, but for the metadata of repositories; no link is followed. */
function filesIn(directory: string, name: string): string[] {
  return readdirSync(bytes(directory, name), { withFileTypes: true, encoding: 'buffer' }).flatMap(
    (entry) => {
      const below = `${name}/${entry.name.toString('latin1')}`;
      if (!entry.isDirectory()) return [below];
      return below.endsWith('/.git') ? [] : filesIn(directory, below);
    },
  );
}
