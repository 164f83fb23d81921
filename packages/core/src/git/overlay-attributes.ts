import { attributesIn, haveSameAttributes, linesFor, otherAttributes } from './attributes.js';
import { type Laid, lay } from './lay.js';
import type { Place } from './look.js';
import { plumbing } from './plumbing.js';
import { type Tree, isFile } from './tree.js';

/**
 * Has files of an index converted as in another commit: where `.gitattributes` say otherwise, by lines at their ends.
 * @param place with that index, which is changed
 * @param result what is in it
 * @param theirs what is in that commit
 * @returns what was laid over
 * @throws DevflowError SALVAGE_FAILED
 */
export async function layAttributes(
  place: Place,
  result: Tree,
  theirs: Tree,
  { from, files: concerned }: { readonly from: string; readonly files: readonly string[] },
): Promise<readonly Laid[]> {
  const files = concerned.filter((file) => {
    const [our, their] = [result.get(file), theirs.get(file)];
    return our !== undefined && their !== undefined && isFile(our) && isFile(their);
  });
  if (files.length === 0 || haveSameAttributes(result, theirs)) return [];
  const { directory, env, scratch } = place;
  await plumbing(directory, ['read-tree', from], env, { index: `${scratch}/from` });
  const wanted = await attributesIn(place, `${scratch}/from`, files);
  const said = await attributesIn(place, `${scratch}/index`, files);
  const differing = [...wanted].filter(
    ([file, attributes]) => otherAttributes(attributes, said.get(file)).length > 0,
  );
  const laid: Laid[] = [];
  for (const [file, lines] of linesFor(differing))
    laid.push([file, await appended(place, result, file, lines)]);
  await lay(place, laid, from);
  return laid;
}

async function appended({ directory, env }: Place, result: Tree, file: string, lines: string) {
  const entry = result.get(file);
  const isThere = entry !== undefined && isFile(entry);
  const before = isThere ? await plumbing(directory, ['cat-file', 'blob', entry.hash], env) : '';
  const write = ['hash-object', '-w', '--stdin', '--no-filters'];
  const stdin = `${before}\n${lines}`;
  return {
    mode: isThere ? entry.mode : '100644',
    hash: (await plumbing(directory, write, env, { stdin })).trim(),
  };
}
