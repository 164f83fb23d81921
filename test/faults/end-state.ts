import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { processesOf } from '../../packages/cli/test/command-line.js';
import { strayFiles } from '../../scripts/stray-files.js';
import type { Place } from './devflow.js';

/** What a run has come to, without what may differ: times, hashes, who did it. */
export interface EndState {
  readonly ended: string;
  /** Each step that was recorded, in its order: once. */
  readonly steps: readonly string[];
  /** Each launch, as the agents themselves noted it outside devflow's state. */
  readonly launches: readonly string[];
  /** What persons were told, as the channels noted it: each once, since a crash may tell it twice. */
  readonly told: readonly string[];
  readonly commits: readonly string[];
  /** The files of the branch, with their content's hash. */
  readonly files: readonly string[];
  /** Names of the worktrees that are kept. */
  readonly worktrees: readonly string[];
  /** The files of all that was saved before it was removed, with their content's hash: each once. */
  readonly saved: readonly string[];
  /** What is there that should not be: processes, locks, half-written files, changes in the checkout. */
  readonly leftovers: readonly string[];
}

interface Line {
  readonly type: string;
  readonly phase?: number;
  readonly attempt?: number;
  readonly outcome?: string;
  readonly state?: string;
}

const STEPS = new Set([
  'condition-held',
  'phase-skipped',
  'phase-entered',
  'attempt-intended',
  'attempt-ended',
  'worktree-removed',
]);

export async function endState(place: Place): Promise<EndState> {
  const journal = linesOf(path.join(place.run, 'journal.jsonl')).map(
    (line) => JSON.parse(line) as Line,
  );
  const branch = 'devflow/test/work';
  const exists = (await place.git('branch', '--list', branch)) !== '';
  return {
    ended: journal.findLast(({ type }) => type === 'run-ended')?.state ?? 'not ended',
    steps: journal.filter(({ type }) => STEPS.has(type)).map(stepOf),
    launches: linesOf(path.join(place.directory, 'launches')),
    told: [...new Set(linesOf(path.join(place.directory, 'told')))].toSorted(),
    commits: exists ? (await place.git('log', '--reverse', '--format=%s', branch)).split('\n') : [],
    files: exists ? await filesOf(place, branch) : [],
    worktrees: await worktrees(place),
    saved: await savedFiles(place),
    leftovers: await leftovers(place),
  };
}

/** Without configuration and adapters, which name a directory of their own in each place. */
async function filesOf({ git }: Place, branch: string): Promise<string[]> {
  const all = (await git('ls-tree', '-r', branch)).split('\n');
  return all.filter((line) => !/\t(?:devflow\.config\.json$|\.devflow\/)/.test(line));
}

async function savedFiles(place: Place): Promise<string[]> {
  const refs = await place.git('for-each-ref', '--format=%(refname)', 'refs/devflow/salvage');
  const names = refs.split('\n').filter((name) => name !== '');
  const files = await Promise.all(names.map((name) => filesOf(place, name)));
  return [...new Set(files.flat())].toSorted((a, b) => a.localeCompare(b));
}

function stepOf({ type, phase, attempt, outcome }: Line): string {
  return [type, phase, attempt, outcome].filter((part) => part !== undefined).join(' ');
}

function linesOf(file: string): string[] {
  const text = existsSync(file) ? readFileSync(file, 'utf8').trimEnd() : '';
  return text === '' ? [] : text.split('\n');
}

async function worktrees({ git, root }: Place): Promise<string[]> {
  const lines = (await git('worktree', 'list', '--porcelain')).split('\n');
  return lines
    .filter((line) => line.startsWith('worktree ') && line !== `worktree ${root}`)
    .map((line) => path.basename(line));
}

async function leftovers({ home, root, git }: Place): Promise<string[]> {
  // What was ended just now may take a moment to be gone.
  for (const start = performance.now(); performance.now() - start < 3_000; await delay(20))
    if (processesOf(home).length === 0) break;
  const processes = processesOf(home).map((pid) => `process ${pid}`);
  const changes = (await git('status', '--porcelain')).split('\n').filter((line) => line !== '');
  return [...processes, ...changes, ...strayFiles(path.join(root, '.git', 'devflow'))];
}
