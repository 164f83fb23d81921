import { statSync } from 'node:fs';
import path from 'node:path';
import type { AgentEvent, Clock } from '../adapter/index.js';
import { parsedOutput } from './agent-output.js';
import { readResult } from './agent-result.js';
import type { Agent } from '../agents.js';
import { answerOf } from '../evidence/answer.js';
import { watchBudget } from '../budget/watch.js';
import type { RunContext } from '../context.js';
import { secretValues } from '../environment.js';
import { openEventLog } from './event-log.js';
import type { AgentFacts } from '../judge/observation.js';
import type { ProcessFacts } from '../judge/observation.js';
import type { Launched } from '../launch.js';
import { attemptLimits } from './limits.js';
import { plainTextOutput } from './plain-text.js';
import type { Activity } from '../process/activity.js';
import { effect } from '../process/effect.js';
import { requireRegular } from '../process/own-file.js';
import { readTail } from '../process/read-tail.js';
import { STREAMS, outputSize } from '../process/wrapper.js';
import { redactor } from './redact.js';
import type { Phase } from '../workflow/workflow.js';

/** What `completionSignalDetected` is given: the last whole lines, up to this many bytes. */
const SIGNAL_BYTES = 1_000_000;

/** What was read late was said no later than the output was last written to. */
function clockOf({ env }: RunContext, stdout: string): Clock {
  return {
    now: () => new Date(Math.min(Date.now(), statSync(stdout).mtimeMs)),
    timeZone: env['TZ'] || Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

/**
 * The agent's output: its events for those who watch, its limits, its facts for the judge.
 * @param now in milliseconds, of the time in which somebody watched
 * @param open is given what is to be closed
 */
export function watchOutput(
  context: RunContext,
  phase: Phase,
  agent: Agent,
  { attempt, prompt }: Launched,
  now: () => number,
  open: (() => void)[],
) {
  const { adapter } = agent;
  const { directory, phase: id, attempt: number } = attempt;
  const stdout = path.join(directory, 'stdout.log');
  const secrets = secretValues(context.env, adapter, agent.profile);
  const log = effect('attempt.events', () =>
    openEventLog(path.join(directory, 'events.jsonl'), secrets),
  );
  open.push(() => log.close());
  const show = (event: AgentEvent) =>
    context.emit({ type: 'agent', phase: id, attempt: number, event: log.write(event) });
  const note = (text: string) => context.emit({ type: 'note', text });
  const parser = adapter.createParser?.(clockOf(context, stdout));
  const output =
    parser === undefined
      ? plainTextOutput(stdout, show, note)
      : parsedOutput(stdout, parser, show, note);
  open.push(() => output.close());
  const limits = attemptLimits(phase, now);
  let isBehind = false;
  const budget = watchBudget(context, phase, agent, attempt);
  /** The budget that is used up, if any, in words. */
  const overBudget = () => budget(() => output.soFar());
  /** What an adapter throws is a fault of its own: the attempt has no such fact then. */
  const guarded = (what: string, ask: () => unknown): unknown => {
    try {
      return ask();
    } catch (error) {
      note(`the adapter ${adapter.name} fails in ${what}: ${String(error)}`);
      return undefined;
    }
  };
  return {
    read: () => (isBehind = output.read()),
    overBudget,
    /** The limit that the output has reached, if any. */
    limit: (activity: Activity) =>
      limits.reached({
        size: outputSize(directory),
        isBehind,
        openCalls: output.openCalls(),
        waitsForLimit: output.waitsForLimit(),
        isFinished: output.isFinished(),
        activity,
      }) ?? (overBudget() === undefined ? undefined : ('budget' as const)),
    finish(endedBy: ProcessFacts['endedBy']): AgentFacts {
      for (const name of STREAMS) requireRegular(path.join(directory, name)); // no fault of the adapter's
      const given = guarded('result', () => output.finish({ drain: endedBy !== 'output' }));
      const result = redactor(secrets)(readResult(given));
      const detected = () => adapter.completionSignalDetected(readTail(stdout, SIGNAL_BYTES));
      const completionSignal = guarded('completionSignalDetected', detected) === true; // a promise is no yes
      return { result, completionSignal, ...answerOf(phase, result, prompt) };
    },
  };
}
