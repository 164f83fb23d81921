import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { figure, ratioFigure, skipped } from '../src/figure.js';
import { interleave } from '../src/interleave.js';
import { programFile } from '../src/programs.js';
import { makeRepository } from '../src/repository.js';
import { timeProgram } from '../src/timing.js';
import { wrongWith } from '../src/verify.js';
import { startDevflow } from '../src/worker.js';
import { committer, onePhase } from '../src/workflows.js';

export const title = 'Many runs at once in one repository';

/** @type {import('../src/case.js').MeasureCase} */
export async function* measure(context) {
  const { world, library, quick, rounds } = context;
  const repository = makeRepository(world);
  const script = lockedScript(world, repository);
  const devflow = await startDevflow(world, library);

  for (const count of quick ? [8] : [20, 100]) {
    const inOneProcess = async (/** @type {number} */ round) => {
      const runs = Array.from({ length: count }, (_, number) => {
        const name = `run-${round}-${number}`;
        return { name, profile: committer(name) };
      });
      return devflow.ask({ workflow: onePhase(), cwd: repository.directory, runs });
    };
    yield* compare(`${count} runs in one process`, repository, script, inOneProcess, {
      count,
      rounds: rounds(10),
      atMost: 1.2,
    });
  }
  await devflow.close();

  const processes = quick ? 4 : 20;
  const inManyProcesses = async (/** @type {number} */ round) => {
    const start = performance.now();
    const replies = await Promise.all(
      Array.from({ length: processes }, async (_, number) => {
        const name = `run-${round}-${number}`;
        const runs = [{ name, profile: committer(name) }];
        const own = await startDevflow(world, library);
        const reply = await own.ask({ workflow: onePhase(), cwd: repository.directory, runs });
        await own.close();
        return reply;
      }),
    );
    return {
      ms: performance.now() - start,
      results: replies.flatMap(({ results }) => results),
    };
  };
  yield* compare(`${processes} processes, one run each`, repository, script, inManyProcesses, {
    count: processes,
    rounds: rounds(10),
  });
}

/**
 * @param {string} name
 * @param {import('../src/repository.js').Repository} repository
 * @param {((count: number) => Promise<number>) | undefined} script
 * @param {(round: number) => Promise<{ ms: number, results: readonly import('../programs/devflow.js').Result[] }>} start
 * @param {{ count: number, rounds: number, atMost?: number }} settings
 */
async function* compare(name, repository, script, start, { count, rounds, atMost }) {
  /** @type {string[]} */
  const wrong = [];
  let done = 0;
  const sides = {
    async devflow(/** @type {number} */ round) {
      const { ms, results } = await start(round);
      wrong.push(...results.flatMap((result) => wrongWith(repository, result) ?? []));
      done += results.length;
      repository.forgetRuns();
      return ms;
    },
    script: async () => (await script?.(count)) ?? Number.NaN,
  };
  const { devflow, script: theirs } = await interleave(sides, rounds);
  const detail =
    wrong.length === 0 ? 'each reported exactly its own commits' : wrong.slice(0, 3).join('; ');
  yield figure({
    name: `${name}: failures in ${done} runs`,
    value: wrong.length,
    unit: '',
    target: { atMost: 0 },
    detail,
  });
  if (script === undefined)
    yield skipped(`${name}, beside the script`, 'there is no flock program here');
  else
    yield ratioFigure(
      `${name}, beside the script under a lock`,
      { devflow, script: theirs },
      atMost,
    );
}

/**
 * The hand-written script, with flock around each change of the worktrees; the agents run at the same time.
 * @param {import('../src/world.js').World} world
 * @param {import('../src/repository.js').Repository} repository
 */
function lockedScript(world, repository) {
  try {
    execFileSync('flock', ['--version'], { env: world.env, stdio: 'ignore' });
  } catch {
    return undefined;
  }
  const worktrees = path.join(world.directory, 'worktrees');
  const lock = path.join(world.directory, 'worktrees.lock');
  return async (/** @type {number} */ count) => {
    mkdirSync(worktrees, { recursive: true });
    const agent = programFile('agent.sh');
    const args = [repository.directory, worktrees, 'run', agent, `${count}`, lock];
    const ms = await timeProgram(world, 'sh', [programFile('many-runs.sh'), ...args]);
    const failed = path.join(worktrees, 'failed');
    if (existsSync(failed))
      throw new Error(
        `the script's runs ${readFileSync(failed, 'utf8').split('\n').join(' ')}failed`,
      );
    repository.forgetRuns();
    rmSync(worktrees, { recursive: true });
    return ms;
  };
}
