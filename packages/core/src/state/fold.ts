import type { Budget } from '../workflow/budget.js';
import { type Gate, afterResume, decideGate, openGate } from './gates.js';
import { allAttempts } from './selectors.js';
import { type News, type Undelivered, newsAfter, undeliveredOf } from './news.js';
import type {
  BudgetGiven,
  CameBack,
  CheckResult,
  JournalRecord,
  Left,
  RecordBody,
} from './records.js';

type Ended = Extract<RecordBody, { type: 'attempt-ended' }>;
type Intended = Extract<RecordBody, { type: 'attempt-intended' }>;
/** What a run waits for: a person at a gate, the reset of a limit, a login. */
export interface Waiting {
  readonly for: 'preflight' | 'gate' | 'reset' | 'login';
  readonly reason: string;
  /** When it goes on. */
  readonly until?: string;
  /** A person has answered, and nobody was there to go on. */
  readonly answered?: true;
  readonly at: string;
}
type RunEnded = Extract<RecordBody, { type: 'run-ended' }>;
type GateDecided = Extract<RecordBody, { type: 'gate-decided' }>;
type Preflight = Extract<RecordBody, { type: 'preflight' }>;

export interface Attempt extends Intended {
  readonly startedAt: string;
  readonly ended?: Ended & { readonly at: string };
}

/** A stay in a phase: its attempts since it was entered. */
export interface Visit extends CameBack {
  readonly phase: number;
  /** The commit the run was at when the phase was entered. */
  readonly head: string;
  readonly because: string;
  /** Why it was skipped: it has no attempts then. */
  readonly skipped?: string;
  readonly enteredAt: string;
  /** What the checks said that are run before the first attempt; undefined where they were not. */
  readonly checksBefore?: readonly CheckResult[];
  readonly attempts: readonly Attempt[];
}

/** All that the journal says of a run. Pure data, made anew by {@link fold}. */
export interface RunState {
  readonly startedAt: string | undefined;
  readonly visits: readonly Visit[];
  /** `adding`: it may be there in part, and nobody has worked in it. `removing`: it was found to hold nothing that would be lost. */
  readonly worktree:
    { readonly directory: string; readonly stage: 'adding' | 'ready' | 'removing' } | undefined;
  readonly waiting: Waiting | undefined;
  /** All questions to persons, the open one last. */
  readonly gates: readonly Gate[];
  /** By phase: how many visits and gates there were when its `when` said yes last. */
  readonly held: Readonly<Record<number, { readonly visits: number; readonly gates: number }>>;
  readonly ended: (RunEnded & { readonly at: string }) | undefined;
  readonly lastPreflight: Preflight | undefined;
  /** The attempts that were there when a person last resumed the run: retries are counted anew from here; the total is not. */
  readonly attemptsBeforeResume: number;
  /** The attempts that were there when a wait last came to its end by itself: whom a limit had ended then may be asked again. */
  readonly attemptsBeforeWaitOver: number;
  readonly budget: BudgetWords;
  /** What checks left in the run's worktree, as they left it; while they run, or where they were cut off, what was there of others. */
  readonly checksLeft?: { readonly paths: Left } | { readonly others: readonly string[] };
  /** What persons are to be told of where the run stands, or were told last. */
  readonly news: News | undefined;
  /** The messages that did not get through. */
  readonly undelivered: readonly Undelivered[];
}

/** What persons who resumed the run said of its budgets: in place of what the workflow says. */
interface BudgetWords {
  readonly run: Budget;
  readonly phases: Readonly<Record<number, Budget>>;
  /** The attempts that had ended when that was last said: what they did not state is not asked for any more. */
  readonly attemptsBefore: number;
}

export const EMPTY: RunState = {
  startedAt: undefined,
  visits: [],
  worktree: undefined,
  waiting: undefined,
  gates: [],
  held: {},
  ended: undefined,
  lastPreflight: undefined,
  attemptsBeforeResume: 0,
  budget: { run: {}, phases: {}, attemptsBefore: 0 },
  attemptsBeforeWaitOver: 0,
  news: undefined,
  undelivered: [],
};

/** The state after all records, or after further ones. */
export function fold(records: readonly JournalRecord[], from: RunState = EMPTY): RunState {
  return records.reduce((state, record) => withNews(step(state, record), record), from);
}

function withNews(state: RunState, record: JournalRecord): RunState {
  const news = newsAfter(state.news, record, state.gates.at(-1), placeOf(state, record));
  const undelivered = undeliveredOf(record);
  if (news === state.news && undelivered.length === 0) return state;
  return { ...state, news, undelivered: [...state.undelivered, ...undelivered] };
}

/** Of a wait: what it is for, and how much was done when it began. */
function placeOf(state: RunState, record: JournalRecord): string {
  if (record.type !== 'run-waiting') return '';
  const worked = allAttempts(state).filter(
    ({ ended }) => ended?.outcome !== 'rate-limited' && ended?.outcome !== 'auth',
  );
  return `${record.for} ${state.visits.length} ${worked.length}`;
}

function step(state: RunState, record: JournalRecord): RunState {
  switch (record.type) {
    case 'run-started':
      return { ...state, startedAt: record.at };
    case 'wait-over':
      return afterWait(state);
    case 'run-resumed': {
      if (record.by === 'due') return afterWait(state);
      // Resuming what had ended or waits is a person's new word; picking up after a crash is not.
      const wasStopped = allAttempts(state).at(-1)?.ended?.outcome === 'stopped';
      const renewed = state.ended !== undefined || state.waiting !== undefined || wasStopped;
      const gates = afterResume(state.gates, record.at, state.ended !== undefined);
      return {
        ...state,
        gates,
        waiting: waitingAt(openGate(gates)),
        ended: undefined,
        attemptsBeforeResume: renewed ? allAttempts(state).length : state.attemptsBeforeResume,
        budget: withBudget(state, record.budget),
      };
    }
    case 'worktree-adding':
      return { ...state, worktree: { directory: record.directory, stage: 'adding' } };
    case 'worktree-ready':
      return { ...state, worktree: { directory: record.directory, stage: 'ready' } };
    case 'worktree-removing':
      return { ...state, worktree: { directory: record.directory, stage: 'removing' } };
    case 'worktree-removed':
      return { ...state, worktree: undefined };
    case 'preflight':
      return { ...state, lastPreflight: record };
    case 'phase-entered': {
      const visit = { ...record, enteredAt: record.at, attempts: [] };
      return { ...state, visits: [...state.visits, visit] };
    }
    case 'checks-began':
      return { ...state, checksLeft: { others: record.others } };
    case 'checks-before': {
      const visit = state.visits.at(-1);
      if (visit === undefined) return state;
      const checked = { ...visit, checksBefore: record.checks };
      const visits = [...state.visits.slice(0, -1), checked];
      return afterChecks({ ...state, visits }, record.left);
    }
    case 'phase-skipped': {
      const { reason: skipped, ...entry } = record;
      const visit = { ...entry, skipped, enteredAt: record.at, attempts: [] };
      return { ...state, visits: [...state.visits, visit] };
    }
    case 'condition-held': {
      const held = { visits: state.visits.length, gates: state.gates.length };
      return { ...state, held: { ...state.held, [record.phase]: held } };
    }
    case 'attempt-intended':
      return inCurrentVisit(afterChecks(state, undefined), (attempts) => [
        ...attempts,
        { ...record, startedAt: record.at },
      ]);
    case 'attempt-ended':
      return inLastAttempt(afterChecks(state, record.left), (attempt) => ({
        ...attempt,
        ended: record,
      }));
    case 'gate-opened': {
      const { type: _, ...opened } = record;
      const gate = {
        ...opened,
        openedAt: record.at,
        visits: state.visits.length,
        attempts: allAttempts(state).length,
      };
      return { ...state, gates: [...state.gates, gate], waiting: waitingAt(gate) };
    }
    case 'gate-decided': {
      const gates = decideGate(state.gates, record.gate, record);
      if (gates === state.gates) return state;
      return { ...state, gates, waiting: record.unattended && decidedAt(record) };
    }
    case 'run-waiting':
      return { ...state, waiting: record };
    case 'notified':
      return state;
    case 'run-ended':
      return { ...state, waiting: undefined, ended: record };
    default:
      return record satisfies never;
  }
}

/** What comes from now on is not of checks that began before. */
function afterChecks(state: RunState, left: Left | undefined): RunState {
  const { checksLeft } = state;
  const isOver = checksLeft !== undefined && 'others' in checksLeft;
  return left === undefined && !isOver ? state : { ...state, checksLeft: { paths: left ?? {} } };
}

function waitingAt(gate: Gate | undefined): Waiting | undefined {
  if (gate === undefined) return undefined;
  const { kind, reason, until, openedAt } = gate;
  const what = kind === 'preflight' ? 'preflight' : 'gate';
  return { for: what, reason, ...(until !== undefined && { until }), at: openedAt };
}

/** It is due from then on. */
function decidedAt({ at, decision }: GateDecided & { readonly at: string }): Waiting {
  return { for: 'gate', reason: `a person said ${decision}`, answered: true, at };
}

/** The latest word counts, kind by kind. */
function withBudget(state: RunState, given: BudgetGiven | undefined): BudgetWords {
  const { budget } = state;
  if (given === undefined) return budget;
  const phases = given.phases.map((id) => [id, { ...budget.phases[id], ...given.limit }] as const);
  return {
    run: { ...budget.run, ...given.limit },
    phases: { ...budget.phases, ...Object.fromEntries(phases) },
    attemptsBefore: allAttempts(state).filter(({ ended }) => ended !== undefined).length,
  };
}

function afterWait(state: RunState): RunState {
  const waiting = waitingAt(openGate(state.gates));
  return { ...state, waiting, attemptsBeforeWaitOver: allAttempts(state).length };
}

function inCurrentVisit(
  state: RunState,
  change: (attempts: readonly Attempt[]) => readonly Attempt[],
): RunState {
  const current = state.visits.at(-1);
  if (current === undefined) return state;
  return {
    ...state,
    visits: [...state.visits.slice(0, -1), { ...current, attempts: change(current.attempts) }],
  };
}

function inLastAttempt(state: RunState, change: (attempt: Attempt) => Attempt): RunState {
  return inCurrentVisit(state, (attempts) =>
    attempts.map((attempt, index) => (index === attempts.length - 1 ? change(attempt) : attempt)),
  );
}
