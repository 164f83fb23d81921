import { setTimeout as delay } from 'node:timers/promises';
import type { Problem } from './adapter/index.js';
import { whyNotAsJudged } from './astray.js';
import { atGate, openGateOf, openPreflightGate } from './gate/at-gate.js';
import { mayAsk } from './gate/may-ask.js';
import { obstacleFound } from './policy/chain.js';
import type { RunContext } from './context.js';
import { endOfWait } from './limit/limit-end.js';
import { type Step, cameBack } from './policy/step.js';
import { tellFault } from './notify/notifier.js';
import { decide } from './policy/policy.js';
import { type AttemptEnd, type Beginning, adoptAttempt, attemptPhase, mayBegin } from './phase.js';
import { reportPreflight } from './preflight/report.js';
import { asRunFault } from './run-fault.js';
import { type RunResult, runResult } from './result.js';
import { sleepUntil } from './sleep-until.js';
import { type RunOptions, startRun } from './start.js';
import { markEnded } from './state/ended-mark.js';
import { withClearFaults } from './state/fault.js';
import { isRequested } from './state/inbox.js';
import type { RecordBody } from './state/records.js';
import type { WorkflowDefinition } from './workflow/schema.js';
import type { Phase } from './workflow/workflow.js';
import { askWhen } from './when.js';
import { discardReviews, releaseWorktree } from './workspace.js';

type RunWaiting = Extract<RecordBody, { type: 'run-waiting' }>;

/**
 * Takes a task through the phases of a workflow, on a repository.
 *
 * Never prints, never exits, reads nothing of the process it runs in. What an agent did or failed to do is
 * in the result; what stands in the way of a run as a whole is thrown.
 *
 * What `onEvent` throws stops nothing: once the run has ended or waits, this rejects with its first error.
 *
 * @throws DevflowError CONFIG_INVALID, TASK_EMPTY, OPTION_INVALID, NOT_A_REPOSITORY, BARE_REPOSITORY, NO_COMMITS,
 *   BASE_NOT_FOUND, RUN_EXISTS, HOOK_MISSING, ENVIRONMENT_INCOMPLETE, PLATFORM_UNSUPPORTED and others of {@link ERRORS}
 */
export async function run(workflow: WorkflowDefinition, options: RunOptions): Promise<RunResult> {
  const started = await withClearFaults(() => startRun(workflow, options));
  try {
    const result = await drive(started.context);
    started.reportListener();
    return result;
  } finally {
    started.release();
  }
}

/** From the journal's state to the next step, until the run ends, or waits and nobody stays for it. */
export async function drive(context: RunContext): Promise<RunResult> {
  try {
    await goThrough(context);
    await context.notifier.settled(); // nobody tells it once this process is gone
    return runResult(context);
  } catch (error) {
    await context.notifier.settled().catch(() => undefined); // what may write the journal has ended
    const fault = asRunFault(error, context);
    await tellFault(context, fault);
    throw fault;
  }
}

async function goThrough(context: RunContext): Promise<RunResult> {
  const { definition, log, stop } = context;
  let begins: Beginning | undefined; // for the phase that was entered just now; before a further attempt it is looked at again
  let paused = 0; // until this instant, also where the clock was set back
  for (;;) {
    let over: RunResult | undefined;
    const now = Math.max(Date.now(), paused);
    const step = decide(definition.workflow, definition.range, log.state, now);
    // Nothing is at work where the run waits: where only its holder goes, it waits on without one.
    if (stop.aborted && !isRequested(stop) && log.state.waiting !== undefined)
      return runResult(context);
    // An attempt under way is taken up and ended as stopped; nothing new is begun.
    if (stop.aborted && step.do !== 'adopt' && step.do !== 'end')
      return end(context, 'stopped', 'stopped between attempts');
    switch (step.do) {
      case 'enter': {
        begins = await mayBegin(context, step);
        if (begins === undefined) over = await blocked(context, step.phase, step.candidates);
        else enter(context, step, begins.head);
        break;
      }
      case 'ask-when':
        await askWhen(context, step);
        break;
      case 'attempt': {
        begins ??= await mayBegin(context, step);
        if (begins === undefined) {
          over = await blocked(context, step.phase, step.candidates);
          break;
        }
        const attempted = await attemptPhase(context, step, begins);
        begins = undefined;
        paused = 0;
        if (attempted !== 'judged') over = await cutOff(context, step.phase, attempted);
        break;
      }
      case 'adopt': {
        const adopted = await adoptAttempt(context, step);
        if (adopted !== 'judged') over = await cutOff(context, step.phase, adopted);
        break;
      }
      case 'pause': {
        await pause(context, step);
        paused = step.due;
        break;
      }
      case 'open-gate':
        if (step.gate.when === 'after' || (await mayAsk(context, step.phase)))
          openGateOf(context, step);
        else over = await blocked(context, step.phase, step.phase.agents);
        break;
      case 'gate':
        over = await atGate(context, step.gate);
        break;
      case 'wait': {
        const { do: _, ...why } = step;
        over = await wait(context, why);
        break;
      }
      case 'end': {
        const changed = step.state === 'completed' ? await whyNotAsJudged(context) : [];
        if (changed.length === 0) return end(context, step.state, step.reason);
        askAtEnd(context, changed);
        break;
      }
      default:
        return step satisfies never;
    }
    if (over !== undefined) return over;
  }
}

function enter(
  { log, emit }: RunContext,
  step: Extract<Step, { do: 'enter' }>,
  head: string,
): void {
  const { phase, because } = step;
  log.append({ type: 'phase-entered', phase: phase.id, head, because, ...cameBack(step) });
  emit({ type: 'phase-entered', phase: phase.id, name: phase.name, because });
}

/** Before a further attempt. Not journalled: it follows from when the last one ended. */
async function pause(
  { emit, stop }: RunContext,
  { phase, ms }: Extract<Step, { do: 'pause' }>,
): Promise<void> {
  const until = new Date(Date.now() + ms).toISOString();
  emit({ type: 'retry-pause', phase: phase.id, until, ms });
  await delay(ms, undefined, { signal: stop }).catch(() => undefined);
}

/** The run is not as it was judged: whether it is complete all the same, a person must say. */
function askAtEnd(context: RunContext, problems: readonly Problem[]): void {
  const { definition, log } = context;
  const phase = definition.workflow.phases.find(({ id }) => id === log.state.visits.at(-1)?.phase);
  if (phase === undefined) return;
  reportPreflight(context, phase, { problems, notes: [] });
  openPreflightGate(context, phase);
}

/** An attempt that came to no verdict. */
async function cutOff(
  context: RunContext,
  phase: Phase,
  why: Exclude<AttemptEnd, 'judged'>,
): Promise<RunResult | undefined> {
  return why === 'blocked'
    ? blocked(context, phase, phase.agents)
    : end(context, 'stopped', 'stopped while checks ran');
}

/** None of the agents that are willing can begin. A failed preflight is a gate. @returns undefined where the run goes on, after a wait */
async function blocked(
  context: RunContext,
  phase: Phase,
  candidates: readonly string[],
): Promise<RunResult | undefined> {
  const { id, name, agents } = phase;
  if (context.stop.aborted)
    return end(context, 'stopped', `stopped before phase ${id} ${name} began`);
  const limit = obstacleFound(phase, candidates, context.log.state);
  if (limit === undefined) {
    openPreflightGate(context, phase);
    return undefined;
  }
  const others = agents.length === 1 ? '' : ', and its other agents cannot begin';
  return wait(context, { ...limit, reason: `phase ${id} ${name}: a limit holds${others}` });
}

/** The instant at which a wait ends is decided here, once. @returns undefined where this holder has stayed until then, or is to stop */
async function wait(
  context: RunContext,
  { until: limitEnd, ...why }: Omit<RunWaiting, 'type'>,
): Promise<RunResult | undefined> {
  const { log, emit, stop } = context;
  const at =
    limitEnd === undefined ? undefined : endOfWait(Date.parse(limitEnd), Date.now(), Math.random());
  const until = at === undefined ? {} : { until: new Date(at).toISOString() };
  const waiting = { type: 'run-waiting', ...why, ...until } as const;
  const stays = context.wait !== false && at !== undefined;
  log.append(waiting);
  emit({ ...waiting, stays });
  context.notifier.tell();
  if (!stays) return runResult(context);
  if (!(await sleepUntil(at, stop))) return undefined;
  log.append({ type: 'wait-over' });
  emit({ type: 'wait-over' });
  context.loginChecked.clear(); // hours may have passed
  context.measured.facts = undefined;
  return undefined;
}

async function end(
  context: RunContext,
  state: 'completed' | 'failed' | 'stopped',
  reason: string,
): Promise<RunResult> {
  await discardReviews(context);
  if (state === 'completed') await releaseWorktree(context);
  const ended = { type: 'run-ended', state, reason } as const;
  context.log.append(ended);
  markEnded(context.paths);
  context.emit(ended);
  context.notifier.tell();
  return runResult(context);
}
