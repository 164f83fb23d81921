import type { Protection } from '../evidence/protection.js';
import type { Environment } from './git.js';
import { type Entry, GITLINK } from './look.js';
import { plumbing } from './plumbing.js';
import { changedAttributes } from './protected-attributes.js';
import { diffOf } from './protected-diff.js';
import { changedValues } from './protected-values.js';
import { type States, readWorkTree } from './protected-work.js';
import { inScratch } from './scratch.js';
import { type Tree, asText, differences, isFile, isSame, readTree } from './tree.js';

/** What was changed of what a phase may not change. */
export interface ProtectedChanges {
  /** As `test/a.js (deleted)`, `package.json#scripts.test` and `cases.txt (eol by .gitattributes)`. */
  readonly changed: readonly string[];
  /** For people and agents; not cut. */
  readonly diff: string;
}

export interface ProtectedPlace {
  readonly directory: string;
  /** A directory for what is needed meanwhile: made here, and removed. */
  readonly scratch: string;
  /** The commit that was accepted last. */
  readonly accepted: string;
  readonly head: string;
  /** Nothing that the agent left may make git run a program. */
  readonly confined: boolean;
}

/**
 * Compares what is protected in the commit that was accepted last with what is committed and with what is there.
 * Files are compared byte for byte with what a checkout of the accepted commit gives: no index, no attribute since and no
 * filter has a say in it. What `.gitattributes` say of them is compared too.
 * Of changed ones the content goes into the object store, under no name.
 * @throws DevflowError SALVAGE_FAILED where any of it cannot be compared
 */
export async function protectedChanges(
  { directory, scratch, accepted, head, confined }: ProtectedPlace,
  protection: Protection,
  env: Environment,
): Promise<ProtectedChanges> {
  return inScratch(directory, scratch, env, async (place) => {
    await plumbing(directory, ['read-tree', accepted], env, { index: `${place.scratch}/index` });
    const whole = await readTree(place, accepted);
    const now = await readTree(place, head);
    const states = {
      accepted: concernedBy(protection, whole),
      head: concernedBy(protection, now),
      work: await readWorkTree(place, whole, confined, (file, mode) =>
        concerns(protection, file, mode),
      ),
    };
    const files = changedFiles(states, protection);
    const values = await changedValues(place, states, protection);
    const compared = { accepted: whole, now, head, files: [...states.accepted.keys()] };
    const attributes = await changedAttributes(place, compared);
    return {
      changed: [
        ...files.map((file) => `${asText(file)} (${howChanged(states, file)})`),
        ...values.map(({ name }) => name),
        ...attributes.changed,
      ],
      diff: [
        await diffOf(place, states, files),
        ...values.map(({ diff }) => diff),
        attributes.diff,
      ].join(''),
    };
  });
}

/** Is a path protected, whole or in part? */
export function concerns(protection: Protection, file: string, mode: string): boolean {
  const name = asText(file);
  return protection.matches(name, mode) || protection.values.some(({ matches }) => matches(name));
}

function concernedBy(protection: Protection, tree: Tree): Tree {
  return new Map([...tree].filter(([file, { mode }]) => concerns(protection, file, mode)));
}

/** Of those that are protected whole. */
function changedFiles({ accepted, head, work }: States, protection: Protection): string[] {
  const changed = [...differences(accepted, head), ...differences(accepted, work.tree)];
  const isWhole = (file: string) =>
    [accepted, head, work.tree].some((tree) => {
      const entry = tree.get(file);
      return entry !== undefined && protection.matches(asText(file), entry.mode);
    });
  return [...new Set(changed)].filter(isWhole).toSorted();
}

function howChanged({ accepted, head, work }: States, file: string): string {
  const before = accepted.get(file);
  const now = work.tree.get(file);
  if (!isSame(before, now)) return inWords(before, now);
  // Of a repository within the commits have all that counts: it may not be set up.
  if (head.get(file)?.mode === GITLINK) return inWords(before, head.get(file));
  return `${inWords(before, head.get(file))} in the commits, put back without a commit`;
}

function inWords(before: Entry | undefined, now: Entry | undefined): string {
  if (before === undefined) return 'added';
  if (now === undefined) return 'deleted';
  if (now.mode === '120000' && before.mode !== now.mode) return 'replaced by a link';
  return isFile(before) && isFile(now) && before.hash === now.hash ? 'mode changed' : 'changed';
}
