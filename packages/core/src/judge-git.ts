import type { Finding, Observation, Requirements } from './observation.js';
import type { Outcome, Reason } from './state/records.js';

export function judgeGit(
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

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}

/** The first of them. */
export function listed(paths: readonly string[]): string {
  const shown = paths.slice(0, 5).join(', ');
  return paths.length > 5 ? `${shown} and ${paths.length - 5} more` : shown;
}
