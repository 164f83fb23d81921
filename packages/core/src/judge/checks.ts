import type { Finding, Requirements } from './observation.js';
import type { CheckResult } from '../state/records.js';

export function judgeChecks(
  checks: readonly CheckResult[],
  { evidence }: Requirements,
  notRun?: string,
): Finding[] {
  if (!evidence.includes('checks')) return [];
  if (checks.length === 0) {
    return [
      {
        evidence: 'checks',
        says: 'unknown',
        outcome: 'incomplete',
        text: `the checks were not run${notRun === undefined ? '' : `: ${notRun}`}`,
      },
    ];
  }
  return checks.map((check) => ({
    evidence: 'checks',
    says: check.passed ? 'yes' : 'no',
    outcome: check.passed ? 'completed' : 'rejected',
    text: inWords(check),
  }));
}

function inWords({ name, passed, ended, before }: CheckResult): string {
  if (passed) return `check "${name}" passed${PASSED[before ?? 'unknown']}`;
  const broken = before === 'passed' ? ': it passed before the phase began' : '';
  return `check "${name}" failed (${ended})${broken}`;
}

const PASSED = {
  passed: ', as before the phase began',
  failed: ', and failed before the phase began',
  unknown: '',
} as const;
