import { setTimeout as delay } from 'node:timers/promises';
import { DevflowError } from '@devflow/core/errors';
import { type RunStatus, resultOf, status } from '@devflow/core/status';
import { openKeptEvents } from '../attach/run-events.js';
import { EXIT, type ExitCode, exitCodeOf } from '../exit-codes.js';
import { leaveBySignal } from '../leave-by-signal.js';
import { placeOf } from '../place.js';
import { type ReporterFlags, chooseReporter } from '../reporters/choose.js';
import type { Reporter } from '../reporters/reporter.js';
import type { Terminal } from '../terminal.js';
import { theRunToLookAt } from '../unfinished.js';

export interface AttachFlags extends ReporterFlags {
  readonly cwd?: string;
}

/** How often to look for more, and how often for the end: that reads the whole journal. */
const LOOK_MS = 100;
const LOOKS_A_STATUS = 5;

/**
 * Shows a run that another devflow holds as that one would, to its report. Only looks: the run does not notice.
 *
 * @throws DevflowError RUN_INTERRUPTED where nobody holds it any more and it neither ended nor waits
 */
export async function attach(
  named: string | undefined,
  flags: AttachFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const place = placeOf(flags);
  const runId = named ?? (await theRunToLookAt(place)).id;
  const look = () => status(runId, place);
  const first = await look(); // refused before anything is drawn
  const reporter = await chooseReporter(flags, terminal);
  const left = leaveBySignal();
  try {
    const hasLeft = () => left.signal.aborted || terminal.closed;
    const last = await watchRun(first, look, reporter, hasLeft);
    if (last === undefined) {
      await reporter.close();
      terminal.err(`\nthe run ${runId} goes on; \`devflow stop ${runId}\` ends it\n`);
      return EXIT.interrupted;
    }
    const result = await resultOf(runId, place);
    if (result === undefined) throw interrupted(last);
    await reporter.finish(result);
    return exitCodeOf(result);
  } catch (error) {
    await reporter.close();
    throw error;
  } finally {
    left.close();
  }
}

/** @returns the run as it is once nobody holds it; undefined where whoever watches has left */
async function watchRun(
  first: RunStatus,
  look: () => Promise<RunStatus>,
  reporter: Reporter,
  hasLeft: () => boolean,
): Promise<RunStatus | undefined> {
  const events = openKeptEvents(first.directory);
  const show = (event: Parameters<Reporter['event']>[0]) => reporter.event(event);
  if (events.replay(show) === 0)
    reporter.say('what this run does is not kept: only its end can be shown');
  for (let looks = 1; !hasLeft(); looks += 1) {
    const seen = looks % LOOKS_A_STATUS === 1 ? await look() : undefined;
    events.read(show); // after the look: what came until then is there
    if (seen !== undefined && (seen.heldBy === undefined || seen.endedAt !== undefined)) {
      if (looks === 1 && seen.endedAt === undefined) reporter.say(nobodyWorks(seen));
      return seen;
    }
    await delay(LOOK_MS);
  }
  return undefined;
}

function nobodyWorks({ id, state }: RunStatus): string {
  return `the run ${id} is ${state}: no devflow works at it`;
}

function interrupted({ id, agentLives, lastWords }: RunStatus): DevflowError {
  const agent = agentLives ? 'its agent works on, watched by nobody' : 'no agent works at it';
  return new DevflowError(
    'RUN_INTERRUPTED',
    `the run "${id}" is interrupted: its devflow is gone; ${agent}`,
    { problems: lastWords === undefined ? [] : [`the last that it said: ${lastWords}`] },
  );
}
