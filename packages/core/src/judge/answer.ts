import type { Answer } from '../adapter/index.js';
import type { AgentFacts, Finding, Observation, Requirements } from './observation.js';
import type { Outcome, Reason } from '../state/records.js';

export function judgeAnswer(
  { answer, unreadable }: AgentFacts,
  { evidence, answerBySchema }: Requirements,
): Finding[] {
  if (answer === undefined) {
    if (!evidence.includes('answer')) return [];
    const text =
      unreadable === undefined
        ? answerBySchema === true
          ? 'the agent gave no structured answer'
          : 'the agent gave no DEVFLOW_RESULT'
        : `the agent's answer cannot be read (broken JSON, a word that is not known, or a line that was cut): ${unreadable}`;
    return [{ evidence: 'answer', says: 'no', outcome: 'incomplete', text }];
  }
  const said = answer.reason ?? answer.summary;
  const text = `the agent answered "${answer.status}"${said === undefined ? '' : `: ${said}`}`;
  const outcome = ({ success: 'completed', failed: 'failed', declined: 'declined' } as const)[
    answer.status
  ];
  return [{ evidence: 'answer', says: answer.status === 'success' ? 'yes' : 'no', outcome, text }];
}

/** Of what is no success no output is asked for: it is not done. */
export function judgeOutput(
  { agent: { answer, unreadable }, evidence }: Observation,
  { output }: Requirements,
): Finding[] {
  if (output !== true || answer?.status !== 'success') return [];
  const finding = (says: Reason['says'], text: string): Finding => ({
    evidence: 'answer',
    says,
    outcome: says === 'yes' ? 'completed' : 'incomplete',
    text,
  });
  if (answer.output === undefined)
    return [finding('no', unreadable ?? 'the answer has no "output"')];
  if (evidence?.output === undefined) return [finding('unknown', 'the output was not validated')];
  if (evidence.output.length === 0)
    return [finding('yes', 'the output holds by the schema of the phase')];
  return evidence.output.map((problem) => finding('no', `output${problem}`));
}

export function judgeVerdict(answer: Answer | undefined, { evidence }: Requirements): Finding[] {
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
