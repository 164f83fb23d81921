import type { AgentFailure, AgentResult, Answer } from '../src/adapter/index.js';
import type { ChangedPaths, GitFacts } from '../src/git/measure.js';
import type {
  EvidenceFacts,
  Observation,
  ProtectedFacts,
  Requirements,
} from '../src/judge/observation.js';
import { judge } from '../src/judge/judge.js';
import type { ProcessFacts } from '../src/judge/observation.js';
import type { CheckResult } from '../src/state/records.js';
import { EVIDENCE } from '../src/workflow/schema-phase.js';

export const BRANCH = 'devflow/test/work';
export const ALL: Requirements = { mode: 'work', evidence: EVIDENCE, branch: BRANCH };

export const cleanGit: GitFacts = {
  head: 'b'.repeat(40),
  branch: BRANCH,
  uncommitted: [],
  underWay: undefined,
  commits: [{ hash: 'b'.repeat(40), subject: 'Add it' }],
  onBranch: [{ hash: 'b'.repeat(40), subject: 'Add it' }],
  moved: true,
  differs: true,
  descends: true,
  errors: [],
};
/** What all that a phase can ask for besides was found to be. */
export const allEvidence: EvidenceFacts = {
  output: [],
  changes: {
    must: [{ pattern: 'src/**', paths: ['src/a.ts'] }],
    mustNot: [{ pattern: 'test/**', paths: [] }],
  },
  files: [{ file: 'docs/plan.md', is: 'file' }],
};
export const passed = check(true, 'exit 0');

/** What an attempt gives that did all that can be asked. */
export interface Case {
  readonly process?: Partial<ProcessFacts>;
  readonly turn?: AgentResult['turn'];
  readonly failure?: AgentFailure;
  readonly signal?: boolean;
  readonly answer?: Answer | 'none';
  readonly git?: Partial<GitFacts>;
  readonly evidence?: EvidenceFacts;
  readonly protected?: ProtectedFacts;
  readonly checksNotRun?: string;
  /** `none`: it was not compared. */
  readonly changedByReview?: ChangedPaths | 'none';
  readonly changedDuringChecks?: ChangedPaths;
  readonly checks?: readonly CheckResult[];
  readonly asked?: Partial<Requirements>;
}

export function check(ok: boolean, ended: string, name = 'test'): CheckResult {
  return { name, command: ['npm', name], passed: ok, ended, output: '', durationMs: 1 };
}

export function judged(attempt: Case) {
  const answer = attempt.answer ?? { status: 'success', verdict: 'pass' };
  const observation: Observation = {
    process: { end: 'exited', status: 0, ...attempt.process },
    agent: {
      result: {
        turn: attempt.turn ?? 'finished',
        ...(attempt.failure !== undefined && { failure: attempt.failure }),
      },
      completionSignal: attempt.signal ?? true,
      ...(answer !== 'none' && { answer }),
    },
    git: { ...cleanGit, ...attempt.git },
    evidence: attempt.evidence ?? allEvidence,
    ...(attempt.protected !== undefined && { protected: attempt.protected }),
    ...(attempt.changedByReview !== 'none' && { changedByReview: attempt.changedByReview ?? [] }),
    changedDuringChecks: attempt.changedDuringChecks ?? [],
    ...(attempt.checksNotRun !== undefined && { checksNotRun: attempt.checksNotRun }),
  };
  return judge(observation, attempt.checks ?? [passed], { ...ALL, ...attempt.asked });
}

export const failure = (kind: AgentFailure['kind'], resetsAt?: string): AgentFailure => ({
  kind,
  message: `words about ${kind}`,
  ...(resetsAt !== undefined && { resetsAt }),
});
