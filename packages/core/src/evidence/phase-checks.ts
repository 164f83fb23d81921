import path from 'node:path';
import { runChecks } from './checks.js';
import { beginChecks, leftSince } from './left-by-checks.js';
import type { RunContext } from '../context.js';
import { DevflowError } from '../errors.js';
import { type ChangedPaths, changedTracked } from '../git/measure.js';
import { overlayCommit } from '../git/overlay.js';
import { isWorktreeOf } from '../git/worktree.js';
import { effect } from '../process/effect.js';
import { protection } from './protection.js';
import type { Attempt, Visit } from '../state/fold.js';
import { acceptedCommit, currentHead } from '../state/selectors.js';
import { attemptDirectory } from '../state/paths.js';
import type { CheckResult, Left } from '../state/records.js';
import type { Phase } from '../workflow/workflow.js';
import { checkoutOfChecks, discardReviews, runWorktree } from '../workspace.js';

/** Checks were run, or could not be: then nobody knows whether they would pass. */
export interface Checked {
  readonly checks: readonly CheckResult[];
  readonly notRun?: string;
  /** Committed files that they changed where they ran; undefined where that does not matter. */
  readonly changed?: ChangedPaths;
  /** What they left in the run's worktree, untracked. */
  readonly left?: Left;
}

/**
 * Runs the checks that are to be run before the first attempt of a visit, once. Nothing follows from how they went:
 * it is told beside how they go after each attempt.
 * @param number of the attempt that comes next
 * @returns false where a stop cut them off
 */
export async function checkBefore(
  context: RunContext,
  phase: Phase,
  visit: Visit,
  number: number,
): Promise<boolean> {
  const checks = phase.checks.filter(({ before }) => before === true);
  if (checks.length === 0 || visit.attempts.length > 0 || visit.checksBefore !== undefined)
    return true;
  const attempts = path.dirname(attemptDirectory(context.paths, phase, number));
  const directory = path.join(attempts, `before-${number}`);
  const run = { checks, attempt: number, directory, before: true } as const;
  const {
    checks: results,
    notRun,
    left,
  } = await onCheckout(context, phase, number, directory, (cwd) =>
    runChecks(context, phase, { ...run, cwd }),
  );
  if (context.stop.aborted) return false;
  if (notRun !== undefined)
    context.emit({
      type: 'note',
      text: `the checks were not run before phase ${phase.id}: ${notRun}`,
    });
  context.log.append({
    type: 'checks-before',
    phase: phase.id,
    checks: results,
    ...(left && { left }),
  });
  return true;
}

/** Runs the checks of an attempt: each result says how that check went before the visit's first one. */
export async function checkAttempt(
  context: RunContext,
  phase: Phase,
  { attempt, directory }: Attempt,
): Promise<Checked> {
  const { checks } = phase;
  const checked = await onCheckout(context, phase, attempt, directory, (cwd) =>
    runChecks(context, phase, { checks, attempt, cwd, directory }),
  );
  const before = context.log.state.visits.at(-1)?.checksBefore ?? [];
  const { changed, ...rest } = checked;
  const counts = changed !== undefined && mustStay(phase);
  return {
    ...rest,
    ...(counts && { changed }),
    checks: withBefore(phase, checked.checks, before),
  };
}

/** Are the checks of what is committed, so that they say nothing once committed files have changed? */
function mustStay({ mode, requires }: Phase): boolean {
  return mode === 'review' || requires.includes('clean');
}

/** Checks have no id: those that are run before too are known by their order. */
function withBefore(
  { checks }: Phase,
  results: readonly CheckResult[],
  before: readonly CheckResult[],
): CheckResult[] {
  const earlier = [...before];
  return results.map((result, index) => {
    const was = checks[index]?.before === true ? earlier.shift() : undefined;
    return was === undefined ? result : { ...result, before: was.passed ? 'passed' : 'failed' };
  });
}

/** Of a review too, what the run has is checked: its own checkout may hold what it changed there. */
async function onCheckout(
  context: RunContext,
  phase: Phase,
  attempt: number,
  directory: string,
  run: (cwd: string) => Promise<CheckResult[]>,
): Promise<Checked> {
  const inside = async (cwd: string): Promise<Checked> => {
    const before = await committedChanges(context, cwd);
    const checks = await run(cwd);
    return { checks, changed: newIn(await committedChanges(context, cwd), before) };
  };
  if (phase.checkFrom === 'worktree') return inWorktree(context, phase, inside);
  try {
    const commit = await overlaid(context, phase, directory);
    const checkout = await checkoutOfChecks(context, phase, attempt, commit);
    if ('cwd' in checkout) return await inside(checkout.cwd);
    return { checks: [], notRun: checkout.problems.map(({ message }) => message).join('; ') };
  } catch (error) {
    if (!(error instanceof DevflowError)) throw error;
    return { checks: [], notRun: error.message };
  } finally {
    await discardReviews(context, 'checks');
  }
}

/** There they leave something for those who work after them. */
async function inWorktree(
  context: RunContext,
  phase: Phase,
  run: (cwd: string) => Promise<Checked>,
): Promise<Checked> {
  const others = await beginChecks(context, phase.id);
  const checked = await run(runWorktree(context));
  const left = await leftSince(context, others);
  return { ...checked, ...(left && { left }) };
}

/** Untracked and ignored files are what checks may write. */
async function committedChanges(
  { repository, env, sandbox }: RunContext,
  directory: string,
): Promise<ChangedPaths> {
  if (!isWorktreeOf(repository, directory))
    return { unknown: `${directory} is gone, or is no worktree of this repository any more` };
  return changedTracked(directory, env, { confined: sandbox.confinedBy !== 'nobody' });
}

function newIn(after: ChangedPaths, before: ChangedPaths): ChangedPaths {
  if ('unknown' in before) return before;
  return 'unknown' in after ? after : after.filter((name) => !before.includes(name));
}

/** The result, with what is protected as in the commit that the phase names. */
function overlaid(context: RunContext, phase: Phase, directory: string): Promise<string> {
  const { definition, log, env } = context;
  const base = definition.base.commit;
  const overlay = {
    directory: runWorktree(context),
    scratch: path.join(directory, 'overlay'),
    head: resultOf(context),
    from: phase.checkFrom === 'base' ? base : acceptedCommit(log.state, base),
  };
  return effect('checks.overlay', () => overlayCommit(overlay, protection(phase.protect), env));
}

/** What was measured of an attempt just now; before the first one, what the journal says. */
function resultOf({ measured, log, definition }: RunContext): string {
  return measured.facts?.head ?? currentHead(log.state, definition.base.commit);
}
