import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { ratioFigure, skipped } from '../src/figure.js';
import { interleave } from '../src/interleave.js';
import { programFile } from '../src/programs.js';
import { makeRepository } from '../src/repository.js';
import { timeProgram } from '../src/timing.js';
import { requireRight } from '../src/verify.js';
import { startDevflow, startWorker } from '../src/worker.js';
import { committer, onePhase } from '../src/workflows.js';

export const title = 'One run of one phase, its agent makes one commit';

/** @type {import('../src/case.js').MeasureCase} */
export async function* measure({ world, library, rounds }) {
  const repository = makeRepository(world);
  const worktrees = path.join(world.directory, 'worktrees');
  mkdirSync(worktrees);
  const devflow = await startDevflow(world, library);
  const sandcastle = await startSandcastle(world);
  for (const { keep, atMost } of [
    { keep: false, atMost: 1.3 },
    { keep: true, atMost: 1.5 },
  ]) {
    const word = keep ? 'kept' : 'removed';
    const agent = programFile('agent.sh');
    const workflow = onePhase({ keep: keep ? 'always' : 'unfinished' });
    const sides = {
      async devflow(/** @type {number} */ round) {
        const name = `devflow-${round}`;
        const order = {
          workflow,
          cwd: repository.directory,
          runs: [{ name, profile: committer(name) }],
        };
        const { ms, results } = await devflow.ask(order);
        requireRight(repository, results);
        repository.forgetRuns();
        return ms;
      },
      async script(/** @type {number} */ round) {
        const script = programFile('one-run.sh');
        const last = keep ? 'keep' : 'remove';
        const args = [script, repository.directory, worktrees, `script-${round}`, agent, last];
        const ms = await timeProgram(world, 'sh', args);
        repository.forgetRuns();
        return ms;
      },
      ...('ask' in sandcastle && {
        async sandcastle(/** @type {number} */ round) {
          const name = `sandcastle-${round}`;
          const reply = await sandcastle.ask({ cwd: repository.directory, name, agent, keep });
          if ('error' in reply) throw new Error(reply.error);
          if (reply.commits.length !== 1) throw new Error('sandcastle found no commit');
          repository.forgetRuns();
          return reply.ms;
        },
      }),
    };
    const taken = await interleave(
      /** @type {Record<string, (round: number) => Promise<number>>} */ (sides),
      rounds(20),
    );
    const { devflow: ours = [], script = [], sandcastle: other } = taken;
    yield ratioFigure(
      `devflow, beside the script, worktree ${word}`,
      { devflow: ours, script },
      atMost,
    );
    if (other === undefined || 'missing' in sandcastle) {
      yield skipped(
        `sandcastle, worktree ${word}`,
        'missing' in sandcastle ? sandcastle.missing : '',
      );
      continue;
    }
    yield ratioFigure(`sandcastle, beside the script, worktree ${word}`, {
      sandcastle: other,
      script,
    });
    yield ratioFigure(`devflow, beside sandcastle, worktree ${word}`, {
      devflow: ours,
      sandcastle: other,
    });
  }
  await devflow.close();
  if ('close' in sandcastle) await sandcastle.close();
}

/**
 * @param {import('../src/world.js').World} world
 * @returns {Promise<import('../src/worker.js').Worker<import('../programs/sandcastle.js').Order, import('../programs/sandcastle.js').Reply> | { missing: string }>}
 */
async function startSandcastle(world) {
  try {
    import.meta.resolve('@ai-hero/sandcastle');
  } catch {
    return { missing: 'it is not installed: npm --prefix bench ci' };
  }
  return startWorker(world, 'sandcastle.js');
}
