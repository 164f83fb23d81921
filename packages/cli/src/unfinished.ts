import { DevflowError } from '@devflow/core/errors';
import { type RunStatus, currentRuns, listRuns, recentRuns } from '@devflow/core/status';

type Place = Parameters<typeof currentRuns>[0];

/** The run to stop where none is named. @throws DevflowError RUN_AMBIGUOUS, RUN_NOT_FOUND */
export async function theUnfinishedRun(place: Place): Promise<string> {
  const run = theOne(await currentRuns(place));
  if (run.endedAt === undefined) return run.id;
  throw new DevflowError(
    'RUN_NOT_FOUND',
    `no run is unfinished; the last one, ${run.id}, is ${run.state}`,
  );
}

/** The run to go on with where none is named. @throws DevflowError RUN_AMBIGUOUS, RUN_NOT_FOUND, RUN_FINISHED */
export async function theRunToResume(place: Place): Promise<string> {
  const run = theOne(await currentRuns(place));
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

/** The run that is answered where none is named. @throws DevflowError RUN_AMBIGUOUS, GATE_NOT_OPEN */
export async function theRunAtAGate(place: Place): Promise<string> {
  const runs = await currentRuns(place);
  const [run, ...others] = runs.filter(({ gate }) => gate !== undefined);
  if (run === undefined) {
    const due = runs.filter(({ state }) => state === 'due').map(({ id }) => id);
    const next =
      due.length === 0
        ? '`devflow list` shows the runs; `devflow stop <run>` ends one.'
        : `${due.join(', ')} waits no longer: \`devflow resume --due\` goes on.`;
    throw new DevflowError('GATE_NOT_OPEN', 'no run here waits for an answer', { hint: next });
  }
  if (others.length === 0) return run.id;
  throw new DevflowError('RUN_AMBIGUOUS', `${others.length + 1} runs wait for an answer`, {
    problems: [run, ...others].map(({ id, reason }) => `${id}: ${reason}`),
    hint: 'Name the run; `devflow gates` shows what is asked.',
  });
}

/** What is looked at where no run is named. */
export interface LookedAt {
  /** Those under way; where there is none, the one that was touched last. */
  readonly runs: readonly RunStatus[];
  /** The others that have not ended. */
  readonly others: readonly RunStatus[];
}

export async function runsToLookAt(place: Place): Promise<LookedAt> {
  const { unfinished, lastEnded } = await recentRuns(place);
  const underWay = unfinished.filter(
    ({ heldBy, agentLives }) => heldBy !== undefined || agentLives,
  );
  const all = lastEnded === undefined ? unfinished : [...unfinished, lastEnded];
  const runs = underWay.length > 0 ? underWay : latest(all);
  return { runs, others: unfinished.filter((run) => !runs.includes(run)) };
}

/** The run to look at where none is named, and the others that have not ended. @throws DevflowError RUN_AMBIGUOUS, RUN_NOT_FOUND */
export async function theRunToLookAt(place: Place) {
  const { runs, others } = await runsToLookAt(place);
  return { id: theOne(runs).id, others };
}

function latest(runs: readonly RunStatus[]): readonly RunStatus[] {
  const touched = ({ lastRecordAt }: RunStatus) => lastRecordAt ?? '';
  return runs.toSorted((a, b) => touched(b).localeCompare(touched(a))).slice(0, 1);
}

function theOne([run, ...others]: readonly RunStatus[]): RunStatus {
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

/** So many are named. */
const NAMED_RUNS = 5;

/** The runs that have not ended and are not shown, in one line; nothing where there is none. */
export function othersLine(others: readonly RunStatus[]): string {
  if (others.length === 0) return '';
  const named = others.slice(0, NAMED_RUNS).map(({ id, state }) => `${id} (${state})`);
  const more = others.length > NAMED_RUNS ? ` and ${others.length - NAMED_RUNS} more` : '';
  return `also unfinished: ${named.join(', ')}${more}`;
}
