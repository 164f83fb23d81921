import { judgeAnswer, judgeOutput, judgeVerdict } from './answer.js';
import { judgeChanges, judgeFiles } from './paths.js';
import { judgeChecks } from './checks.js';
import { judgeProtected } from './protected.js';
import { judgeGit } from './git.js';
import { isSaidOfProcess, judgeProcess, reportedFailure } from './process.js';
import type {
  AgentFacts,
  Finding,
  Observation,
  ProcessFacts,
  Requirements,
} from './observation.js';
import type { CheckResult, Outcome, Reason } from '../state/records.js';

export interface Verdict {
  readonly outcome: Outcome;
  readonly reasons: readonly Reason[];
}

/**
 * What an attempt came to. Pure. The first finding that does not say yes names the outcome, in the
 * order process, agent, answer, protected, git, changes, files, verdict, checks; unknown is never yes.
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
    ...judgeOutput(observation, requirements),
    ...judgeProtected(observation.protected),
    ...judgeGit(observation, requirements),
    ...judgeChanges(observation.evidence, requirements),
    ...judgeFiles(observation.evidence, requirements),
    ...judgeVerdict(observation.agent.answer, requirements),
    ...judgeChecks(checks, requirements, observation.checksNotRun),
  ];
  return {
    outcome: findings.find(({ says }) => says !== 'yes')?.outcome ?? 'completed',
    reasons: findings.map(({ outcome: _, ...reason }) => reason),
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
