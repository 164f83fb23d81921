import type { Gate } from '../state/gates.js';
import type { RunState } from '../state/fold.js';
import { whySkipped } from '../state/selectors.js';
import type { Next, PhaseRange } from '../policy/step.js';
import type { GateSettings } from '../workflow/gate.js';
import type { Phase, Workflow } from '../workflow/workflow.js';

/** Pure: what the gates of a workflow lead to. */

/** Where the last gate says by itself what comes next: it has no answer yet, or the run was aborted there. */
export function atLastGate({ gates }: RunState): Next | undefined {
  const last = gates.at(-1);
  if (last === undefined || last.reopened === true) return undefined;
  if (last.decided === undefined) return { do: 'gate', gate: last };
  if (last.decided.decision !== 'abort') return undefined;
  const why = last.decided.by === 'timeout' ? 'nobody answered in time' : last.decided.note;
  const said = why === undefined ? '' : `: ${why}`;
  return { do: 'end', state: 'stopped', reason: `aborted at the gate ${last.gate}${said}` };
}

/** What comes in place of a next step that a gate of its phase stands before: the question, or where a person sent the run. */
export function gated(workflow: Workflow, range: PhaseRange, state: RunState, next: Next): Next {
  if (next.do !== 'enter' || next.phase.gate?.when !== 'before') return next;
  return answered(workflow, range, state, next.phase, next.phase.gate, next);
}

/** What comes of a phase that is complete: the question where it has a gate for that, else what is next. */
export function afterCompletion(
  workflow: Workflow,
  range: PhaseRange,
  state: RunState,
  phase: Phase,
  next: () => Next,
): Next {
  if (phase.gate?.when !== 'after') return next();
  return answered(workflow, range, state, phase, phase.gate, next());
}

function answered(
  workflow: Workflow,
  range: PhaseRange,
  state: RunState,
  phase: Phase,
  settings: GateSettings,
  next: Next,
): Next {
  const gate = state.gates.findLast(
    ({ kind, phase: of, visits, reopened }) =>
      kind === settings.when && of === phase.id && visits === state.visits.length && !reopened,
  );
  if (gate?.decided === undefined) return { do: 'open-gate', phase, gate: settings };
  return gate.decided.decision === 'approve' ? next : sentBack(workflow, range, state, phase, gate);
}

/**
 * The phases to which a person may send the run back from a gate; the last is where it goes where none is named. None
 * before the first that was asked for, and none that was skipped: the run would be back at once, and ask again.
 */
export function waysBack(
  { phases }: Workflow,
  { first }: PhaseRange,
  state: RunState,
  { kind, phase }: Pick<Gate, 'kind' | 'phase'>,
): Phase[] {
  if (kind === 'preflight') return [];
  const earlier = phases.filter(
    ({ id }) => id >= first && id < phase && whySkipped(state, id) === undefined,
  );
  return kind === 'before' ? earlier : [...earlier, ...phases.filter(({ id }) => id === phase)];
}

/** To the phase that was named; else a complete phase is done again, and before a phase the one before it. */
function sentBack(
  workflow: Workflow,
  range: PhaseRange,
  state: RunState,
  phase: Phase,
  asked: Gate,
): Next {
  const { gate, kind, decided } = asked;
  const ways = waysBack(workflow, range, state, asked);
  const target =
    decided?.goto === undefined ? ways.at(-1) : ways.find(({ id }) => id === decided.goto);
  const why = decided?.by === 'timeout' ? 'nobody answered in time' : decided?.note;
  const said = why === undefined ? '' : `: ${why}`;
  const because = `rejected ${kind} phase ${phase.id} ${phase.name}${said}`;
  if (target === undefined) return { do: 'end', state: 'failed', reason: because };
  return { do: 'enter', phase: target, because, gate };
}

/** Has a person let the phase begin although its preflight found problems? Once, for the next attempt only; where it has a gate before it too, for both. */
export function mayBeginUnchecked({ gates, visits, held }: RunState, phase: Phase): boolean {
  const index = gates.findLastIndex((gate) => !letsBegin(gate, phase));
  const last = gates[index];
  const attempts = visits.flatMap((visit) => visit.attempts).length;
  return (
    last?.kind === 'preflight' &&
    last.phase === phase.id &&
    last.attempts === attempts &&
    index >= (held[phase.id]?.gates ?? 0) && // else it was asked about the phase's `when`
    last.decided?.decision === 'approve'
  );
}

/** At the gate before it, which is not about its preflight. */
function letsBegin({ kind, phase: of, decided }: Gate, phase: Phase): boolean {
  return kind === 'before' && of === phase.id && decided?.decision === 'approve';
}
