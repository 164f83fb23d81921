import path from 'node:path';
import { tellAccount } from './limit/account-limits.js';
import type { Problem } from './adapter/index.js';
import { adopt } from './adopt.js';
import { type Agent, agentNamed } from './agents.js';
import { whyAstray, whyNotAdopted } from './astray.js';
import { whyMovedOn } from './policy/chain.js';
import type { RunContext } from './context.js';
import { mayBeginUnchecked } from './gate/gates.js';
import { measureEvidence } from './evidence/evidence.js';
import { handedOver } from './prompt/handed-over.js';
import { changeSince } from './git/measure.js';
import { hidesTheSame, hidingPlaces } from './git/hiding-places.js';
import { isWorktreeOf, ownSettings, restoreSettings } from './git/worktree.js';
import type { Observation, Requirements } from './judge/observation.js';
import { judge } from './judge/judge.js';
import { type Launched, SETTINGS_COPY, launch } from './launch.js';
import { observe } from './observe/observe.js';
import type { Step } from './policy/step.js';
import { type Candidate, loginKey } from './preflight/agent.js';
import { missingInWorktree } from './preflight/program.js';
import { type Checked, checkAttempt, checkBefore } from './evidence/phase-checks.js';
import { type PreflightResult, preflight } from './preflight/index.js';
import { reportPreflight } from './preflight/report.js';
import { unseenChanges } from './preflight/unseen.js';
import { effect } from './process/effect.js';
import { changedByReview, stateFound } from './evidence/review-state.js';
import { buildPrompt } from './prompt/prompt.js';
import { leftByChecks } from './evidence/left-by-checks.js';
import { compareProtected } from './evidence/protected.js';
import { record } from './record.js';
import { readIfThere, writeDurably } from './state/files.js';
import type { Attempt, Visit } from './state/fold.js';
import { currentHead } from './state/selectors.js';
import { sessionToContinue } from './session.js';
import { probeChannels } from './notify/probe.js';
import { sweep } from './sweep.js';
import { templateNames } from './workflow/template.js';
import type { Phase } from './workflow/workflow.js';
import {
  checkoutFor,
  discardReviews,
  measureRun,
  prepareWorktree,
  runWorktree,
} from './workspace.js';

/** What a phase begins with, once nothing stands in its way. */
export interface Beginning {
  /** The commit the run is at. */
  readonly head: string;
  /** The first of its agents that can begin. */
  readonly agent: Agent;
  /** The agent's version, where it states one. */
  readonly version: string | undefined;
  /** The session to continue. */
  readonly continues: string | undefined;
}

/** Looks whether a phase may begin, and makes the worktree where there is none. The result is journalled. @returns undefined where it may not */
export async function mayBegin(
  context: RunContext,
  { phase, candidates }: Extract<Step, { do: 'enter' | 'attempt' }>,
): Promise<Beginning | undefined> {
  const { log } = context;
  const visit = log.state.visits.at(-1);
  if (mayBeginUnchecked(log.state, phase)) return beginUnchecked(context, phase, candidates);
  const agents = candidates.map((name) => {
    const agent = agentNamed(context.agents, phase, name);
    return { agent, sessionId: sessionToContinue(agent, phase, visit) };
  });
  const found = await lookAt(context, phase, agents);
  const isClear = found.problems.length === 0;
  const isNew = log.state.worktree === undefined;
  const [unseen, setup] = await Promise.all([
    isNew ? unseenChanges(context) : [], // takes a while, and stands in nobody's way
    found.agent !== undefined && isClear ? prepareWorktree(context) : [],
  ]);
  const { head, agent, continues, ...rest } = found;
  const problems = [...found.problems, ...setup];
  if (isNew && agent !== undefined && problems.length === 0)
    problems.push(...missingInWorktree(context));
  reportPreflight(context, phase, { ...rest, problems, notes: [...found.notes, ...unseen] });
  if (problems.length > 0 || agent === undefined) return undefined;
  return {
    head: head ?? currentHead(log.state, context.definition.base.commit),
    agent,
    version: found.version,
    continues,
  };
}

/** What stands in the way of a phase; where nothing is spent yet, of telling persons of the run as well. */
export async function lookAt(
  context: RunContext,
  phase: Phase,
  candidates: readonly Candidate[],
): Promise<PreflightResult> {
  const isFirst = context.log.state.visits.length === 0;
  const [found, unreachable] = await Promise.all([
    preflight(context, phase, candidates),
    isFirst ? probeChannels(context) : [],
  ]);
  return { ...found, problems: [...found.problems, ...unreachable] };
}

/** A person let it begin although its preflight found problems: only the worktree must be there. */
async function beginUnchecked(
  context: RunContext,
  phase: Phase,
  candidates: readonly string[],
): Promise<Beginning | undefined> {
  const { log, definition, agents } = context;
  const agent = agentNamed(agents, phase, candidates[0] ?? '');
  const problems = await prepareWorktree(context);
  const notes = [`phase ${phase.id} ${phase.name} begins unchecked: a person approved it`];
  reportPreflight(context, phase, { problems, notes });
  if (problems.length > 0) return undefined;
  return {
    head: currentHead(log.state, definition.base.commit),
    agent,
    version: undefined,
    continues: sessionToContinue(agent, phase, log.state.visits.at(-1)),
  };
}

/** `blocked`: its checkout could not be made, or a person must put back what it worked on. `stopped`: while its checks ran, so that there is no verdict yet; `resume` comes to it. */
export type AttemptEnd = 'judged' | 'blocked' | 'stopped';

/** One new attempt at a phase, from its prompt to its verdict. */
export async function attemptPhase(
  context: RunContext,
  { phase, visit, number }: Extract<Step, { do: 'attempt' }>,
  { agent, version, continues }: Beginning,
): Promise<AttemptEnd> {
  const { definition, log } = context;
  const hiding = hidingPlaces(context.repository, runWorktree(context)); // before checks run what agents wrote
  if (!(await checkBefore(context, phase, visit, number))) return 'stopped';
  const checkout = await checkoutFor(context, phase, number, agent.adapter);
  if ('problems' in checkout) return blockedBy(context, phase, checkout.problems);
  const { cwd } = checkout;
  const { id: runId, branch, task, base } = definition;
  const { commit: since } = definition.against ?? base;
  const wantsDiff = templateNames(phase.prompt).includes('run.diff');
  const left = await handedOver(context, phase);
  const diff = wantsDiff ? await changeSince(runWorktree(context), since, context.env) : {};
  const facts = { runId, branch, task, base: base.commit, since, ...diff, handedOver: left };
  const prompt = buildPrompt(definition.workflow, phase, log.state, number, facts);
  noteChange(context, phase, agent);
  const worktree = phase.mode === 'review' ? await stateFound(context) : undefined;
  const request = { phase, agent, number, prompt, cwd, hiding, continues, version, worktree };
  const launched = await launch(context, request);
  return conclude(context, phase, visit, agent, launched, false);
}

function blockedBy(context: RunContext, phase: Phase, problems: readonly Problem[]): 'blocked' {
  reportPreflight(context, phase, { problems, notes: [] });
  return 'blocked';
}

/** Says who is left out and why: never in silence. */
function noteChange({ emit, log }: RunContext, phase: Phase, { name }: Agent): void {
  for (const other of phase.agents.slice(0, phase.agents.indexOf(name))) {
    const why = whyMovedOn(log.state, other);
    if (why !== undefined) emit({ type: 'note', text: `${other} ${why}: ${name} is asked` });
  }
}

/** An attempt that another devflow began: followed if it lives, judged by what it left, started if nobody had. */
export async function adoptAttempt(
  context: RunContext,
  { phase, visit, attempt }: Extract<Step, { do: 'adopt' }>,
): Promise<AttemptEnd> {
  const agent = agentNamed(context.agents, phase, attempt.agent);
  const problems = await whyNotAdopted(context, attempt);
  if (problems.length > 0) return blockedBy(context, phase, problems);
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
  const { attempt: number, directory } = attempt;
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
  await sweep(context, observed.tree, attempt);
  const astray = adopted ? await whyAstray(context) : [];
  if (astray.length > 0) return blockedBy(context, phase, astray);
  const settled = launched.damage !== undefined || settingsKept(context, attempt); // its copy may be gone too
  const git = await measureRun(context, visit.head);
  context.measured.facts = git;
  const hides = !settled || !hidesTheSame(context.repository, runWorktree(context), attempt.hiding);
  const left = await leftByChecks(context, git);
  const kept = await compareProtected(context, phase, attempt, git.head);
  const { process, agent: said } = observed;
  const evidence = await measureEvidence(context, phase, visit.head, git, said.answer);
  const observation = {
    process,
    agent: said,
    git,
    hides,
    evidence,
    ...(left !== undefined && { leftByChecks: Object.keys(left) }),
    ...(phase.mode === 'review' && { changedByReview: changedByReview(context, attempt, git) }),
    ...(kept !== undefined && { protected: kept }),
  };
  const {
    checks,
    notRun,
    changed,
    left: leftSince = left,
  } = await checkIfAllElseHolds(context, phase, attempt, observation);
  if (context.stop.aborted && observed.process.endedBy !== 'stop') return 'stopped';
  const after = checks.length > 0 ? await measureRun(context, visit.head) : git;
  const movedDuringChecks = after.head !== undefined && after.head !== git.head;
  const known = after.head === undefined ? { ...observation, git: after } : observation;
  const verdict = judge(
    {
      ...known,
      movedDuringChecks,
      ...(changed !== undefined && { changedDuringChecks: changed }),
      ...(notRun !== undefined && { checksNotRun: notRun }),
    },
    checks,
    requirementsOf(context, phase),
  );
  record(context, attempt, known, observed.durationMs, checks, leftSince, verdict);
  tellAccount(context, agent);

  if (phase.mode === 'review') await discardReviews(context);
  if (verdict.outcome === 'auth') context.loginChecked.delete(loginKey(agent));
  return 'judged';
}

/** Made beside the copy where the attempt changed them. */
const SETTINGS_CHANGED = 'config.worktree.changed';

/** Puts the worktree's own settings back where the attempt changed them, before git reads them. @returns whether it left them alone */
function settingsKept(context: RunContext, { directory }: Attempt): boolean {
  const worktree = runWorktree(context);
  const changed = path.join(directory, SETTINGS_CHANGED);
  const before = readIfThere(path.join(directory, SETTINGS_COPY));
  if (!isWorktreeOf(context.repository, worktree) || ownSettings(worktree) === before)
    return readIfThere(changed) === undefined;
  effect('worktree.settings', () => {
    writeDurably(changed, ''); // whoever comes after a crash finds them as they were
    restoreSettings(worktree, before);
  });
  context.emit({
    type: 'note',
    text: 'the attempt changed the settings of its worktree: put back',
  });
  return false;
}

/** Checks may take long: they are run only where nothing else has decided already. */
async function checkIfAllElseHolds(
  context: RunContext,
  phase: Phase,
  attempt: Attempt,
  observation: Observation,
): Promise<Checked> {
  const { evidence, ...rest } = requirementsOf(context, phase);
  const others = evidence.filter((name) => name !== 'checks');
  const { outcome } = judge(observation, [], { ...rest, evidence: others });
  if (outcome !== 'completed' || phase.checks.length === 0) return { checks: [] };
  const checked = await checkAttempt(context, phase, attempt);
  context.measured.facts = undefined; // a check may change what it likes
  return checked;
}

function requirementsOf({ definition }: RunContext, phase: Phase): Requirements {
  const { mode, requires: evidence, answerBy } = phase;
  const answerBySchema = answerBy === 'schema';
  const output = phase.answer !== undefined;
  return { mode, evidence, branch: definition.branch, answerBySchema, output };
}
