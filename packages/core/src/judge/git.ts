import type { ChangedPaths, GitFacts } from '../git/measure.js';
import type { Finding, Observation, Requirements } from './observation.js';
import type { Outcome, Reason } from '../state/records.js';

export function judgeGit(
  {
    git,
    leftByChecks = [],
    movedDuringChecks,
    changedDuringChecks,
    changedByReview,
    hides,
  }: Observation,
  { mode, evidence, branch }: Requirements,
): Finding[] {
  const finding = (says: Reason['says'], outcome: Outcome, text: string): Finding => ({
    evidence: 'git',
    says,
    outcome,
    text,
  });
  const { commits, moved } = git;
  const unknown = [git.head, commits, git.onBranch, git.uncommitted, moved].includes(undefined);
  if (unknown || commits === undefined || git.uncommitted === undefined) {
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
  if (changedDuringChecks !== undefined) {
    const changed = inWords(changedDuringChecks);
    const text = `files changed while the checks ran: ${changed}`;
    if (changed !== '') findings.push(finding('unknown', 'incomplete', text));
  }
  if (hides === true) {
    findings.push(finding('no', 'rejected', 'the attempt changed what git is told not to show'));
  }
  const made = commits.length > 0 && git.differs === true;
  if (mode === 'review') {
    // Its own checkout is thrown away; what is measured is the run's, which it must not have touched.
    // Whether its commits count is no question: it can give them to the base branch, and then they do not.
    if (moved !== false) {
      findings.push(finding('no', 'rejected', "the review changed the run's branch"));
    }
    const changed = inWords(changedByReview ?? { unknown: 'what was there when it began' });
    if (changed !== '') {
      const isKnown = Array.isArray(changedByReview);
      const text = `the review changed the run's worktree: ${changed}`;
      findings.push(finding(isKnown ? 'no' : 'unknown', isKnown ? 'rejected' : 'incomplete', text));
    }
    return findings;
  }
  const left = git.uncommitted.filter((name) => leftByChecks.includes(name));
  const uncommitted = git.uncommitted.filter((name) => !leftByChecks.includes(name));
  if (left.length > 0 && evidence.includes('clean')) {
    const text = `checks left what is not committed, and it does not count: ${listed(left)}`;
    findings.push(finding('yes', 'completed', text));
  }
  if (uncommitted.length > 0 && evidence.includes('clean')) {
    const paths = `${count(uncommitted.length, 'path')} not committed: ${listed(uncommitted)}`;
    findings.push(finding('no', 'incomplete', paths));
  }
  if (git.underWay !== undefined && evidence.includes('clean')) {
    findings.push(finding('no', 'incomplete', `${git.underWay} is under way in the worktree`));
  }
  const asksForWork = evidence.includes('clean') || evidence.includes('commit');
  if (asksForWork && git.onlyHere !== undefined && git.onlyHere.length > 0) {
    const which = `committed as a repository within, whose commit no remote of it has: ${listed(git.onlyHere)}`;
    const remedy = 'push it to one, or commit its files themselves, without a .git of their own';
    const text = `${which}: the branch has nothing of what is in it: ${remedy}`;
    findings.push(finding('no', 'incomplete', text));
  }
  if (made) {
    const since = `${count(commits.length, 'commit')} since the phase began`;
    findings.push(finding('yes', 'completed', since));
  } else if (evidence.includes('commit')) {
    // Work that was not committed is unfinished; no work at all is no change.
    const outcome = uncommitted.length > 0 ? 'incomplete' : 'no-change';
    findings.push(finding('no', outcome, whyNoCommit(git)));
  }
  return findings;
}

function whyNoCommit({ commits, onBranch }: GitFacts): string {
  if (commits !== undefined && commits.length > 0)
    return 'the commits since the phase began change nothing';
  return onBranch?.length === 0
    ? 'no commit since the phase began'
    : 'the base branch or a remote has all commits since the phase began: nobody can say whose they are';
}

/** Empty where nothing changed. */
function inWords(changed: ChangedPaths): string {
  return 'unknown' in changed ? `unknown (${changed.unknown})` : listed(changed);
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}

/** The first of them. */
export function listed(paths: readonly string[]): string {
  const shown = paths.slice(0, 5).join(', ');
  return paths.length > 5 ? `${shown} and ${paths.length - 5} more` : shown;
}
