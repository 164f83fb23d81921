import type { AgentResult, Answer, Mode } from '../adapter/index.js';
import type { ChangedPaths, GitFacts } from '../git/measure.js';
import type { ProtectedChanges } from '../git/protected.js';
import type { Outcome, Reason } from '../state/records.js';
import type { Evidence } from '../workflow/schema-phase.js';

/** The facts of an attempt, as devflow measured them or read them from the agent's own events. */
export interface Observation {
  readonly process: ProcessFacts;
  readonly agent: AgentFacts;
  readonly git: GitFacts;
  /** What was measured of what the phase asks for besides. */
  readonly evidence?: EvidenceFacts;
  /** Did somebody commit while the checks ran? Then they did not check what is there now. */
  readonly movedDuringChecks?: boolean;
  /** Committed files that changed while the checks ran, where they ran; undefined where that does not matter. */
  readonly changedDuringChecks?: ChangedPaths;
  /** Untracked paths that checks left, and that are as they left them. */
  readonly leftByChecks?: readonly string[];
  /** Of a review: in what the run's worktree is another than when it began. */
  readonly changedByReview?: ChangedPaths;
  /** What was changed of what the phase may not change; undefined where it protects nothing. */
  readonly protected?: ProtectedFacts;
  /** Why the checks were not run, where that was tried. */
  readonly checksNotRun?: string;
  /** Did the attempt change what hides files from git? Then git cannot be asked what is committed. */
  readonly hides?: boolean;
}

/** What is asked for by a key of the phase; undefined where it is not, or could not be measured. */
export interface EvidenceFacts {
  /** What of the answer's output does not hold by the phase's schema, each with its path. */
  readonly output?: readonly string[];
  readonly changes?: { readonly must: readonly Matched[]; readonly mustNot: readonly Matched[] };
  readonly files?: readonly FileFact[];
  /** Why something could not be measured. */
  readonly errors?: readonly string[];
}

/** A pattern, and the paths that changed and match it. */
export interface Matched {
  readonly pattern: string;
  readonly paths: readonly string[];
}

export interface FileFact {
  readonly file: string;
  /** `file` where it is one; else what is there in its place, in words. */
  readonly is: string;
}
/** In words where it could not be measured. */
export type ProtectedFacts = ProtectedChanges | { readonly unknown: string };

export interface ProcessFacts {
  /** `lost`: it is gone and left no status. */
  readonly end: 'exited' | 'lost' | 'not-started';
  readonly status?: number;
  /** Set where devflow ended it. `fault`: it could not be watched. `finished`: its turn was over, and it did not exit. */
  readonly endedBy?:
    'stop' | 'fault' | 'time' | 'idle' | 'output' | 'limit' | 'finished' | 'budget';
  /** More of why, in words. */
  readonly detail?: string;
}

export interface AgentFacts {
  readonly result: AgentResult;
  /** What `completionSignalDetected` said. */
  readonly completionSignal: boolean;
  readonly answer?: Answer;
  /** A line that was meant as one and cannot be read; beside an answer, why its output is left out. */
  readonly unreadable?: string;
}

export interface Requirements {
  readonly mode: Mode;
  readonly evidence: readonly Evidence[];
  /** Is the answer its structured output, and not a line of its last text? */
  readonly answerBySchema?: boolean;
  /** Must the answer have an output, by a schema? */
  readonly output?: boolean;
  /** The run's branch, which must be checked out in the run's worktree. */
  readonly branch: string;
}

/** A reason, with the outcome that it stands for. */
export type Finding = Reason & { readonly outcome: Outcome };
