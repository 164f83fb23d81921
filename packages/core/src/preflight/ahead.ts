import type { Problem } from '../adapter/index.js';
import { agentsOf } from '../agents.js';
import { baseEnvironment } from '../environment.js';
import { probeChannels } from '../notify/probe.js';
import { phaseNamed } from '../phase-named.js';
import { type ReadyAgent, firstReady } from './agent.js';
import type { PreflightContext } from './index.js';
import { checkOperatorItems } from './operator.js';
import { plannedContext } from './planned.js';
import { missingCheckPrograms } from './program.js';
import { checkRepository } from './repository.js';
import { unseenChanges } from './unseen.js';
import { findProgram } from '../process/program.js';
import { type RunOptions, planRun } from '../start.js';
import type { WorkflowDefinition } from '../workflow/schema.js';
import type { Phase, PreflightItem } from '../workflow/workflow.js';

export interface PreflightAheadOptions extends Omit<RunOptions, 'task'> {
  /** Hooks are told of it. */
  readonly task?: string;
  /** Of this phase alone, by id or name. */
  readonly phase?: number | string;
}

/** What stands in the way of a run that is not begun. */
export interface PreflightAhead {
  readonly repository: PreflightFindings;
  readonly phases: readonly PhaseAhead[];
}

export interface PreflightFindings {
  readonly problems: readonly Problem[];
  readonly notes: readonly string[];
}

export interface PhaseAhead extends PreflightFindings {
  readonly id: number;
  readonly name: string;
  /** Who would begin it; undefined where nobody can. */
  readonly agent?: string;
  /** Where none can begin: when the first limit ends. */
  readonly limitedUntil?: string;
}

/** What hooks are told in place of a task. */
const NO_TASK = '(none: only the preflight)';

/**
 * The preflight of every phase of a run that could be started, all problems at once; spends nothing and starts
 * no run. What a phase before it may make is not asked of a phase: then a note says so.
 *
 * @throws DevflowError as `run` does before it begins
 */
export async function preflightAhead(
  workflow: WorkflowDefinition,
  { phase: only, ...options }: PreflightAheadOptions,
): Promise<PreflightAhead> {
  const planned = await planRun(workflow, { task: NO_TASK, ...options });
  const { range, workflow: resolved } = planned.definition;
  const ahead = resolved.phases.filter(({ id }) => id >= range.first && id <= range.last);
  const asked = only === undefined ? ahead : [phaseNamed(ahead, 'phase', only)];
  const context = plannedContext(planned, options);
  const [repository, channels, unseen, ready, operator] = await Promise.all([
    checkRepository(context),
    probeChannels(context),
    unseenChanges(context),
    readyAgents(context, asked),
    Promise.all(asked.map((phase) => askOperator(context, phase, phase.id === range.first))),
  ]);
  return {
    repository: {
      problems: [...repository.problems, ...channels],
      notes: [...repository.notes, ...unseen],
    },
    phases: asked.map((phase, index) =>
      phaseAhead(context, phase, ready[index] ?? NOTHING, operator[index] ?? NOTHING),
    ),
  };
}

const NOTHING: PreflightFindings = { problems: [], notes: [] };

function phaseAhead(
  context: PreflightContext,
  phase: Phase,
  { agent, limitedUntil, problems, notes }: ReadyAgent,
  operator: PreflightFindings,
): PhaseAhead {
  return {
    id: phase.id,
    name: phase.name,
    ...(agent !== undefined && { agent: agent.name }),
    ...(limitedUntil !== undefined && { limitedUntil }),
    problems: [...problems, ...missingCheckPrograms(context, phase), ...operator.problems],
    notes: [...notes, ...operator.notes],
  };
}

/** One phase after another: who has logged in for one is not asked again for the next. */
async function readyAgents(
  context: PreflightContext,
  phases: readonly Phase[],
): Promise<ReadyAgent[]> {
  const found: ReadyAgent[] = [];
  for (const phase of phases) {
    const candidates = agentsOf(context.agents, phase).map((agent) => ({
      agent,
      sessionId: undefined,
    }));
    found.push(await firstReady(context, phase, candidates, context.repository.root));
  }
  return found;
}

async function askOperator(
  context: PreflightContext,
  phase: Phase,
  isFirst: boolean,
): Promise<PreflightFindings> {
  const { root } = context.repository;
  const later = isFirst ? [] : phase.preflight.filter((item) => mayBeMade(context, item, root));
  const now = phase.preflight.filter((item) => !later.includes(item));
  const notes = later.map(
    (item) =>
      `"${'hook' in item ? item.hook : item.name}" is not asked yet: an earlier phase may make what it needs`,
  );
  const problems = await checkOperatorItems(context, { ...phase, preflight: now }, root);
  return { problems, notes };
}

/** The operator says so, or its program is one of the checkout's that is not there. */
function mayBeMade({ env }: PreflightContext, item: PreflightItem, root: string): boolean {
  if (item.ahead === false) return true;
  const program = 'hook' in item ? '' : (item.command[0] ?? '');
  const isOfCheckout = program.includes('/') && !program.startsWith('/');
  return isOfCheckout && findProgram(program, root, baseEnvironment(env)) === undefined;
}
