import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { cut } from '../adapter/index.js';
import type { Agent } from '../agents.js';
import type { RunContext } from '../context.js';
import { durationBetween, momentNow } from '../duration.js';
import { forgetEndedBy, markEndedBy, readEndedBy } from './ended-by.js';
import { secretValues } from '../environment.js';
import type { AgentFacts } from '../judge/observation.js';
import type { ProcessFacts } from '../judge/observation.js';
import type { Launched } from '../launch.js';
import { NO_ACTIVITY, childrenOfAgent, watchChildren } from '../process/activity.js';
import { effect } from '../process/effect.js';
import { isAlive } from '../process/identity.js';
import { NoRegularFile } from '../process/own-file.js';
import { readTail } from '../process/read-tail.js';
import { type ProcessTree, endTree, findTree, processTree, sharedTable } from '../process/tree.js';
import { type Wake, wakeOnChanges } from '../process/wake.js';
import { exitTime, readClaim, readExit } from '../process/wrapper.js';
import { redactor } from './redact.js';
import { endUnwatched, requireBegun, whyUnwatched } from './unwatched.js';
import { watchOutput } from './watch-output.js';
import { watchedClock } from './watched-clock.js';
import { formatDuration } from '../workflow/units.js';
import type { Phase } from '../workflow/workflow.js';

/** What was seen of an attempt from its launch to its end. */
export interface Observed {
  readonly process: ProcessFacts;
  readonly agent: AgentFacts;
  /** Its processes, for the sweep. */
  readonly tree: ProcessTree;
  /** From its start to its end, as far as that is known. */
  readonly durationMs: number;
}

/** How often to look where no change was noticed: after a KILL of the wrapper there is none. */
const LOOK_MS = 250;
/** How long a wrapper may take to go once it has written the status. */
const WRAPPER_END_MS = 300;
/** How often to note which processes belong to the attempt. */
const SCAN_MS = 1_000;
/** And at first, when a process may leave its group and its parents before it was seen. */
const EARLY_MS = 3_000;
const EARLY_SCAN_MS = 100;
/** Between TERM and KILL of an attempt that devflow ends. */
const END_GRACE_MS = 5_000;

/** Follows an attempt until it ends, or until it is ended: by a stop, by silence, by too much output, by a budget, or because it does not exit. */
export async function observe(
  context: RunContext,
  phase: Phase,
  agent: Agent,
  launched: Launched,
): Promise<Observed> {
  const { token, cgroup } = launched.attempt;
  const tree = processTree(launched.process, token, cgroup);
  if (launched.failure !== undefined) return neverStarted(tree, launched);
  if (launched.damage !== undefined) return unseen(tree, launched);
  const open: (() => void)[] = [];
  const closeAll = () => {
    for (const close of open.splice(0)) close();
  };
  try {
    return await watchToEnd(context, phase, agent, launched, tree, open);
  } catch (error) {
    closeAll(); // the handles that this gives back may be those that are missing
    await endUnwatched(tree, launched, error);
    if (!(error instanceof NoRegularFile)) throw error;
    context.emit({ type: 'note', text: `${error.message}: what the attempt said is not known` });
    return unseen(tree, launched);
  } finally {
    closeAll();
  }
}

async function watchToEnd(
  context: RunContext,
  phase: Phase,
  agent: Agent,
  launched: Launched,
  tree: ProcessTree,
  open: (() => void)[],
): Promise<Observed> {
  const { attempt, exited } = launched;
  const spare = openSync('/dev/null', 'r'); // given back where there is none left: ending the agent needs one
  open.push(() => closeSync(spare));
  const now = watchedClock((gapMs) => {
    const gap = formatDuration(gapMs);
    context.emit({
      type: 'note',
      text: `nobody watched for ${gap}: that does not count as silence`,
    });
  });
  const output = watchOutput(context, phase, agent, launched, now, open);
  const wake = wakeOnChanges([attempt.directory]);
  open.push(() => wake.close());
  const onStop = () => wake.now();
  context.stop.addEventListener('abort', onStop);
  void exited?.then(() => wake.now());
  let endedBy: ProcessFacts['endedBy'];
  open.push(() => context.stop.removeEventListener('abort', onStop));
  await follow();
  const status = readExit(attempt.directory);
  if (status === undefined) await requireBegun(launched, tree);
  if (status !== undefined) await wrapperGone(tree, exited);
  endedBy ??= readEndedBy(attempt.directory);
  const fault = whyUnwatched(attempt.directory, status);
  if (fault !== undefined) endedBy ??= 'fault';
  const durationMs = durationOf(launched);
  const agentFacts = output.finish(endedBy);
  const detail = endedBy === 'budget' ? output.overBudget() : undefined;
  return {
    process: {
      end: status === undefined ? 'lost' : 'exited',
      ...(status !== undefined && { status }),
      ...(endedBy !== undefined && { endedBy }),
      ...(status !== 0 && lastWords(attempt.directory, secretsOf(context, agent))),
      ...(fault !== undefined && { detail: fault }),
      ...(detail !== undefined && { detail }),
    },
    agent: agentFacts,
    tree,
    durationMs,
  };

  async function follow(): Promise<void> {
    const start = performance.now();
    let lastScan = start;
    let gone = false;
    const look = watchChildren(now);
    let activity = NO_ACTIVITY;
    if (readExit(attempt.directory) === undefined && leaderLives(tree, attempt.directory))
      forgetEndedBy(attempt.directory);
    for (;;) {
      const more = output.read();
      context.log.assertInPlace(); // what comes of the agent would be written nowhere
      if (readExit(attempt.directory) !== undefined) return;
      // The status is written before the wrapper goes: only the second look without it counts.
      if (gone) return;
      gone = !leaderLives(tree, attempt.directory);
      if (gone) continue;
      endedBy = context.stop.aborted ? 'stop' : output.limit(activity);
      if (endedBy !== undefined) {
        if (endedBy !== 'stop') markEndedBy(attempt.directory, endedBy);
        return endAndWait(tree, attempt.directory, wake);
      }
      if (
        performance.now() - lastScan >
        (performance.now() - start < EARLY_MS ? EARLY_SCAN_MS : SCAN_MS)
      ) {
        const members = findTree(tree, sharedTable());
        activity = look(childrenOfAgent(members, tree.leader?.pid));
        lastScan = performance.now();
      }
      if (more) await new Promise(setImmediate);
      else await wake.wait(LOOK_MS);
    }
  }
}

/** Another wrapper may hold the claim: one that a devflow started just before it died. */
function leaderLives(tree: { leader: ProcessTree['leader'] }, directory: string): boolean {
  if (tree.leader !== undefined && isAlive(tree.leader)) return true;
  const claim = readClaim(directory);
  if (claim === undefined || claim === 'lost' || !isAlive(claim)) return false;
  tree.leader = claim;
  return true;
}

/** Ends the attempt but for its wrapper, which has the status to write. */
async function endAndWait(tree: ProcessTree, directory: string, wake: Wake): Promise<void> {
  const spare = tree.leader?.pid;
  await effect('attempt.end', () =>
    endTree(tree, { graceMs: END_GRACE_MS, ...(spare !== undefined && { spare }) }),
  );
  const start = performance.now();
  while (readExit(directory) === undefined && performance.now() - start < 2_000)
    await wake.wait(25);
}

/** Once the status is written the wrapper ends its clock and goes, in a moment: what remains after that is not its own. */
async function wrapperGone(tree: ProcessTree, exited: Promise<void> | undefined): Promise<void> {
  const start = performance.now();
  await Promise.race([exited, delay(exited === undefined ? 0 : WRAPPER_END_MS)]);
  while (tree.leader !== undefined && isAlive(tree.leader)) {
    if (performance.now() - start > WRAPPER_END_MS) return;
    await delay(2);
  }
}

/** The last line of what it wrote to its standard error: mostly why it failed. */
function lastWords(directory: string, secrets: readonly string[]): { detail?: string } {
  const lines = readTail(path.join(directory, 'stderr.log'), 2_000).split('\n');
  const last = lines.findLast((line) => line.trim() !== '')?.trim();
  return last === undefined ? {} : { detail: redactor(secrets)(cut(last, 300)) };
}

function secretsOf({ env }: RunContext, { adapter, profile }: Agent): string[] {
  return secretValues(env, adapter, profile);
}

function durationOf({ attempt: { directory, startedAt }, begun }: Launched): number {
  const endedAt = exitTime(directory) ?? Date.now(); // seen later, where nobody watched
  const watched = begun === undefined ? undefined : { from: begun, to: momentNow() };
  return durationBetween(Date.parse(startedAt), endedAt, watched);
}

/** What it said is lost, and with it how it ended. */
function unseen(tree: ProcessTree, launched: Launched): Observed {
  return {
    process: { end: 'lost' },
    agent: { result: { turn: 'open' }, completionSignal: false },
    tree,
    durationMs: durationOf(launched),
  };
}

function neverStarted(tree: ProcessTree, launched: Launched): Observed {
  return {
    process: {
      end: 'not-started',
      ...(launched.failure !== undefined && { detail: launched.failure }),
    },
    agent: { result: { turn: 'open' }, completionSignal: false },
    tree,
    durationMs: durationOf(launched),
  };
}
