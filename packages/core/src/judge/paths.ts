import { listed } from './git.js';
import type { EvidenceFacts, Finding, Requirements } from './observation.js';
import type { Outcome, Reason } from '../state/records.js';

/** What must not have changed goes first: that is wrong, where the rest is only unfinished. */
export function judgeChanges(
  facts: EvidenceFacts | undefined,
  { evidence }: Requirements,
): Finding[] {
  if (!evidence.includes('changes')) return [];
  const finding = (says: Reason['says'], outcome: Outcome, text: string): Finding => ({
    evidence: 'changes',
    says,
    outcome,
    text,
  });
  const { changes } = facts ?? {};
  if (changes === undefined) return [finding('unknown', 'incomplete', unknown('changed', facts))];
  const forbidden = changes.mustNot.map(({ pattern, paths }) =>
    paths.length === 0
      ? finding('yes', 'completed', `nothing that matches "${pattern}" changed`)
      : finding('no', 'rejected', `"${pattern}" must not change: ${listed(paths)}`),
  );
  const asked = changes.must.map(({ pattern, paths }) =>
    paths.length === 0
      ? finding('no', 'incomplete', `nothing that matches "${pattern}" changed`)
      : finding('yes', 'completed', `changed by "${pattern}": ${listed(paths)}`),
  );
  return [...forbidden, ...asked];
}

export function judgeFiles(
  facts: EvidenceFacts | undefined,
  { evidence }: Requirements,
): Finding[] {
  if (!evidence.includes('files')) return [];
  if (facts?.files === undefined || facts.files.length === 0) {
    const text = unknown('there', facts);
    return [{ evidence: 'files', says: 'unknown', outcome: 'incomplete', text }];
  }
  return facts.files.map(({ file, is }) => ({
    evidence: 'files',
    says: is === 'file' ? 'yes' : 'no',
    outcome: is === 'file' ? 'completed' : 'incomplete',
    text: is === 'file' ? `${file} is there` : `${file} is not there as a file: ${is}`,
  }));
}

function unknown(what: string, facts: EvidenceFacts | undefined): string {
  return `what is ${what} could not be measured: ${facts?.errors?.join('; ') || 'no answer'}`;
}
