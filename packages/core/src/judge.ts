import type { AgentResult, Answer, Mode } from './adapter/index.js';
import type { GitFacts } from './git/measure.js';
import {
  type Finding,
  type ProcessFacts,
  isSaidOfProcess,
  judgeProcess,
  reportedFailure,
} from './judge-process.js';
import type { CheckResult, Outcome, Reason } from './state/records.js';
import type { Evidence } from './workflow/schema.js';

/** The facts of an attempt, as devflow measured them or read them from the agent's own events. */
export interface Observation {
  readonly process: ProcessFacts;
  readonly agent: AgentFacts;
  readonly git: GitFacts;
  /** Did somebody commit while the checks ran? Then they did not check what is there now. */
  readonly movedDuringChecks?: boolean;
  /** Did the attempt change what hides files from git? Then git cannot be asked what is committed. */
  readonly hides?: boolean;
}

export interface AgentFacts {
  readonly result: AgentResult;
  /** What `completionSignalDetected` said. */
  readonly completionSignal: boolean;
  readonly answer?: Answer;
  /** A line that was meant as one and cannot be read. */
  readonly unreadable?: string;
}

export interface Requirements {
  readonly mode: Mode;
  readonly evidence: readonly Evidence[];
  /** Is the answer its structured output, and not a line of its last text? */
  readonly answerBySchema?: boolean;
  /** The run's branch, which must be checked out in the run's worktree. */
  readonly branch: string;
}

export interface Verdict {
  readonly outcome: Outcome;
  readonly reasons: readonly Reason[];
}

/**
 * What an attempt came to. Pure. The first finding that does not say yes names the outcome, in the
 * order process, agent, answer, git, verdict, checks; unknown is never yes.
 */
export function judge(
  observation: Observation,
  checks: readonly CheckResult[],
  requirements: Requirements,
): Verdict {
  const findings = [
    ...judgeProcess(observation.process, observation.agent.result),
    ...judgeAgent(observation.agent, observation.process),
    ...judgeAnswer(observation.agent, requirements),
    ...judgeGit(observation, requirements),
    ...judgeVerdict(observation.agent.answer, requirements),
    ...judgeChecks(checks, requirements),
  ];
  return {
    outcome: findings.find(({ says }) => says !== 'yes')?.outcome ?? 'completed',
    reasons: findings.map(({ evidence, says, text }) => ({ evidence, says, text })),
  };
}

function judgeAgent({ result, completionSignal }: AgentFacts, process: ProcessFacts): Finding[] {
  const findings: Finding[] = [];
  const isSaid = isSaidOfProcess(result, process);
  if (!isSaid && (result.failure !== undefined || result.turn === 'failed')) {
    findings.push(reportedFailure(result));
  }
  if (result.turn === 'open') {
    findings.push({
      evidence: 'agent',
      says: 'no',
      outcome: 'incomplete',
      text: "the agent's turn was left open",
    });
  }
  findings.push(
    completionSignal
      ? {
          evidence: 'agent',
          says: 'yes',
          outcome: 'completed',
          text: 'the output ends as this agent ends its turns',
        }
      : {
          evidence: 'agent',
          says: 'no',
          outcome: 'incomplete',
          text: 'the output does not end as this agent ends its turns',
        },
  );
  return findings;
}

function judgeAnswer(
  { answer, unreadable }: AgentFacts,
  { evidence, answerBySchema }: Requirements,
): Finding[] {
  if (answer === undefined) {
    if (!evidence.includes('marker')) return [];
    const text =
      unreadable === undefined
        ? answerBySchema === true
          ? 'the agent gave no structured answer'
          : 'the agent gave no DEVFLOW_RESULT'
        : `the agent's answer cannot be read as JSON with a known status: ${unreadable}`;
    return [{ evidence: 'answer', says: 'no', outcome: 'incomplete', text }];
  }
  const said = answer.reason ?? answer.summary;
  const text = `the agent answered "${answer.status}"${said === undefined ? '' : `: ${said}`}`;
  const outcome = ({ success: 'completed', failed: 'failed', declined: 'declined' } as const)[
    answer.status
  ];
  return [{ evidence: 'answer', says: answer.status === 'success' ? 'yes' : 'no', outcome, text }];
}

function judgeGit(
  { git, movedDuringChecks, hides }: Observation,
  { mode, evidence, branch }: Requirements,
): Finding[] {
  const finding = (says: Reason['says'], outcome: Outcome, text: string): Finding => ({
    evidence: 'git',
    says,
    outcome,
    text,
  });
  const { commits, uncommitted } = git;
  if (git.head === undefined || commits === undefined || uncommitted === undefined) {
    return [
      finding(
        'unknown',
        'incomplete',
        `git could not be asked: ${git.errors.join('; ') || 'no answer'}`,
      ),
    ];
  }
  const findings: Finding[] = [];
  if (git.branch !== branch) {
    findings.push(
      finding(
        'no',
        'rejected',
        `the worktree is on ${git.branch ?? 'no branch'}, not on ${branch}`,
      ),
    );
  }
  if (git.descends !== true) {
    findings.push(
      finding(
        'no',
        'rejected',
        'the commit that the phase began with is no longer part of the branch',
      ),
    );
  }
  if (movedDuringChecks === true) {
    findings.push(finding('no', 'rejected', 'somebody committed while the checks ran'));
  }
  if (hides === true) {
    findings.push(finding('no', 'rejected', 'the attempt changed what git is told not to show'));
  }
  const made = commits.length > 0 && git.differs === true;
  if (mode === 'review') {
    // Its own checkout is thrown away; what is measured is the run's, which it must not have touched.
    if (commits.length > 0) {
      findings.push(finding('no', 'rejected', "the review changed the run's branch"));
    }
    return findings;
  }
  if (uncommitted.length > 0 && evidence.includes('clean')) {
    const paths = `${count(uncommitted.length, 'path')} not committed: ${listed(uncommitted)}`;
    findings.push(finding('no', 'incomplete', paths));
  }
  if (git.underWay !== undefined && evidence.includes('clean')) {
    findings.push(finding('no', 'incomplete', `${git.underWay} is under way in the worktree`));
  }
  if (made) {
    const since = `${count(commits.length, 'commit')} since the phase began`;
    findings.push(finding('yes', 'completed', since));
  } else if (evidence.includes('commit')) {
    // Work that was not committed is unfinished; no work at all is no change.
    const outcome = uncommitted.length > 0 ? 'incomplete' : 'no-change';
    const text =
      commits.length > 0
        ? 'the commits since the phase began change nothing'
        : 'no commit since the phase began';
    findings.push(finding('no', outcome, text));
  }
  return findings;
}

function judgeVerdict(answer: Answer | undefined, { evidence }: Requirements): Finding[] {
  if (!evidence.includes('verdict')) return [];
  const finding = (says: Reason['says'], outcome: Outcome, text: string): Finding[] => [
    { evidence: 'answer', says, outcome, text },
  ];
  if (answer?.verdict === 'pass') return finding('yes', 'completed', 'the verdict is "pass"');
  if (answer?.verdict === 'gaps') {
    const said = answer.reason ?? answer.summary;
    return finding(
      'no',
      'rejected',
      `the verdict is "gaps"${said === undefined ? '' : `: ${said}`}`,
    );
  }
  return finding('no', 'incomplete', 'the agent gave no verdict');
}

function judgeChecks(checks: readonly CheckResult[], { evidence }: Requirements): Finding[] {
  if (!evidence.includes('checks')) return [];
  if (checks.length === 0) {
    return [
      {
        evidence: 'checks',
        says: 'unknown',
        outcome: 'incomplete',
        text: 'the checks were not run',
      },
    ];
  }
  return checks.map(({ name, passed, ended }) => ({
    evidence: 'checks',
    says: passed ? 'yes' : 'no',
    outcome: passed ? 'completed' : 'rejected',
    text: `check "${name}" ${passed ? 'passed' : `failed (${ended})`}`,
  }));
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}

function listed(paths: readonly string[]): string {
  const shown = paths.slice(0, 5).join(', ');
  return paths.length > 5 ? `${shown} and ${paths.length - 5} more` : shown;
}
