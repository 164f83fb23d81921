import path from 'node:path';
import type { ExecRequest, Mode, Problem } from './adapter/index.js';
import { type Agent, agentsOf } from './agents.js';
import { agentEnvironment } from './environment.js';
import { lookAtChannels } from './notify/probe.js';
import { firstReady } from './preflight/agent.js';
import { type PreflightContext, preflight } from './preflight/index.js';
import { plannedContext } from './preflight/planned.js';
import { unseenChanges } from './preflight/unseen.js';
import { findProgram } from './process/program.js';
import { buildPrompt } from './prompt/prompt.js';
import { type AttemptPlace, execRequest, sandboxPolicy } from './launch.js';
import { metadataRoots } from './git/worktree.js';
import { reviewName } from './workspace.js';
import { sandboxProvider } from './sandbox/index.js';
import type { PlannedRun } from './hold.js';
import { type RunOptions, planRun } from './start.js';
import { EMPTY } from './state/fold.js';
import { attemptDirectory } from './state/paths.js';
import type { Budget } from './workflow/budget.js';
import type { Channel } from './workflow/notify.js';
import { LOOPS, type Loop } from './workflow/loop.js';
import type { Retries } from './workflow/retries.js';
import type { Evidence } from './workflow/schema-phase.js';
import type { WorkflowDefinition } from './workflow/schema.js';
import type {
  Check,
  Phase,
  PhaseCheck,
  PreflightItem,
  When,
  WorktreeSettings,
} from './workflow/workflow.js';

/** What a run would do, phase by phase; nothing of it was done. */
export interface DryRun {
  readonly runId: string;
  readonly task: string;
  readonly workflow: string;
  readonly branch: string;
  readonly base: { readonly commit: string; readonly asked: string; readonly branch?: string };
  /** What it is compared with, and where it parted from that. */
  readonly against?: { readonly commit: string; readonly asked: string };
  readonly worktree: string;
  readonly copy: WorktreeSettings['copy'];
  readonly setup: readonly Check[];
  readonly sandbox: string;
  /** What all attempts together may spend. */
  readonly budget?: Budget;
  /** Who is told of what: names without what may be a secret. */
  readonly notify: readonly DryChannel[];
  readonly phases: readonly DryPhase[];
  /** What stands in the way of the first phase, or of an agent of a later one. */
  readonly problems: readonly Problem[];
  readonly notes: readonly string[];
}

export type DryChannel = Pick<Channel, 'name' | 'on'>;

/** The first attempt at a phase. What earlier phases would pass on is not known yet, and the prompt says so. */
export interface DryPhase {
  readonly id: number;
  readonly name: string;
  readonly mode: Mode;
  /** In the order in which they are asked: the next one where one cannot go on. */
  readonly agents: readonly DryAgent[];
  readonly cwd: string;
  readonly prompt: string;
  readonly preflight: readonly PreflightItem[];
  readonly checks: readonly PhaseCheck[];
  readonly checkFrom: Phase['checkFrom'];
  readonly protect: readonly string[];
  readonly requires: readonly Evidence[];
  /** What is asked of its paths, its files and the output of its answer. */
  readonly changes?: Phase['changes'];
  readonly files?: Phase['files'];
  readonly answer?: Phase['answer'];
  readonly when?: When;
  /** Where a person is asked. */
  readonly gate?: Phase['gate'];
  readonly handOver?: Phase['handOver'];
  /** Where it sends the run back to. */
  readonly onRejected?: Loop;
  readonly onGaps?: Loop;
  readonly onFailed?: Loop;
  readonly limits: {
    readonly timeoutMs: number;
    readonly idleTimeoutMs: number;
    readonly maxOutputBytes: number;
    readonly retries: Retries;
    readonly retryDelayMs: number;
    readonly budget?: Budget;
  };
}

/** How an agent would be started. */
export interface DryAgent {
  readonly name: string;
  readonly model?: string;
  readonly effort?: string;
  /** In its sandbox. */
  readonly program: string;
  readonly args: readonly string[];
  readonly instructions?: string;
  /** Names of its tool servers. */
  readonly mcp?: readonly string[];
}

/**
 * Plans a run as `run` would do it, with the real preflight of its first phase, and starts nothing.
 * Changes nothing, but for the answers of programs about themselves that are kept in the state directory.
 *
 * @throws DevflowError as `run` does before it begins
 */
export async function dryRun(workflow: WorkflowDefinition, options: RunOptions): Promise<DryRun> {
  const planned = await planRun(workflow, options);
  const { definition } = planned;
  const { id, task, branch, base, range, worktrees } = definition;
  const phases = definition.workflow.phases.filter(
    (phase) => phase.id >= range.first && phase.id <= range.last,
  );
  const found = await lookAhead(plannedContext(planned, options), planned, phases);
  const { copy, setup } = definition.workflow.worktree;
  return {
    runId: id,
    task,
    workflow: definition.workflow.name,
    branch,
    base,
    ...(definition.against !== undefined && { against: definition.against }),
    worktree: path.join(worktrees, id),
    copy,
    setup,
    sandbox: definition.workflow.sandbox,
    ...(definition.workflow.budget !== undefined && { budget: definition.workflow.budget }),
    notify: (definition.workflow.notify ?? []).map(({ name, on }) => ({ name, on })),
    phases: phases.map((phase) => planPhase(planned, phase, options)),
    ...found,
  };
}

/**
 * The whole preflight of the first phase. Of later phases the agents only: the conditions an operator sets
 * for them may depend on what the phases before them do.
 */
async function lookAhead(
  context: PreflightContext,
  { agents }: PlannedRun,
  phases: readonly Phase[],
): Promise<Pick<DryRun, 'problems' | 'notes'>> {
  const problems = new Map<string, Problem>();
  const notes = new Set<string>(await unseenChanges(context));
  for (const problem of lookAtChannels(context)) problems.set(problem.message, problem);
  if (context.definition.workflow.notify?.some(({ type }) => type !== 'command') === true)
    notes.add(
      'nobody is told here: `devflow preflight` tries the channels of notify, as a run does',
    );
  for (const [index, phase] of phases.entries()) {
    const candidates = agentsOf(agents, phase).map((agent) => ({ agent, sessionId: undefined }));
    const found =
      index === 0
        ? await preflight(context, phase, candidates)
        : await firstReady(context, phase, candidates, context.repository.root);
    for (const problem of found.problems)
      problems.set(`${problem.code} ${problem.message}`, problem);
    for (const note of found.notes) notes.add(note);
  }
  return { problems: [...problems.values()], notes: [...notes] };
}

function planPhase(planned: PlannedRun, phase: Phase, { env }: RunOptions): DryPhase {
  const { definition, agents } = planned;
  const { id: runId, branch, task, base } = definition;
  const diff = '(what has changed by then is not known yet)';
  const { commit: since } = definition.against ?? base;
  const facts = { runId, branch, task, base: base.commit, since, diff };
  const prompt = buildPrompt(definition.workflow, phase, EMPTY, 1, facts);
  const place = foreseePlace(planned, phase);
  const { timeoutMs, idleTimeoutMs, maxOutputBytes, retries, retryDelayMs, budget } = phase;
  return {
    id: phase.id,
    name: phase.name,
    mode: phase.mode,
    agents: agentsOf(agents, phase).map((agent) =>
      planAgent(planned, phase, agent, place, prompt, env),
    ),
    cwd: place.cwd,
    prompt,
    preflight: phase.preflight,
    checks: phase.checks,
    checkFrom: phase.checkFrom,
    protect: phase.protect,
    requires: phase.requires,
    ...given(phase, ['changes', 'files', 'answer', 'when', 'gate', 'handOver', ...LOOPS]),
    limits: {
      timeoutMs,
      idleTimeoutMs,
      maxOutputBytes,
      retries,
      retryDelayMs,
      ...(budget !== undefined && { budget }),
    },
  };
}

/** Those that the phase has. */
function given<Key extends keyof Phase>(phase: Phase, keys: readonly Key[]): Pick<Phase, Key> {
  const there = keys.flatMap((key) => (phase[key] === undefined ? [] : [[key, phase[key]]]));
  return Object.fromEntries(there) as Pick<Phase, Key>; // by the line above
}

function planAgent(
  planned: PlannedRun,
  phase: Phase,
  agent: Agent,
  place: AttemptPlace,
  prompt: string,
  env: RunOptions['env'],
): DryAgent {
  const sandbox = sandboxProvider(planned.definition.workflow.sandbox);
  const request = execRequest(sandbox, phase, agent, place, prompt);
  const { program, args } = plannedCommand(planned, agent, request, env);
  const { model, effort, instructions, mcp } = request;
  return {
    name: agent.name,
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
    program,
    args,
    ...(instructions !== undefined && { instructions }),
    ...(mcp !== undefined && { mcp: Object.keys(mcp) }),
  };
}

/** The place of an attempt in a worktree that does not exist yet: git names its metadata after the directory. */
function foreseePlace({ definition, repository, paths }: PlannedRun, phase: Phase): AttemptPlace {
  const name = phase.mode === 'review' ? reviewName(definition.id, phase.id, 1) : definition.id;
  const gitDir = path.join(repository.commonDir, 'worktrees', name);
  return {
    cwd: path.join(definition.worktrees, name),
    extraWritableRoots: metadataRoots(repository.commonDir, gitDir),
    directory: attemptDirectory(paths, phase, 1),
  };
}

/** A program that is not found is shown as it is asked for: the preflight says that it is missing. */
function plannedCommand(
  { definition, repository }: PlannedRun,
  agent: Agent,
  request: ExecRequest,
  callerEnv: RunOptions['env'],
): { program: string; args: readonly string[] } {
  const { program, args } = agent.adapter.execCommand(request);
  const env = agentEnvironment(callerEnv, agent.adapter, agent.profile);
  // A relative one will be that of the run's checkout.
  const isRelative = program.includes('/') && !path.isAbsolute(program);
  const found = isRelative
    ? path.resolve(request.cwd, program)
    : (findProgram(program, repository.root, env) ?? program);
  const sandbox = sandboxProvider(definition.workflow.sandbox);
  return sandbox.confine(
    { program: found, args, cwd: request.cwd, env },
    sandboxPolicy(agent, request, env),
  );
}
