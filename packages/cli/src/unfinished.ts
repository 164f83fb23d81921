import { DevflowError } from '@devflow/core/errors';
import { type RunStatus, currentRuns } from '@devflow/core/status';

type Place = Parameters<typeof currentRuns>[0];

/** The run to stop where none is named. @throws DevflowError RUN_AMBIGUOUS, RUN_NOT_FOUND */
export async function theUnfinishedRun(place: Place): Promise<string> {
  const run = await theOne(place);
  if (run.endedAt === undefined) return run.id;
  throw new DevflowError(
    'RUN_NOT_FOUND',
    `no run is unfinished; the last one, ${run.id}, is ${run.state}`,
  );
}

/** The run to look at, or to go on with, where none is named: the one under way, or the last. */
export async function theCurrentRun(place: Place): Promise<string> {
  return (await theOne(place)).id;
}

async function theOne(place: Place): Promise<RunStatus> {
  const [run, ...others] = await currentRuns(place);
  if (run === undefined) {
    throw new DevflowError('RUN_NOT_FOUND', 'there is no run here yet', {
      hint: 'Start one: `devflow run "…"`.',
    });
  }
  if (others.length > 0) throw ambiguous([run, ...others]);
  return run;
}

function ambiguous(runs: readonly RunStatus[]): DevflowError {
  return new DevflowError('RUN_AMBIGUOUS', `${runs.length} runs are unfinished`, {
    problems: runs.map(({ id, state }) => `${id} (${state})`),
  });
}
