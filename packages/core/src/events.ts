import type { AgentEvent, Problem } from './adapter/index.js';
import type { Commit } from './git/history.js';
import type { Gate } from './state/gates.js';
import type { AttemptName, CheckResult, Outcome, Reason, RecordBody } from './state/records.js';

/** What devflow did, for reporters and programs. Version 1: fields are added, never changed. */
export type RunEvent = { readonly v: 1; readonly at: string; readonly run: string } & RunEventBody;

export type RunEventBody =
  | {
      readonly type: 'run-started' | 'run-resumed';
      readonly task: string;
      readonly workflow: string;
      readonly branch: string;
      readonly base: { readonly commit: string; readonly branch?: string };
      readonly phases: readonly {
        readonly id: number;
        readonly name: string;
        readonly agent: string;
        /** The agents that are asked where that one cannot go on. */
        readonly fallbacks?: readonly string[];
      }[];
      /** Who confines the agents. */
      readonly sandbox: string;
      /** Journal and output of the run. */
      readonly directory: string;
    }
  | { readonly type: 'note'; readonly text: string }
  | {
      readonly type: 'preflight';
      readonly phase: number;
      readonly problems: readonly Problem[];
      readonly notes: readonly string[];
    }
  | {
      readonly type: 'worktree-adding' | 'worktree-ready' | 'worktree-removed';
      readonly directory: string;
    }
  | { readonly type: 'setup-started'; readonly name: string }
  | {
      readonly type: 'phase-entered';
      readonly phase: number;
      readonly name: string;
      readonly because: string;
    }
  | {
      readonly type: 'phase-skipped';
      readonly phase: number;
      readonly name: string;
      readonly reason: string;
    }
  | ({
      readonly type: 'attempt-started';
      readonly agent: string;
      readonly directory: string;
      readonly adopted: boolean;
    } & AttemptName)
  | ({ readonly type: 'agent'; readonly event: AgentEvent } & AttemptName)
  /** `before`: in advance, of the first attempt of a visit. */
  | ({
      readonly type: 'check-started';
      readonly name: string;
      readonly before?: true;
    } & AttemptName)
  | ({
      readonly type: 'check-ended';
      readonly check: CheckResult;
      readonly before?: true;
    } & AttemptName)
  | ({
      readonly type: 'attempt-ended';
      readonly outcome: Outcome;
      readonly reasons: readonly Reason[];
      readonly commits: readonly Commit[];
      readonly durationMs: number;
      readonly costUsd?: number;
    } & AttemptName)
  | {
      /** A further attempt begins at this instant. */
      readonly type: 'retry-pause';
      readonly phase: number;
      readonly until: string;
      /** How long that is. */
      readonly ms: number;
    }
  | {
      readonly type: 'run-waiting';
      readonly for: 'preflight' | 'gate' | 'reset' | 'login';
      readonly reason: string;
      readonly until?: string;
      /** The question to a person. */
      readonly gate?: Gate;
      /** Does this devflow stay until then, and go on? */
      readonly stays?: boolean;
    }
  | Extract<RecordBody, { type: 'gate-opened' | 'gate-decided' }>
  | { readonly type: 'wait-over' }
  | {
      readonly type: 'run-ended';
      readonly state: 'completed' | 'failed' | 'stopped';
      readonly reason: string;
    };

/** What it throws stops no run: `run` and `resume` reject with its first error once the run has ended or waits. */
export type OnRunEvent = (event: RunEvent) => void;
