import { rmSync } from 'node:fs';
import path from 'node:path';
import type { ProcessFacts } from '../judge/observation.js';
import { effect } from '../process/effect.js';
import { reachedTimeLimit } from '../process/wrapper.js';
import { readIfThere, writeDurably } from '../state/files.js';

type EndedBy = NonNullable<ProcessFacts['endedBy']>;

const MARKS: ReadonlySet<string> = new Set<EndedBy>([
  'idle',
  'output',
  'limit',
  'finished',
  'budget',
]);

const markOf = (directory: string) => path.join(directory, 'ended-by');

/** Says why an attempt is being ended, before it is: a devflow that takes it up sees a status that says nothing. */
export function markEndedBy(directory: string, endedBy: EndedBy): void {
  effect('attempt.mark-ended', () => writeDurably(markOf(directory), endedBy));
}

/** It lives all the same, and may have gone on: whether it is to be ended is looked at anew. */
export function forgetEndedBy(directory: string): void {
  const mark = markOf(directory);
  if (readIfThere(mark) === undefined) return;
  effect('attempt.unmark-ended', () => rmSync(mark, { force: true }));
}

/** Why an attempt was ended, by what is on the disk; undefined where it ended by itself. */
export function readEndedBy(directory: string): EndedBy | undefined {
  const mark = readIfThere(markOf(directory));
  if (mark !== undefined && MARKS.has(mark)) return mark as EndedBy;
  return reachedTimeLimit(directory) ? 'time' : undefined;
}
