import type { AdapterPreflight } from './adapter/index.js';
import { type Agent, agentOf } from './agents.js';
import { runChecks } from './checks.js';
import type { RunContext } from './context.js';
import { type GitFacts, changeSince, measureWorktree, unmeasured } from './git/measure.js';
import { hidingPlaces, isWorktreeOf } from './git/worktree.js';
import { type Observation, type Requirements, judge } from './judge.js';
import { type Launched, adopt, launch } from './launch.js';
import { observe } from './observe.js';
import { type Step, UNFINISHED } from './policy.js';
import { loginKey } from './preflight/agent.js';
import { missingInWorktree } from './preflight/program.js';
import { preflight } from './preflight/index.js';
import { unseenChanges } from './preflight/unseen.js';
import { buildPrompt } from './prompt.js';
import { record } from './record.js';
import { type Attempt, type Visit, currentHead } from './state/fold.js';
import type { CheckResult } from './state/records.js';
import { sweep } from './sweep.js';
import { templateNames } from './workflow/template.js';
import type { Phase } from './workflow/workflow.js';
import { checkoutFor, discardReviews, prepareWorktree, runWorktree } from './workspace.js';

/** Looks whether a phase may begin, and makes the worktree where there is none. The result is journalled. @returns the commit the run is at, or undefined where the phase may not begin */
export async function mayBegin(context: RunContext, phase: Phase): Promise<string | undefined> {
  const { log } = context;
  const found = await preflight(context, phase, agentOf(context.agents, phase));
  const isNew = log.state.worktree === undefined;
  const [unseen, setup] = await Promise.all([
    isNew ? unseenChanges(context) : [], // takes a while, and stands in nobody's way
    found.problems.length === 0 ? prepareWorktree(context) : [],
  ]);
  const { head, ...rest } = found;
  const problems = [...found.problems, ...setup];
  if (isNew && problems.length === 0) problems.push(...missingInWorktree(context));
  reportPreflight(context, phase, { ...rest, problems, notes: [...found.notes, ...unseen] });
  return problems.length === 0
    ? (head ?? currentHead(log.state, context.definition.base.commit))
    : undefined;
}

function reportPreflight({ log, emit }: RunContext, phase: Phase, found: AdapterPreflight): void {
  log.append({ type: 'preflight', phase: phase.id, ...found });
  const { problems, notes } = found;
  emit({ type: 'preflight', phase: phase.id, problems, notes });
}

/** `blocked`: its checkout could not be made. `stopped`: while its checks ran, so that there is no verdict yet; `resume` comes to it. */
export type AttemptEnd = 'judged' | 'blocked' | 'stopped';

/** One new attempt at a phase, from its prompt to its verdict. */
export async function attemptPhase(
  context: RunContext,
  { phase, visit, number }: Extract<Step, { do: 'attempt' }>,
): Promise<AttemptEnd> {
  const { definition, log } = context;
  const agent = agentOf(context.agents, phase);
  const checkout = await checkoutFor(context, phase, number);
  if ('problems' in checkout) {
    reportPreflight(context, phase, { problems: checkout.problems, notes: [] });
    return 'blocked';
  }
  const { cwd } = checkout;
  const { id: runId, branch, task, base } = definition;
  const wantsDiff = templateNames(phase.prompt).includes('run.diff');
  const diff = wantsDiff ? await changeSince(runWorktree(context), base.commit, context.env) : {};
  const facts = { runId, branch, task, base: base.commit, ...diff };
  const prompt = buildPrompt(definition.workflow, phase, log.state, number, facts);
  const continues = sessionToContinue(agent, phase, visit);
  const launched = await launch(context, { phase, agent, number, prompt, cwd, continues });
  return conclude(context, phase, visit, agent, launched, false);
}

/** An attempt that another devflow began: followed if it lives, judged by what it left, started if nobody had. */
export async function adoptAttempt(
  context: RunContext,
  { phase, visit, attempt }: Extract<Step, { do: 'adopt' }>,
): Promise<AttemptEnd> {
  const agent = agentOf(context.agents, phase);
  return conclude(context, phase, visit, agent, await adopt(context, phase, agent, attempt), true);
}

/** observe → sweep → measure → check → judge → record */
async function conclude(
  context: RunContext,
  phase: Phase,
  visit: Visit,
  agent: Agent,
  launched: Launched,
  adopted: boolean,
): Promise<AttemptEnd> {
  const { attempt } = launched;
  const { attempt: number, directory, cwd } = attempt;
  context.measured.facts = undefined; // from here on the agent works
  context.emit({
    type: 'attempt-started',
    phase: phase.id,
    attempt: number,
    agent: agent.name,
    directory,
    adopted,
  });

  const observed = await observe(context, phase, agent, launched);
  await sweep(context, observed.tree, cwd);
  const git = await measure(context, visit);
  context.measured.facts = git;
  const hides = hidingPlaces(context.repository, runWorktree(context)) !== attempt.hiding;
  const observation = { process: observed.process, agent: observed.agent, git, hides };
  const checks = await checkIfAllElseHolds(context, phase, attempt, observation);
  if (context.stop.aborted && observed.process.endedBy === undefined) return 'stopped';
  const movedDuringChecks = checks.length > 0 && (await measure(context, visit)).head !== git.head;
  const verdict = judge(
    { ...observation, movedDuringChecks },
    checks,
    requirementsOf(context, phase),
  );
  record(context, attempt, observation, checks, verdict);

  if (phase.mode === 'review') await discardReviews(context);
  if (verdict.outcome === 'auth') context.loginChecked.delete(loginKey(agent));
  return 'judged';
}

/** What git says of the run's worktree, if that still is the run's. */
async function measure(context: RunContext, { head }: Visit): Promise<GitFacts> {
  const directory = runWorktree(context);
  if (isWorktreeOf(context.repository, directory))
    return measureWorktree(directory, head, context.env, context.definition.base.branch);
  return unmeasured(`${directory} is gone, or is no worktree of this repository any more`);
}

/** Checks may take long: they are run only where nothing else has decided already. */
async function checkIfAllElseHolds(
  context: RunContext,
  phase: Phase,
  attempt: Attempt,
  observation: Observation,
): Promise<CheckResult[]> {
  const { evidence, ...rest } = requirementsOf(context, phase);
  const others = evidence.filter((name) => name !== 'checks');
  const { outcome } = judge(observation, [], { ...rest, evidence: others });
  if (outcome !== 'completed' || phase.checks.length === 0) return [];
  context.measured.facts = undefined; // a check may change what it likes
  // Of a review too: its own checkout may hold what it changed there.
  return runChecks(context, phase, attempt.attempt, runWorktree(context));
}

function requirementsOf({ definition }: RunContext, phase: Phase): Requirements {
  return { mode: phase.mode, evidence: phase.requires, branch: definition.branch };
}

/** A turn that stopped early goes on in its own session, where the agent can do that. */
function sessionToContinue({ adapter }: Agent, phase: Phase, visit: Visit): string | undefined {
  const last = visit.attempts.at(-1)?.ended;
  if (last === undefined || phase.mode === 'review' || adapter.capabilities.continue !== true)
    return undefined;
  return UNFINISHED.has(last.outcome) ? last.sessionId : undefined;
}
