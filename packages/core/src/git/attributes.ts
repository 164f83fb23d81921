import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Place, bytes, statsOf } from './look.js';
import { plumbing } from './plumbing.js';
import type { Tree } from './tree.js';

/** Attributes by which a file of a checkout is not what is committed. */
const CONVERTING = ['text', 'eol', 'crlf', 'ident', 'working-tree-encoding', 'filter'];

/** What is said of a file, by each attribute that converts: `set`, `unset`, `unspecified`, or a value. */
export type Attributes = Readonly<Record<string, string>>;

/** By paths as bytes. */
export type AttributesOf = ReadonlyMap<string, Attributes>;

/** What the `.gitattributes` files of an index say of files. @throws DevflowError SALVAGE_FAILED */
export function attributesIn(
  place: Place,
  index: string,
  files: readonly string[],
): Promise<AttributesOf> {
  return ask(place, ['--cached'], files, index);
}

/** What those say that are there, committed or not. @throws DevflowError SALVAGE_FAILED */
export function attributesThere(place: Place, files: readonly string[]): Promise<AttributesOf> {
  return ask(place, [], files);
}

async function ask(
  { directory, env }: Place,
  how: readonly string[],
  files: readonly string[],
  index?: string,
): Promise<AttributesOf> {
  const args = ['check-attr', ...how, '-z', '--stdin', ...CONVERTING];
  const stdin = files.map((file) => `${file}\0`).join('');
  const options = { stdin, ...(index !== undefined && { index }) };
  const fields = (await plumbing(directory, args, env, options)).split('\0');
  const said = new Map<string, Record<string, string>>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [file = '', name = '', value = ''] = fields.slice(at, at + 3);
    said.set(file, { ...said.get(file), [name]: value });
  }
  return said;
}

/** Attributes of which another thing is said, or of what is not asked anything. */
export function otherAttributes(before: Attributes = {}, now: Attributes = {}): string[] {
  return CONVERTING.filter((name) => before[name] !== now[name]);
}

/** Do two commits say the same of attributes, as far as these are within them? */
export function haveSameAttributes(one: Tree, other: Tree): boolean {
  const said = (tree: Tree) =>
    [...tree]
      .filter(([file]) => isAttributes(file))
      .map(([file, { mode, hash }]) => `${mode} ${hash} ${file}`);
  return said(one).join('\0') === said(other).join('\0');
}

/** Is any `.gitattributes` file above files of a worktree not as in a commit, whatever git is told to ignore? */
export function hasOtherAttributes(
  { directory }: Place,
  commit: Tree,
  files: readonly string[],
): boolean {
  const directories = new Set<string>(['.']);
  for (const file of files)
    for (let at = path.dirname(file); !directories.has(at); at = path.dirname(at))
      directories.add(at);
  return [...directories].some((at) => {
    const name = path.join(at, '.gitattributes');
    const full = bytes(directory, name);
    const stats = statsOf(full);
    if (stats === undefined) return false; // git goes by the index then
    const hash = commit.get(name)?.hash;
    return !stats.isFile() || hash === undefined || hash !== blobHash(readFileSync(full), hash);
  });
}

/** As git names a file's content. */
function blobHash(content: Buffer, like: string): string {
  const hash = createHash(like.length === 40 ? 'sha1' : 'sha256');
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex');
}

/** Lines at the end of `.gitattributes` files that say of files what is to be said: by the file's directory. */
export function linesFor(
  wanted: readonly (readonly [file: string, attributes: Attributes])[],
): ReadonlyMap<string, string> {
  const lines = new Map<string, string>();
  for (const [file, attributes] of wanted) {
    const name = path.join(path.dirname(file), '.gitattributes');
    const words = CONVERTING.map((attribute) => word(attribute, attributes[attribute]));
    const line = `${quoted(`/${path.basename(file)}`)} ${words.join(' ')}\n`;
    lines.set(name, `${lines.get(name) ?? ''}${line}`);
  }
  return lines;
}

function word(name: string, value = 'unspecified'): string {
  if (value === 'unspecified') return `!${name}`;
  if (value === 'unset') return `-${name}`;
  return value === 'set' ? name : `${name}=${value}`;
}

/** A pattern that matches one name, in quotes as git reads them. */
function quoted(name: string): string {
  const pattern = name.replaceAll(/[*?[\\]/g, String.raw`\$&`);
  return `"${pattern.replaceAll(/[^ !#-[\]-~]/g, (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`)}"`;
}

function isAttributes(file: string): boolean {
  return path.basename(file) === '.gitattributes';
}
