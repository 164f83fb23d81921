import { isSameValue, jsonValue, shown } from '../evidence/json-value.js';
import type { ProtectedValue, Protection } from '../evidence/protection.js';
import { readBytesIfThere } from '../state/files.js';
import type { Place } from './look.js';
import type { States } from './protected-work.js';
import { asText, isFile, textOf } from './tree.js';

interface ChangedValue {
  /** `package.json#scripts.test` */
  readonly name: string;
  readonly diff: string;
}

/** Protected values that are not what they were, in the commits or in the worktree. */
export async function changedValues(
  place: Place,
  states: States,
  protection: Protection,
): Promise<ChangedValue[]> {
  const { accepted, head, work } = states;
  const files = new Set([...accepted.keys(), ...head.keys(), ...work.tree.keys()]);
  const changed: ChangedValue[] = [];
  for (const file of [...files].toSorted()) {
    const named = protection.values.filter(({ matches }) => matches(asText(file)));
    if (named.length === 0) continue;
    const texts = await readTexts(place, states, file);
    changed.push(...named.flatMap((value) => changedValue(texts, file, value)));
  }
  return changed;
}

interface Texts {
  readonly accepted: string | undefined;
  readonly head: string | undefined;
  readonly work: string | undefined;
}

async function readTexts(place: Place, states: States, file: string): Promise<Texts> {
  const { accepted, head, work } = states;
  const there = work.changed.get(file);
  const isChangedFile = there !== undefined && isFile(there);
  const read = () => readBytesIfThere(`${place.directory}/${asText(file)}`)?.toString('utf8') ?? '';
  return {
    accepted: await textOf(place, accepted.get(file)),
    head: await textOf(place, head.get(file)),
    work: isChangedFile ? read() : await textOf(place, work.tree.get(file)),
  };
}

function changedValue(
  { accepted, head, work }: Texts,
  file: string,
  { keys, name }: ProtectedValue,
): ChangedValue[] {
  if (accepted === head && accepted === work) return []; // also where nobody can read it
  const before = jsonValue(accepted, keys);
  const now = [work, head].map((text) => jsonValue(text, keys));
  const other = now.find((value) => !isSameValue(before, value));
  if (other === undefined) return [];
  const whole = `${asText(file)}#${name}`;
  return [{ name: whole, diff: `${whole}\n-${shown(before)}\n+${shown(other)}\n` }];
}
