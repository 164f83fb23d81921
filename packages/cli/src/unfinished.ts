import { DevflowError } from '@devflow/core/errors';
import { type RunStatus, currentRuns, listRuns } from '@devflow/core/status';

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

/** The run to go on with where none is named. @throws DevflowError RUN_AMBIGUOUS, RUN_NOT_FOUND, RUN_FINISHED */
export async function theRunToResume(place: Place): Promise<string> {
  const run = await theOne(place);
  if (run.state !== 'completed') return run.id;
  const runs = await listRuns(place);
  const older = runs.find(({ state }) => state === 'failed' || state === 'stopped');
  if (older === undefined) return run.id; // refused by the core
  // Which one is meant is not guessed: to go on with it may cost money.
  throw new DevflowError(
    'RUN_FINISHED',
    `the last run, ${run.id}, is completed; an earlier one, ${older.id}, is ${older.state}`,
    { hint: `Go on with that one: \`devflow resume ${older.id}\`; \`devflow list\` shows all.` },
  );
}

/** The run to look at where none is named: the one under way, or the last. */
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
