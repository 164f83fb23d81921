import { isSameValue, jsonValue, withValue } from '../evidence/json-value.js';
import type { Protection } from '../evidence/protection.js';
import type { Environment } from './git.js';
import { type Laid, lay, withLaid } from './lay.js';
import { type Entry, type Place, failed } from './look.js';
import { layAttributes } from './overlay-attributes.js';
import { plumbing } from './plumbing.js';
import { concerns } from './protected.js';
import { commitTree } from './salvage.js';
import { inScratch } from './scratch.js';
import { type Tree, asText, isSame, readTree, textOf } from './tree.js';

export interface Overlay {
  readonly directory: string;
  /** A directory for what is needed meanwhile: made here, and removed. */
  readonly scratch: string;
  readonly head: string;
  /** The commit that has what is protected as it is to be. */
  readonly from: string;
}

/**
 * A commit on HEAD in which what is protected is as another commit has it: what was deleted is there again, what
 * was added is not, and a checkout converts it as there. No ref names it.
 * @returns HEAD itself where nothing differs
 * @throws DevflowError SALVAGE_FAILED where it cannot be made
 */
export async function overlayCommit(
  { directory, scratch, head, from }: Overlay,
  protection: Protection,
  env: Environment,
): Promise<string> {
  return inScratch(directory, scratch, env, async (place) => {
    const [ours, theirs] = [await readTree(place, head), await readTree(place, from)];
    const laid = [
      ...wholeFiles(ours, theirs, protection),
      ...(await filesWithValues(place, ours, theirs, protection)),
    ];
    const index = { index: `${place.scratch}/index` };
    await plumbing(directory, ['read-tree', head], env, index);
    await lay(place, laid, head);
    const files = [...theirs].flatMap(([file, { mode }]) =>
      concerns(protection, file, mode) ? [file] : [],
    );
    const attributes = await layAttributes(place, withLaid(ours, laid), theirs, { from, files });
    if (laid.length === 0 && attributes.length === 0) return head;
    const tree = (await plumbing(directory, ['write-tree'], env, index)).trim();
    const message = `devflow: what is protected, as in ${from}\n`;
    return commitTree(directory, { tree, parents: [head], message }, env);
  });
}

function wholeFiles(ours: Tree, theirs: Tree, protection: Protection): Laid[] {
  return [...new Set([...ours.keys(), ...theirs.keys()])].flatMap((file): Laid[] => {
    const [our, their] = [ours.get(file), theirs.get(file)];
    const isProtected = [our, their].some(
      (entry) => entry !== undefined && protection.matches(asText(file), entry.mode),
    );
    return isProtected && !isSame(our, their) ? [[file, their]] : [];
  });
}

async function filesWithValues(
  place: Place,
  ours: Tree,
  theirs: Tree,
  protection: Protection,
): Promise<Laid[]> {
  const laid: Laid[] = [];
  for (const file of new Set([...ours.keys(), ...theirs.keys()])) {
    const [our, their] = [ours.get(file), theirs.get(file)];
    const values = protection.values.filter(({ matches }) => matches(asText(file)));
    if (values.length === 0 || isSame(our, their)) continue;
    const laidOver = our === undefined ? their : await putBack(place, file, our, their, values);
    if (!isSame(our, laidOver)) laid.push([file, laidOver]);
  }
  return laid;
}

async function putBack(
  place: Place,
  file: string,
  our: Entry,
  their: Entry | undefined,
  values: Protection['values'],
): Promise<Entry> {
  const before = await textOf(place, their);
  let text = await textOf(place, our);
  for (const { keys } of values) {
    const value = jsonValue(before, keys);
    if (text === undefined || isSameValue(value, jsonValue(text, keys))) continue;
    text = withValue(text, keys, value);
  }
  if (text === undefined)
    throw failed(
      `no value can be put back in ${asText(file)}: it is no readable JSON, or was none`,
    );
  if (text === (await textOf(place, our))) return our;
  const write = ['hash-object', '-w', '--stdin', '--no-filters'];
  const stdin = Buffer.from(text).toString('latin1');
  const hash = (await plumbing(place.directory, write, place.env, { stdin })).trim();
  return { mode: our.mode, hash };
}
