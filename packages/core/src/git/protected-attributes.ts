import {
  type Attributes,
  attributesIn,
  attributesThere,
  hasOtherAttributes,
  haveSameAttributes,
  otherAttributes,
} from './attributes.js';
import type { Place } from './look.js';
import { plumbing } from './plumbing.js';
import { type Tree, asText, isFile } from './tree.js';

/** How many files a diff names. */
const SHOWN_FILES = 20;

export interface ChangedAttributes {
  /** As `cases.txt (eol by .gitattributes)`. */
  readonly changed: readonly string[];
  readonly diff: string;
}

interface Compared {
  /** All of the commit that was accepted last. */
  readonly accepted: Tree;
  /** All of the commit that is there. */
  readonly now: Tree;
  readonly head: string;
  /** Paths of the accepted commit, of what is protected. */
  readonly files: readonly string[];
}

/**
 * Protected files of which `.gitattributes` say otherwise how they are converted, committed or not: in a checkout they
 * would be others. Nothing is asked where no such file has changed.
 * @param place with an index of the accepted commit
 */
export async function changedAttributes(
  place: Place,
  { accepted, now, head, files: concerned }: Compared,
): Promise<ChangedAttributes> {
  const files = concerned.filter((file) => isFile(accepted.get(file) ?? { mode: '' }));
  const committed = !haveSameAttributes(accepted, now);
  if (files.length === 0 || (!committed && !hasOtherAttributes(place, accepted, files)))
    return { changed: [], diff: '' };
  const { directory, env, scratch } = place;
  const index = `${scratch}/head`;
  await plumbing(directory, ['read-tree', head], env, { index });
  const before = await attributesIn(place, `${scratch}/index`, files);
  const later = [await attributesIn(place, index, files), await attributesThere(place, files)];
  const differing = files.flatMap((file) => {
    const other = later.find(
      (said) => otherAttributes(before.get(file), said.get(file)).length > 0,
    );
    return other === undefined ? [] : [{ file, was: before.get(file), is: other.get(file) }];
  });
  const left = differing.length - SHOWN_FILES;
  return {
    changed: differing.map(({ file, was, is }) => {
      return `${asText(file)} (${otherAttributes(was, is).join(', ')} by .gitattributes)`;
    }),
    diff: [
      ...differing.slice(0, SHOWN_FILES).map(diffOf),
      left > 0 ? `and the attributes of ${left} more files\n` : '',
    ].join(''),
  };
}

interface Differing {
  readonly file: string;
  readonly was: Attributes | undefined;
  readonly is: Attributes | undefined;
}

function diffOf({ file, was, is }: Differing): string {
  const lines = otherAttributes(was, is).map(
    (name) => `-${name}: ${asText(was?.[name] ?? '')}\n+${name}: ${asText(is?.[name] ?? '')}\n`,
  );
  return `${asText(file)} by .gitattributes\n${lines.join('')}`;
}
