import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Environment, tryGit } from './git.js';
import type { MeasureOptions } from './measure.js';

/**
 * Repositories within whose commit is new since a commit, and is in no remote of theirs: of such a one the branch has
 * the number of a commit and nothing else, and whoever checks it out finds an empty directory. What the base branch
 * has as well was taken from there. In a confined agent's repositories git is not asked: none of them is believed.
 *
 * @returns undefined where git could not say what is new
 */
export async function commitsOnlyWithin(
  directory: string,
  since: string,
  env: Environment,
  { base, confined = false }: MeasureOptions,
): Promise<string[] | undefined> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', since, 'HEAD'];
  const diff = await tryGit(directory, args, env);
  if (diff.status !== 0) return undefined;
  const isOnlyHere = await Promise.all(
    newLinks(diff.stdout).map(async (link) => {
      if (base !== undefined && (await isOnBase(directory, base, link, env))) return [];
      if (confined) return [link.file];
      return onlyHereAt(directory, link, env);
    }),
  );
  return isOnlyHere.flat();
}

interface Link {
  readonly file: string;
  readonly commit: string;
}

/** `:<mode> <mode> <hash> <hash> <letter>`, then the path. */
function newLinks(output: string): Link[] {
  const fields = output.split('\0');
  return fields.flatMap((field, index) => {
    const [, commit] = /^:\d+ 160000 [0-9a-f]+ ([0-9a-f]+) /.exec(field) ?? [];
    const file = fields[index + 1];
    return commit === undefined || file === undefined ? [] : [{ file, commit }];
  });
}

/** Has the base branch, or that of a remote, the same commit there? */
async function isOnBase(
  directory: string,
  base: string,
  { file, commit }: Link,
  env: Environment,
): Promise<boolean> {
  const names = [`refs/heads/${base}`, `refs/remotes/*/${base}`];
  const refs = await tryGit(directory, ['for-each-ref', '--format=%(refname)', ...names], env);
  const each = refs.stdout.split('\n').filter((ref) => ref !== '');
  const found = await Promise.all(
    each.map((ref) =>
      tryGit(directory, ['rev-parse', '--verify', '--quiet', `${ref}:${file}`], env),
    ),
  );
  return found.some(({ stdout }) => stdout.trim() === commit);
}

/** Of one that a remote has, those within it that are there: the others nobody can have committed here. */
async function onlyHereAt(
  directory: string,
  { file, commit }: Link,
  env: Environment,
): Promise<string[]> {
  const place = path.join(directory, file);
  if (!(await isInRemote(place, commit, env))) return [file];
  const listed = await tryGit(place, ['ls-tree', '-r', '-z', commit], env);
  if (listed.status !== 0) return [file];
  const within = await Promise.all(
    linksIn(listed.stdout)
      .filter((link) => isThere(path.join(place, link.file)))
      .map((link) => onlyHereAt(place, link, env)),
  );
  return within.flat().map((name) => path.join(file, name));
}

/** `<mode> <kind> <hash>`, a tab, then the path. */
function linksIn(output: string): Link[] {
  return output.split('\0').flatMap((entry) => {
    const [, commit, file] = /^160000 commit ([0-9a-f]+)\t([^]+)$/.exec(entry) ?? [];
    return commit === undefined || file === undefined ? [] : [{ file, commit }];
  });
}

async function isInRemote(place: string, commit: string, env: Environment): Promise<boolean> {
  if (!isThere(place)) return false; // git would ask the repository around it
  const args = ['for-each-ref', '--count=1', `--contains=${commit}`, 'refs/remotes'];
  const { status, stdout } = await tryGit(place, args, env);
  return status === 0 && stdout !== '';
}

function isThere(place: string): boolean {
  return existsSync(path.join(place, '.git'));
}
