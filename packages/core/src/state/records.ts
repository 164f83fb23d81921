import type { Answer, Problem, Usage } from '../adapter/index.js';
import type { Commit } from '../git/history.js';
import type { WorktreeState } from '../git/worktree-state.js';
import type { Budget } from '../workflow/budget.js';
import type { LoopName } from '../workflow/loop.js';
import type { NotifyOn } from '../workflow/schema-notify.js';
import type { Holder } from './lock.js';

/** What the journal holds: facts and decisions, one a line. The format's version is in each record. */
export const JOURNAL_VERSION = 1;

export const OUTCOMES = [
  'completed',
  'declined',
  'no-change',
  'rejected',
  'failed',
  'incomplete',
  'rate-limited',
  'auth',
  'timed-out',
  'idle',
  'over-budget',
  'stopped',
  'crashed',
  'not-started',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Names an attempt: the `attempt`th at this phase over the whole run. */
export interface AttemptName {
  readonly phase: number;
  readonly attempt: number;
}

/** One ground of a verdict, with the evidence it stands on. */
export interface Reason {
  readonly evidence:
    'process' | 'agent' | 'answer' | 'git' | 'protected' | 'changes' | 'files' | 'checks';
  readonly says: 'yes' | 'no' | 'unknown';
  readonly text: string;
  /** What it stands on, of several lines: a diff. */
  readonly detail?: string;
}

/** Untracked paths of the run's worktree that checks left, by what stands for what is there. */
export type Left = Readonly<Record<string, string>>;

export interface CheckResult {
  readonly name: string;
  readonly command: readonly string[];
  readonly passed: boolean;
  /** How it ended, in words: `exit 1`, `timed out after 10m`. */
  readonly ended: string;
  /** The end of what it printed. */
  readonly output: string;
  /** The file that has all of it, up to a limit. */
  readonly log?: string;
  /** How it went before the first attempt of the visit, where it was run then. */
  readonly before?: 'passed' | 'failed';
  readonly durationMs: number;
}

export const PROTECTED = ['kept', 'changed', 'unknown'] as const;
export type Protected = (typeof PROTECTED)[number];

/** Why a person is asked: the preflight of a phase failed; before it begins; once it is complete. */
export const GATE_KINDS = ['preflight', 'before', 'after'] as const;
export type GateKind = (typeof GATE_KINDS)[number];
/** `recheck`: of a failed preflight, it is looked at again. */
export const DECISIONS = ['approve', 'reject', 'abort', 'recheck'] as const;
export type Decision = (typeof DECISIONS)[number];

/** A person's word on what more may be spent. */
export interface BudgetGiven {
  /** Stands in place of what the run's budget said of these kinds. */
  readonly limit: Budget;
  /** The phases whose budgets were used up: it stands in place of theirs too. */
  readonly phases: readonly number[];
}

/** Who sent the run back to a phase, where somebody did. */
export interface CameBack {
  /** The phase whose attempt was no success. */
  readonly sentBackBy?: number;
  /** By which of its ways; `onGaps` where an earlier devflow did not say it. */
  readonly loop?: LoopName;
  /** The gate at which a person did. */
  readonly gate?: string;
}

export type RecordBody =
  | {
      readonly type: 'run-started';
      readonly holder: Holder;
      /** Hash of `run.json`, as it was written. */
      readonly definition?: string;
    }
  | {
      readonly type: 'run-resumed';
      readonly holder: Holder;
      readonly tookOver?: Holder;
      readonly budget?: BudgetGiven;
      /** Nobody's new word: the instant that it waited for had come. */
      readonly by?: 'due';
    }
  | {
      readonly type: 'worktree-adding' | 'worktree-ready' | 'worktree-removing';
      readonly directory: string;
    }
  | {
      readonly type: 'preflight';
      readonly phase: number;
      readonly problems: readonly Problem[];
      readonly notes: readonly string[];
      readonly version?: string;
      readonly account?: string;
      /** See `accountKey`. */
      readonly accountKey?: string;
      /** No agent is asked before that: other runs have learned of limits. */
      readonly limitedUntil?: string;
    }
  | ({
      readonly type: 'phase-entered';
      readonly phase: number;
      readonly head: string;
      readonly because: string;
    } & CameBack)
  | ({
      /** Its `when` said no: the run goes on behind it. */
      readonly type: 'phase-skipped';
      readonly phase: number;
      readonly head: string;
      readonly because: string;
      readonly reason: string;
    } & CameBack)
  | {
      /** Its `when` said yes, or a person in its place: it is not asked again before the phase is entered. */
      readonly type: 'condition-held';
      readonly phase: number;
      readonly reason: string;
    }
  /** Checks are about to run in the run's worktree. */
  | {
      readonly type: 'checks-began';
      readonly phase: number;
      /** Untracked paths that were there, of others than checks. */
      readonly others: readonly string[];
    }
  /** Checks that were run before the first attempt of the visit. */
  | {
      readonly type: 'checks-before';
      readonly phase: number;
      readonly checks: readonly CheckResult[];
      readonly left?: Left;
    }
  | ({
      readonly type: 'attempt-intended';
      readonly directory: string;
      /** Where the agent works: the run's worktree, or a disposable one. */
      readonly cwd: string;
      readonly token: string;
      /** The control group that was to be made for it, where one can be. */
      readonly cgroup?: string;
      /** What git was told not to show and how to convert, as hashes: see `hidingPlaces`. */
      readonly hiding: string;
      /** Of a review: what was not committed in the run's worktree when it began. */
      readonly worktree?: WorktreeState;
      readonly agent: string;
      readonly continues?: string;
      /** The agent's version, as its preflight found it. */
      readonly version?: string;
    } & AttemptName)
  | ({
      readonly type: 'attempt-ended';
      readonly outcome: Outcome;
      readonly reasons: readonly Reason[];
      readonly head?: string;
      /** See `GitFacts.tree`. */
      readonly tree?: string;
      readonly commits: readonly Commit[];
      readonly checks: readonly CheckResult[];
      readonly left?: Left;
      /** Of a phase that protects something: is it as it was? */
      readonly protected?: Protected;
      readonly status?: number;
      readonly answer?: Answer;
      /** The agent's last words, cut. */
      readonly text?: string;
      readonly sessionId?: string;
      readonly usage?: Usage;
      /** Of the whole session, where that is what the agent states. */
      readonly sessionUsage?: Usage;
      readonly costUsd?: number;
      readonly resetsAt?: string;
      /** devflow could not watch it any more, and ended it: that says nothing of the agent. */
      readonly unwatched?: true;
      readonly durationMs: number;
    } & AttemptName)
  | {
      readonly type: 'run-waiting';
      readonly for: 'reset' | 'login';
      readonly reason: string;
      readonly until?: string;
    }
  | {
      readonly type: 'gate-opened';
      /** Its id, which nobody can guess: an answer names it, and holds for no other. */
      readonly gate: string;
      readonly kind: GateKind;
      readonly phase: number;
      readonly reason: string;
      readonly message?: string;
      /** When it is decided by itself, and how. */
      readonly until?: string;
      readonly onTimeout?: 'approve' | 'reject' | 'abort';
    }
  | {
      readonly type: 'gate-decided';
      readonly gate: string;
      readonly decision: Decision;
      readonly by: 'person' | 'timeout';
      readonly note?: string;
      /** Where a rejected run goes back to: the id of a phase. */
      readonly goto?: number;
      /** Nobody held the run: it goes on once somebody does. */
      readonly unattended?: true;
    }
  /** Its holder has stayed until the instant had come. */
  | { readonly type: 'wait-over' }
  | {
      /** A message was sent to persons, or could not be. */
      readonly type: 'notified';
      /** The number of the record that it is about. */
      readonly about: number;
      readonly on: NotifyOn;
      /** The name of the channel. */
      readonly channel: string;
      /** Why it did not get through. */
      readonly problem?: string;
    }
  | { readonly type: 'worktree-removed'; readonly directory: string }
  | {
      readonly type: 'run-ended';
      readonly state: 'completed' | 'failed' | 'stopped';
      readonly reason: string;
    };

export type JournalRecord = {
  readonly v: typeof JOURNAL_VERSION;
  readonly seq: number;
  readonly at: string;
} & RecordBody;
