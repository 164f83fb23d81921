import { mends } from './explain-mends.js';
import type { RunDefinition } from './state/definition.js';
import type { Attempt, RunState, Visit } from './state/fold.js';
import { openAttempt } from './state/selectors.js';
import { type Gate, openGate } from './state/gates.js';
import type { Reason } from './state/records.js';
import type { RunView } from './state/view.js';
import type { Phase } from './workflow/workflow.js';

/** `left-out`: the run was asked to go through other phases only. `not-approved`: all is there but a person's word at its gate. */
type Standing =
  | 'complete'
  | 'not-approved'
  | 'not-complete'
  | 'under-way'
  | 'waiting'
  | 'not-reached'
  | 'left-out'
  | 'skipped';

/** Why a phase is complete, or is not, and what would change it. */
export interface Explanation {
  readonly phase: { readonly id: number; readonly name: string };
  readonly standing: Standing;
  /** Sentences. */
  readonly why: readonly string[];
  /** The grounds of the last attempt at it that came to an end, of its present visit. */
  readonly reasons: readonly Reason[];
  /** Sentences; none where it is complete. */
  readonly change: readonly string[];
}

type Said = Omit<Explanation, 'phase' | 'reasons'> & Partial<Pick<Explanation, 'reasons'>>;

/** Pure: every phase of the workflow, by what the journal says. */
export function explain(
  definition: RunDefinition,
  state: RunState,
  view: Pick<RunView, 'state' | 'reason'>,
): Explanation[] {
  return definition.workflow.phases.map((phase) => ({
    phase: { id: phase.id, name: phase.name },
    reasons: [],
    ...explainPhase({ definition, state, view }, phase),
  }));
}

interface Known {
  readonly definition: RunDefinition;
  readonly state: RunState;
  readonly view: Pick<RunView, 'state' | 'reason'>;
}

function explainPhase(known: Known, phase: Phase): Said {
  const { definition, state } = known;
  const { first, last } = definition.range;
  if (phase.id < first || phase.id > last)
    return {
      standing: 'left-out',
      why: [`The run goes from phase ${first} to phase ${last}, as it was asked to.`],
      change: ['A new run that goes through it.'],
    };
  const gate = gateOf(known);
  const visit = state.visits.findLast((each) => each.phase === phase.id);
  if (gate?.phase === phase.id) return atGate(known, gate, visit);
  const current = state.visits.at(-1);
  const ended = visit?.attempts.findLast((attempt) => attempt.ended !== undefined);
  if (visit === undefined) return notReached(known, phase);
  if (visit.skipped !== undefined)
    return { standing: 'skipped', why: [`It was skipped: ${visit.skipped}.`], change: [] };
  if (visit === current && openAttempt(state) !== undefined) return underWay(known, phase, visit);
  if (ended?.ended === undefined) return entered(known, phase, visit);
  if (ended.ended.outcome !== 'completed') return notComplete(known, phase, ended);
  // Where the run went back to before it, its work is to be done again.
  if (current !== undefined && current.phase < phase.id)
    return toBeDoneAgain(known, ended, current);
  const why = [`${named(ended)} has all that the phase requires.`];
  const { reasons } = ended.ended;
  const asked = notApproved(known, phase, visit);
  if (asked === undefined) return { standing: 'complete', why, reasons, change: [] };
  return {
    standing: 'not-approved',
    why: [...why, asked, ...theRun(known)],
    reasons,
    change: ['A person approves it.', ...askAgain(known)],
  };
}

/** What the gate after a phase lacks; undefined where it was approved, or there is none. */
function notApproved({ state }: Known, phase: Phase, visit: Visit): string | undefined {
  if (phase.gate?.when !== 'after') return undefined;
  const visits = state.visits.indexOf(visit) + 1;
  const gate = state.gates.findLast(
    (each) => each.kind === 'after' && each.phase === phase.id && each.visits === visits,
  );
  if (gate?.decided === undefined)
    return 'It waits for the approval of a person: nobody has answered yet.';
  return refusal(gate);
}

/** Who did not approve at a gate that was decided; undefined where it was approved. */
function refusal({ decided }: Gate): string | undefined {
  if (decided === undefined || decided.decision === 'approve') return undefined;
  const { decision, by, note } = decided;
  const who = by === 'timeout' ? 'nobody answered in time' : `a person said ${decision}`;
  return `It was not approved: ${who}${note === undefined ? '' : `, "${note}"`}.`;
}

/** The gate at which the run waits. */
function gateOf({ state }: Known): Gate | undefined {
  return state.ended === undefined ? openGate(state.gates) : undefined;
}

function notReached(known: Known, phase: Phase): Said {
  const { state, definition } = known;
  const last = state.gates.at(-1);
  const refused = last?.kind === 'before' ? refusal(last) : undefined;
  if (refused !== undefined && last?.phase === phase.id)
    return {
      standing: 'not-approved',
      why: ['It has not begun.', refused, ...theRun(known)],
      change: ['A person approves that it begins.', ...askAgain(known)],
    };
  const gate = gateOf(known) ?? (refused === undefined ? undefined : last);
  const at = gate?.phase ?? state.visits.at(-1)?.phase;
  const before = at === undefined ? undefined : phaseName(definition, at);
  return {
    standing: 'not-reached',
    why: ['It has not begun.', ...theRun(known)],
    change: [
      before === undefined ? 'The run comes to it.' : `Phase ${before} is complete: ${HOW}`,
      ...goOn(known),
    ],
  };
}

const HOW = 'what that takes is said there, and then the phases between come first.';

function toBeDoneAgain(known: Known, { ended }: Attempt, { phase, because }: Visit): Said {
  const name = phaseName(known.definition, phase);
  return {
    standing: 'not-reached',
    why: [`It was complete, and then the run went back to phase ${name}: ${because}.`],
    reasons: ended?.reasons ?? [],
    change: [`Phase ${name} is complete: ${HOW}`, ...goOn(known)],
  };
}

function entered(known: Known, phase: Phase, visit: Visit): Said {
  return {
    standing: 'under-way',
    why: [`It was entered because ${visit.because}; no attempt has ended.`, ...theRun(known)],
    change: [`An attempt has ${required(phase)}.`, ...goOn(known)],
  };
}

function underWay(known: Known, phase: Phase, visit: Visit): Said {
  const open = openAttempt(known.state);
  const before = visit.attempts.findLast(({ ended }) => ended !== undefined);
  const said = before === undefined ? [] : [`${endedAs(before)} before it.`];
  return {
    standing: 'under-way',
    why: [
      `${open === undefined ? 'An attempt' : named(open)} has no verdict yet.`,
      ...said,
      ...theRun(known),
    ],
    reasons: before?.ended?.reasons ?? [],
    change: [`It ends with ${required(phase)}.`, ...goOn(known)],
  };
}

function notComplete(known: Known, phase: Phase, attempt: Attempt): Said {
  const { ended } = attempt;
  if (ended === undefined) return notReached(known, phase);
  return {
    standing: 'not-complete',
    why: [`${endedAs(attempt)}.`, ...theRun(known)],
    reasons: ended.reasons,
    change: [...mends(phase, ended, known.definition.branch), ...goOn(known)],
  };
}

function atGate(known: Known, gate: Gate, visit: Visit | undefined): Said {
  const last = visit?.attempts.findLast(({ ended }) => ended !== undefined);
  const problems = known.state.lastPreflight?.problems ?? [];
  const found =
    gate.kind === 'preflight' ? problems.map(({ message }) => `${message.trim()}.`) : [];
  const hints = gate.kind === 'preflight' ? problems.map(({ hint }) => hint) : [];
  const done = { after: 'All that it requires is there.', before: 'It has not begun.' };
  return {
    standing: 'waiting',
    why: [
      ...(gate.kind === 'preflight' ? [] : [done[gate.kind]]),
      `It waits for a person: ${gate.reason}.`,
      ...found,
    ],
    reasons: gate.kind === 'before' ? [] : (last?.ended?.reasons ?? []),
    change: [
      ...hints,
      answers(known, gate),
      ...(gate.until === undefined
        ? []
        : [`Nobody answers until ${gate.until}: ${gate.onTimeout}.`]),
    ],
  };
}

/** What the phase asks for, in words that follow on "with" or "has". */
function required({ requires }: Phase): string {
  return ['a finished turn', ...requires.map((evidence) => REQUIRED[evidence])].join(', ');
}

const REQUIRED: Readonly<Record<Phase['requires'][number], string>> = {
  answer: 'the answer "success"',
  commit: 'a commit that changes something',
  clean: 'nothing left uncommitted',
  verdict: 'the verdict "pass"',
  changes: 'changes where they must and must not be',
  files: 'the files that must be there',
  checks: 'checks that pass',
};

/** What stands in the way of the run as a whole, where it is not simply going on. */
function theRun({ view }: Known): string[] {
  return [`The run is ${view.state}: ${view.reason.replace(/[.\s]+$/, '')}.`];
}

/** What a person can do where nobody is at it. */
function goOn(known: Known): string[] {
  const { view, definition } = known;
  const gate = gateOf(known);
  if (view.state === 'waiting' && gate !== undefined) return [answers(known, gate)];
  const resume = `\`devflow resume ${definition.id}\``;
  const words = {
    failed: `${resume} makes another attempt.`,
    stopped: `${resume} goes on.`,
    interrupted: `${resume} picks it up.`,
    waiting: `${resume} tries at once.`,
    due: '`devflow resume --due` goes on.',
    running: undefined,
    completed: undefined,
    unreadable: undefined,
  }[view.state];
  return words === undefined ? [] : [words];
}

/** What a person can do about a gate where it is not open any more. */
function askAgain(known: Known): string[] {
  const { view, definition } = known;
  const isOver = view.state === 'failed' || view.state === 'stopped';
  return isOver ? [`\`devflow resume ${definition.id}\` asks them again.`] : goOn(known);
}

/** Which answer lets the run go on. */
function answers({ definition: { id } }: Known, { kind, phase }: Gate): string {
  const approve = `\`devflow approve ${id}\``;
  return kind === 'preflight'
    ? `\`devflow resume ${id}\` looks at the preflight of phase ${phase} again, or a person goes on all the same: ${approve}.`
    : `A person approves, ${kind} phase ${phase}: ${approve}; \`devflow gates ${id}\` shows what is asked.`;
}

function named({ attempt, agent }: Attempt): string {
  return `Attempt ${attempt}, by ${agent},`;
}

function endedAs(attempt: Attempt): string {
  return `${named(attempt)} ended as ${attempt.ended?.outcome}`;
}

function phaseName({ workflow }: RunDefinition, id: number): string {
  const phase = workflow.phases.find((each) => each.id === id);
  return phase === undefined ? `${id}` : `${id} ${phase.name}`;
}
