import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** The files that an attempt leaves. */
export interface AttemptFiles {
  readonly phase: number;
  readonly name: string;
  readonly attempt: number;
  readonly directory: string;
  readonly stdout: string;
  readonly stderr: string;
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
        stderr: path.join(directory, 'stderr.log'),
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

/** Whether its agent prints text for people rather than events; undefined where its command is not written yet. */
export function printsPlainText({ directory }: AttemptFiles): boolean | undefined {
  try {
    const file = path.join(directory, 'command.json');
    if (!statSync(file).isFile()) return undefined; // an agent may have put a pipe there
    const command = readFileSync(file, 'utf8');
    return (JSON.parse(command) as { plainText?: boolean }).plainText === true; // written by devflow
  } catch {
    return undefined;
  }
}

/** The wrapper writes the exit status, whether a devflow lives or not. */
export function hasExited({ directory }: AttemptFiles): boolean {
  return existsSync(path.join(directory, 'exit'));
}
