import path from 'node:path';
import { existsSync } from 'node:fs';
import { type Environment, tryGit } from './git.js';

/**
 * Repositories within whose commit is new since a commit, and is in no remote of theirs: of such a one the branch has
 * the number of a commit and nothing else, and whoever checks it out finds an empty directory.
 *
 * @returns undefined where git could not say what is new
 */
export async function commitsOnlyWithin(
  directory: string,
  since: string,
  env: Environment,
): Promise<string[] | undefined> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', since, 'HEAD'];
  const diff = await tryGit(directory, args, env);
  if (diff.status !== 0) return undefined;
  const isOnlyHere = await Promise.all(
    newLinks(diff.stdout).map(async ({ file, commit }) =>
      (await isInRemote(path.join(directory, file), commit, env)) ? [] : [file],
    ),
  );
  return isOnlyHere.flat();
}

/** `:<mode> <mode> <hash> <hash> <letter>`, then the path. */
function newLinks(output: string): { file: string; commit: string }[] {
  const fields = output.split('\0');
  return fields.flatMap((field, index) => {
    const [, commit] = /^:\d+ 160000 [0-9a-f]+ ([0-9a-f]+) /.exec(field) ?? [];
    const file = fields[index + 1];
    return commit === undefined || file === undefined ? [] : [{ file, commit }];
  });
}

async function isInRemote(place: string, commit: string, env: Environment): Promise<boolean> {
  if (!existsSync(path.join(place, '.git'))) return false; // git would ask the repository around it
  const args = ['for-each-ref', '--count=1', `--contains=${commit}`, 'refs/remotes'];
  const { status, stdout } = await tryGit(place, args, env);
  return status === 0 && stdout !== '';
}
