import { cpSync, existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { AgentAdapter, Problem } from './adapter/index.js';
import { howItEnded, runOperatorCommand } from './evidence/checks.js';
import type { RunContext } from './context.js';
import { convertsOtherwise, hiddenSince } from './evidence/converted.js';
import { tryGit } from './git/git.js';
import { type GitFacts, measureWorktree, unmeasured } from './git/measure.js';
import { STATUS, parseStatus } from './git/status.js';
import { lockReason } from './git/only-here.js';
import {
  addWorktree,
  isOwnReview,
  isWorktreeOf,
  lostWith,
  removeCleanWorktree,
  removeWorktree,
  repairWorktree,
  worktreeEntries,
} from './git/worktree.js';
import { effect } from './process/effect.js';
import { currentHead } from './state/selectors.js';
import type { Phase } from './workflow/workflow.js';

/** Makes the run's worktree and fills it, where that is not done. @returns what stands in the way; the worktree stays for a look */
export async function prepareWorktree(context: RunContext): Promise<readonly Problem[]> {
  const { definition, repository, env, log, emit } = context;
  const stage = log.state.worktree?.stage;
  if (stage === 'ready') return [];
  const { branch, base, worktrees, id } = definition;
  const directory = path.join(worktrees, id);
  const worktree = { directory, branch, commit: base.commit, reason: lockReason(id) };
  emit({ type: 'worktree-adding', directory });
  const add = stage === undefined ? addWorktree : repairWorktree;
  if (stage === undefined) log.append({ type: 'worktree-adding', directory });
  const stopped = await unlessStopped(context, add(repository, worktree, env, context.stop));
  const problems = stopped ?? (await fill(context, directory));
  if (problems.length > 0) return problems;
  log.append({ type: 'worktree-ready', directory });
  emit({ type: 'worktree-ready', directory });
  return [];
}

/** Where the agent of an attempt works: the run's worktree, or for a review a disposable one at the same commit. */
export async function checkoutFor(
  context: RunContext,
  phase: Phase,
  attempt: number,
  { reviewHides: hides = [] }: Pick<AgentAdapter, 'reviewHides'>,
): Promise<Checkout> {
  const { definition, log } = context;
  if (phase.mode === 'work') return { cwd: runWorktree(context) };
  const name = reviewName(definition.id, phase.id, attempt);
  const commit = currentHead(log.state, definition.base.commit);
  const checkout = await disposableAt(context, name, commit);
  if ('cwd' in checkout) hideIn(checkout.cwd, hides);
  return checkout;
}

type Checkout = { readonly cwd: string } | { readonly problems: readonly Problem[] };

/** Where checks run that are not to see the run's own worktree: a disposable one at a commit. */
export function checkoutOfChecks(
  context: RunContext,
  phase: Phase,
  attempt: number,
  commit: string,
): Promise<Checkout> {
  const name = `${reviewName(context.definition.id, phase.id, attempt)}${OF_CHECKS}`;
  return disposableAt(context, name, commit);
}

async function disposableAt(context: RunContext, name: string, commit: string): Promise<Checkout> {
  const { definition, repository, env } = context;
  const directory = path.join(definition.worktrees, name);
  // Of an attempt that was never launched; what somebody else has there is not ours to remove.
  if (isOwnReview(repository, directory, definition.id))
    await removeWorktree(repository, directory, env);
  else if (existsSync(directory)) return { problems: [placeTaken(directory)] };
  const worktree = { directory, commit, reason: lockReason(definition.id, true) };
  const stopped = await unlessStopped(
    context,
    addWorktree(repository, worktree, env, context.stop),
  );
  const problems = stopped ?? (await fill(context, directory));
  if (problems.length === 0) return { cwd: directory };
  await removeWorktree(repository, directory, env);
  return { problems };
}

function hideIn(directory: string, names: readonly string[]): void {
  for (const name of names) {
    const file = path.join(directory, name);
    effect('worktree.hide', () => rmSync(file, { recursive: true, force: true }));
  }
}

/** A checkout can take long. One that a stop cut off is no fault: that is told as what stands in the way. */
async function unlessStopped(
  { stop }: RunContext,
  added: Promise<void>,
): Promise<Problem[] | undefined> {
  try {
    await added;
    return undefined;
  } catch (error) {
    if (!stop.aborted) throw error;
    const hint = '`devflow resume` makes it anew.';
    return [{ code: 'STOPPED', message: 'stopped while a worktree was made', hint }];
  }
}

function placeTaken(directory: string): Problem {
  return {
    code: 'REVIEW_PLACE_TAKEN',
    message: `${directory} is there already, and devflow did not make it, or its mark is gone`,
    hint: 'If it is yours, move it elsewhere (`git worktree move`); else remove it.',
  };
}

/** Nothing of a review's checkout is kept. @param of the checkouts of checks only */
export async function discardReviews(context: RunContext, of?: 'checks'): Promise<void> {
  const { repository, definition, env, emit } = context;
  for (const directory of reviewsLeft(context)) {
    if (of === 'checks' && !directory.endsWith(OF_CHECKS)) continue; // that one may be in use
    const why = isOwnReview(repository, directory, definition.id)
      ? await removeWorktree(repository, directory, env)
      : "it has not devflow's mark";
    if (why === undefined) continue;
    emit({ type: 'note', text: `the checkout ${directory} is still there: ${why}` });
  }
}

/** Checkouts of the run's reviews, by their place and name: those that are there, and those of which only git's entry is. */
function reviewsLeft({ definition, repository }: RunContext): string[] {
  const { worktrees, id } = definition;
  const there = existsSync(worktrees) ? readdirSync(worktrees) : [];
  const names = new Set([...there, ...worktreeEntries(repository)]);
  return [...names]
    .filter((name) => isReviewOf(id, name))
    .map((name) => path.join(worktrees, name))
    .filter((directory) => existsSync(directory) || isOwnReview(repository, directory, id));
}

/** Removes the worktree of a completed run, unless something in it is not committed. */
export async function releaseWorktree(context: RunContext): Promise<void> {
  const { definition, log, emit } = context;
  const { directory, stage } = log.state.worktree ?? {};
  if (directory === undefined || definition.workflow.worktree.keep === 'always') return;
  const refusal =
    convertsOtherwise(context) ??
    lostWith(context.repository, directory) ??
    (stage === 'removing' && (await isHalfRemoved(context, directory))
      ? await removeWorktree(context.repository, directory, context.env)
      : await removeIfSafe(context, directory));
  if (refusal !== undefined) {
    emit({ type: 'note', text: `the worktree ${directory} is kept: ${refusal}` });
    return;
  }
  log.append({ type: 'worktree-removed', directory });
  emit({ type: 'worktree-removed', directory });
}

async function removeIfSafe(context: RunContext, directory: string): Promise<string | undefined> {
  const { repository, env, log } = context;
  if (!isWorktreeOf(repository, directory)) return 'it is no worktree of this repository any more';
  const hidden = await whatIsHidden(context);
  if (hidden !== undefined) return hidden;
  log.append({ type: 'worktree-removing', directory });
  return removeCleanWorktree(repository, directory, env);
}

/** Did a crash cut its removal off? Then committed files are missing, and nothing else has changed. */
async function isHalfRemoved({ env, repository }: RunContext, directory: string): Promise<boolean> {
  if (!existsSync(directory)) return true;
  if (!isWorktreeOf(repository, directory)) return false;
  const status = await tryGit(directory, STATUS, env);
  const { uncommitted, missing } = parseStatus(status.stdout);
  return status.status === 0 && missing.length === uncommitted.length;
}

/** git looks for changes when it removes a worktree, but not for those it was told not to show. */
async function whatIsHidden(context: RunContext): Promise<string | undefined> {
  const { measured, definition } = context;
  const facts = measured.facts ?? (await measureRun(context, definition.base.commit));
  if (facts.head !== undefined && facts.branch !== definition.branch)
    return `it is on ${facts.branch ?? 'no branch'}, not on the run's ${definition.branch}`;
  if (facts.uncommitted === undefined) return `git could not be asked: ${facts.errors.join('; ')}`;
  const uncommitted = [...new Set([...facts.uncommitted, ...(await hiddenSince(context))])];
  return uncommitted.length === 0
    ? undefined
    : `not committed there: ${uncommitted.slice(0, 3).join(', ')}`;
}

/** What git says of the run's worktree since a commit, if that still is the run's. */
export async function measureRun(context: RunContext, since: string): Promise<GitFacts> {
  const { repository, definition, env, sandbox } = context;
  const directory = runWorktree(context);
  if (!isWorktreeOf(repository, directory))
    return unmeasured(`${directory} is gone, or is no worktree of this repository any more`);
  const converts = convertsOtherwise(context);
  if (converts !== undefined) return unmeasured(converts);
  const { branch } = definition.base;
  const confined = sandbox.confinedBy !== 'nobody';
  const options = { confined, ...(branch !== undefined && { base: branch }) };
  return measureWorktree(directory, since, env, options);
}

export function runWorktree({ log }: Pick<RunContext, 'log'>): string {
  const directory = log.state.worktree?.directory;
  if (directory === undefined) throw new Error('the run has no worktree yet');
  return directory;
}

/** The directory of a review's checkout, beside the run's own. */
export function reviewName(id: string, phase: number, attempt: number): string {
  return `${id}.review-${phase}-${attempt}`;
}

/** After the name of a review's checkout: of the checks of that attempt. */
const OF_CHECKS = '-checks';

/** Has it the name of one? Whether it is one says `isOwnReview`. */
export function isReviewOf(id: string, name: string): boolean {
  return (
    name.startsWith(`${id}.`) && /^review-\d+-\d+(?:-checks)?$/.test(name.slice(id.length + 1))
  );
}

/** Copies what git ignores and runs the setup commands, once in each new worktree. */
async function fill(context: RunContext, directory: string): Promise<Problem[]> {
  const { copy, setup } = context.definition.workflow.worktree;
  if (copy.length === 0 && setup.length === 0) return [];
  const problems = copy.flatMap((name) => copyIn(context.repository.root, directory, name));
  if (problems.length > 0) return problems;
  for (const item of setup) {
    context.emit({ type: 'setup-started', name: item.name });
    const result = await runOperatorCommand(context, item, directory);
    if (result.status === 0) continue;
    const words = result.output.trim().split('\n').slice(-10).join('\n');
    return [
      {
        code: 'SETUP_FAILED',
        message: `setup "${item.name}" in ${directory}: ${howItEnded(result, item.timeoutMs)}${words === '' ? '' : `\n${words}`}`,
        hint: 'Correct it in worktree.setup and start a new run, or mend what it needs and resume.',
      },
    ];
  }
  return leftovers(context, directory);
}

function copyIn(root: string, directory: string, name: string): Problem[] {
  const from = path.resolve(root, name);
  const to = path.resolve(directory, name);
  const problem = (message: string, hint: string) => [
    { code: 'WORKTREE_COPY_FAILED', message, hint },
  ];
  if (!from.startsWith(`${root}${path.sep}`))
    return problem(`"${name}" is outside the repository`, 'Name paths within it in worktree.copy.');
  if (!existsSync(from))
    return problem(
      `"${name}" is to be copied but does not exist in ${root}`,
      'Make it, or take it out of worktree.copy.',
    );
  if (existsSync(to) && !lstatSync(to).isDirectory()) return []; // the commit has it: that one counts
  try {
    effect('worktree.copy', () => cpSync(from, to, { recursive: true, verbatimSymlinks: true }));
  } catch (error) {
    // A pipe or a socket, a file that may not be read, a full disk.
    return problem(
      `"${name}" cannot be copied: ${(error as Error).message}`,
      'Mend that, or take it out of worktree.copy.',
    );
  }
  return [];
}

/** A worktree that is not clean before anyone worked there would never count as clean. */
async function leftovers({ env }: RunContext, directory: string): Promise<Problem[]> {
  const status = await tryGit(directory, STATUS, env);
  const { uncommitted } = parseStatus(status.stdout);
  if (status.status === 0 && uncommitted.length === 0) return [];
  return [
    {
      code: 'SETUP_DIRTY',
      message: `worktree.copy and worktree.setup leave changes that git does not ignore: ${uncommitted.slice(0, 5).join(', ') || status.stderr}`,
      hint: 'Add them to .gitignore, commit them, or leave them out.',
    },
  ];
}
