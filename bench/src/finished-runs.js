import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { requireRight } from './verify.js';
import { startDevflow } from './worker.js';
import { committer, onePhase } from './workflows.js';

export const FINISHED_RUNS = 1_000;

/**
 * One real run, and copies of all it left, each under its own id.
 * @param {import('./world.js').World} world
 * @param {string} library
 * @param {import('./repository.js').Repository} repository
 * @param {number} count
 * @returns {Promise<string>} the id of the last
 */
export async function makeFinishedRuns(world, library, repository, count) {
  const devflow = await startDevflow(world, library);
  const first = 'run-original';
  const runs = [{ name: first, profile: committer(first) }];
  const { results } = await devflow.ask({ workflow: onePhase(), cwd: repository.directory, runs });
  await devflow.close();
  requireRight(repository, results);
  const directory = path.dirname(results[0]?.directory ?? '');
  let id = first;
  for (let number = 1; number < count; number += 1) {
    id = `run-${String(number).padStart(8, '0')}`; // as long as the first
    const copy = path.join(directory, id);
    cpSync(path.join(directory, first), copy, { recursive: true });
    for (const name of ['run.json', 'journal.jsonl']) {
      const file = path.join(copy, name);
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll(first, id));
    }
    rmSync(path.join(copy, 'lock'), { force: true });
  }
  return id;
}
