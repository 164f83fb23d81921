import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** The files that an attempt leaves. */
export interface AttemptFiles {
  readonly phase: number;
  readonly name: string;
  readonly attempt: number;
  readonly directory: string;
  readonly stdout: string;
  readonly events: string;
}

/** The attempts of a run, in the order in which they began: `01-plan/1`, `02-code/1`, … */
export function findAttempts(runDirectory: string): AttemptFiles[] {
  const found = readdirSync(runDirectory).flatMap((phaseDirectory) => {
    const [, phase, name] = /^(\d+)-(.+)$/.exec(phaseDirectory) ?? [];
    if (phase === undefined || name === undefined) return [];
    return readdirSync(path.join(runDirectory, phaseDirectory)).map((attempt) => {
      const directory = path.join(runDirectory, phaseDirectory, attempt);
      return {
        phase: Number(phase),
        name,
        attempt: Number(attempt),
        directory,
        stdout: path.join(directory, 'stdout.log'),
        events: path.join(directory, 'events.jsonl'),
        began: statSync(path.join(directory, 'prompt.md'), { throwIfNoEntry: false })?.mtimeMs,
      };
    });
  });
  return found
    .flatMap(({ began, ...files }) => (began === undefined ? [] : [{ began, files }]))
    .toSorted((a, b) => a.began - b.began)
    .map(({ files }) => files);
}
