import { randomBytes } from 'node:crypto';
import type { RunContext } from '../context.js';
import { type GateWord, answerOf } from './gate-answer.js';
import { waysBack } from './gates.js';
import { type RunResult, runResult } from '../result.js';
import { sleepUntil } from '../sleep-until.js';
import { type GateAnswer, answerIn, clearAnswers } from '../state/answers.js';
import type { RunState } from '../state/fold.js';
import type { Gate } from '../state/gates.js';
import { watchInbox } from '../state/inbox.js';
import type { GateKind } from '../state/records.js';
import type { Step } from '../policy/step.js';
import type { Phase } from '../workflow/workflow.js';

/**
 * Asks a person in the place where the run was started; undefined where they leave it for later.
 * @param signal is set off once the question is over: it was answered elsewhere, its time has come, or the run stops
 */
export type Ask = (run: string, gate: Gate, signal: AbortSignal) => Promise<GateWord | undefined>;

/** Opens a gate of the workflow. */
export function openGateOf(
  context: RunContext,
  { phase, gate }: Extract<Step, { do: 'open-gate' }>,
): void {
  const { when, message, limit } = gate;
  const reason =
    when === 'before'
      ? `phase ${phase.id} ${phase.name} begins once it is approved`
      : `phase ${phase.id} ${phase.name} is complete, and waits for approval`;
  const { workflow, range } = context.definition;
  const at = { kind: when, phase: phase.id };
  const { state } = context.log;
  const isDeadEnd = waysBack(workflow, range, state, at).length === 0 || wasSilent(state, at);
  const until = limit && {
    until: new Date(Date.now() + limit.ms).toISOString(),
    onTimeout: limit.decision === 'reject' && isDeadEnd ? ('abort' as const) : limit.decision,
  };
  open(context, when, phase, { reason, ...(message !== undefined && { message }), ...until });
}

/** Silence sends back once: nobody is there, and each time would cost the phase's work anew. */
function wasSilent({ gates }: RunState, { kind, phase }: Pick<Gate, 'kind' | 'phase'>): boolean {
  return gates.some(
    (gate) =>
      gate.kind === kind &&
      gate.phase === phase &&
      gate.decided?.by === 'timeout' &&
      gate.decided.decision === 'reject',
  );
}

/** A preflight that found problems: a person approves going on all the same, has it looked at again, or aborts. */
export function openPreflightGate(context: RunContext, phase: Phase): void {
  const reason = `the preflight of phase ${phase.id} ${phase.name} found problems`;
  open(context, 'preflight', phase, { reason });
}

function open(
  { log, emit }: RunContext,
  kind: GateKind,
  phase: Phase,
  more: Pick<Gate, 'reason' | 'message' | 'until' | 'onTimeout'>,
): void {
  const gate = randomBytes(5).toString('hex'); // nobody can have an answer ready
  const opened = { type: 'gate-opened', gate, kind, phase: phase.id, ...more } as const;
  log.append(opened);
  emit(opened);
}

/** At a gate that is open: its answer is journalled. @returns what the run came to so far where nobody stays for one */
export async function atGate(context: RunContext, gate: Gate): Promise<RunResult | undefined> {
  const { emit, log, wait, ask, stop } = context;
  let decided = decidedByNow(context, gate);
  if (decided === undefined) {
    const { reason, until, kind } = gate;
    emit({
      type: 'run-waiting',
      for: kind === 'preflight' ? 'preflight' : 'gate',
      reason,
      gate,
      stays: staysAt(context, gate),
      ...(until !== undefined && { until }),
    });
    context.notifier.tell();
    decided = await answerTo(context, gate);
    if (stop.aborted) return undefined; // the gate stays open: the run is stopped, or waits without a holder
    if (decided === undefined) return runResult(context);
  }
  const record = { type: 'gate-decided', ...decided } as const;
  log.append(record);
  clearAnswers(context.paths.inbox);
  emit(record);
  if (ask !== undefined || wait !== false) context.loginChecked.clear(); // days may have passed
  context.measured.facts = undefined;
  return undefined;
}

type Decided = GateAnswer & { readonly by: 'person' | 'timeout' };

function decidedByNow({ paths }: RunContext, gate: Gate): Decided | undefined {
  const answer = answerIn(paths.inbox, gate.gate);
  if (answer !== undefined) return { ...answer, by: 'person' };
  const { until, onTimeout, gate: id } = gate;
  if (until === undefined || onTimeout === undefined || Date.parse(until) > Date.now())
    return undefined;
  return { gate: id, decision: onTimeout, by: 'timeout' };
}

function staysAt({ wait }: RunContext, { kind }: Gate): boolean {
  return kind === 'preflight' ? wait === true : wait !== false;
}

/** The first answer: of the person here, of one elsewhere, or of the time limit. Undefined: nobody stays for one. */
async function answerTo(context: RunContext, gate: Gate): Promise<Decided | undefined> {
  const { ask, stop, paths, definition, log } = context;
  const stays = staysAt(context, gate);
  if (ask === undefined && !stays) return undefined;
  const over = new AbortController();
  const signal = AbortSignal.any([stop, over.signal]);
  const elsewhere = new Promise<Decided | undefined>((resolve) => {
    const watched = watchInbox(paths.inbox, () => {
      const decided = decidedByNow(context, gate);
      if (decided !== undefined) resolve(decided);
    });
    signal.addEventListener('abort', () => {
      watched.close();
      resolve(undefined);
    });
  });
  const here = ask?.(definition.id, gate, signal).then((word) => {
    if (word !== undefined)
      return { ...answerOf(definition, log.state, gate, word), by: 'person' as const };
    return stays ? elsewhere : undefined;
  });
  const limit = sleepUntil(
    gate.until === undefined ? Infinity : Date.parse(gate.until),
    signal,
  ).then((came) => (came ? decidedByNow(context, gate) : elsewhere));
  try {
    return await Promise.race([here ?? elsewhere, elsewhere, limit]);
  } finally {
    over.abort();
  }
}
