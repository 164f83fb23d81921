import type { Finding, Requirements } from './observation.js';
import type { CheckResult } from './state/records.js';

export function judgeChecks(checks: readonly CheckResult[], { evidence }: Requirements): Finding[] {
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
