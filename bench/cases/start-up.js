import { existsSync } from 'node:fs';
import path from 'node:path';
import { ratioFigure, skipped } from '../src/figure.js';
import { FINISHED_RUNS, makeFinishedRuns } from '../src/finished-runs.js';
import { interleave } from '../src/interleave.js';
import { makeRepository } from '../src/repository.js';
import { timeProgram } from '../src/timing.js';

export const title = 'The start of the command line';

/** @type {import('../src/case.js').MeasureCase} */
export async function* measure({ world, library, root, quick, rounds }) {
  const program = path.join(root, 'packages/cli/bin/devflow.js');
  if (!existsSync(program)) {
    yield skipped(
      'devflow --help, devflow status',
      `${path.relative(root, program)} does not exist yet`,
    );
    return;
  }
  const repository = makeRepository(world);
  const count = quick ? 20 : FINISHED_RUNS;
  const id = await makeFinishedRuns(world, library, repository, count);
  const timeNode = (/** @type {string[]} */ ...args) =>
    timeProgram(world, process.execPath, args, { cwd: repository.directory });

  const help = await interleave(
    { help: () => timeNode(program, '--help'), node: () => timeNode('-e', '0') },
    rounds(30),
  );
  yield ratioFigure(
    'devflow --help, beside node -e 0',
    { 'devflow --help': help.help, node: help.node },
    1.6,
  );
  for (const { args, atMost } of [
    { args: ['status'], atMost: 3 },
    { args: ['status', id], atMost: 3 },
    { args: ['list'], atMost: undefined },
  ]) {
    const taken = await interleave(
      { ours: () => timeNode(program, ...args), node: () => timeNode('-e', '0') },
      rounds(20),
    );
    const words = ['devflow', args[0], ...(args.length > 1 ? ['<run>'] : [])].join(' ');
    const name = `${words}, ${count} finished runs, beside node -e 0`;
    yield ratioFigure(name, { [words]: taken.ours, node: taken.node }, atMost);
  }
}
