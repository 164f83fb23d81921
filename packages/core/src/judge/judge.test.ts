import { describe, expect, it } from 'vitest';
import { BRANCH, type Case, check, failure, judged, passed } from '../../test/judged-case.js';
import type { GitFacts } from '../git/measure.js';
import type { Outcome, Reason } from '../state/records.js';

const unchangedGit: Partial<GitFacts> = { commits: [], onBranch: [], moved: false, differs: false };
const review = { mode: 'review', evidence: ['answer', 'verdict'] } as const;

describe('an attempt', () => {
  it('is completed where all that its phase requires says yes, and each ground is named', () => {
    expect(judged({})).toEqual({
      outcome: 'completed',
      reasons: [
        { evidence: 'process', says: 'yes', text: 'the agent ended with exit 0' },
        { evidence: 'agent', says: 'yes', text: 'the output ends as this agent ends its turns' },
        { evidence: 'answer', says: 'yes', text: 'the agent answered "success"' },
        { evidence: 'git', says: 'yes', text: '1 commit since the phase began' },
        { evidence: 'changes', says: 'yes', text: 'nothing that matches "test/**" changed' },
        { evidence: 'changes', says: 'yes', text: 'changed by "src/**": src/a.ts' },
        { evidence: 'files', says: 'yes', text: 'docs/plan.md is there' },
        { evidence: 'answer', says: 'yes', text: 'the verdict is "pass"' },
        { evidence: 'checks', says: 'yes', text: 'check "test" passed' },
      ],
    });
  });

  // prettier-ignore
  const cases: [name: string, attempt: Case, outcome: Outcome, evidence: Reason['evidence'], text: RegExp | string][] = [
    // The process.
    ['not started', { process: { end: 'not-started', detail: 'no "x" in the PATH' } }, 'not-started', 'process', 'the agent could not be started: no "x" in the PATH'],
    ['stopped', { process: { endedBy: 'stop' } }, 'stopped', 'process', 'the run was stopped'],
    ['ended at its time limit', { process: { endedBy: 'time', status: 143 }, turn: 'open' }, 'timed-out', 'process', 'the time limit was reached'],
    ['silent', { process: { endedBy: 'idle', status: 143 }, turn: 'open' }, 'idle', 'process', 'the agent was silent for too long'],
    ['silent, of an agent that has no terminal event', { process: { endedBy: 'idle', status: 143 }, turn: 'unknown' }, 'idle', 'process', 'the agent was silent for too long'],
    ['silent after a failed turn', { process: { endedBy: 'idle', status: 143 }, turn: 'failed', failure: failure('failed') }, 'failed', 'agent', 'words about failed'],
    ['ended at its time limit after a failed turn without words', { process: { endedBy: 'time', status: 137 }, turn: 'failed' }, 'failed', 'agent', 'the agent reported that its turn failed'],
    ['ended although its turn was not over', { process: { endedBy: 'finished', status: 143 }, turn: 'open' }, 'incomplete', 'process', 'the agent went on when it was ended after its turn'],
    ['ended as finished by mistake', { process: { endedBy: 'finished', status: 143 }, turn: 'unknown' }, 'incomplete', 'process', 'the agent went on when it was ended after its turn'],
    ['ended as finished and no signal', { process: { endedBy: 'finished', status: 143 }, signal: false }, 'incomplete', 'agent', 'the output does not end as this agent ends its turns'],
    ['ended as finished and a failure after it', { process: { endedBy: 'finished', status: 143 }, failure: failure('failed') }, 'failed', 'agent', 'words about failed'],
    ['flooding after its turn', { process: { endedBy: 'output', status: 143 }, turn: 'finished' }, 'over-budget', 'process', 'the agent printed too much'],
    ['flooding', { process: { endedBy: 'output', status: 143 } }, 'over-budget', 'process', 'the agent printed too much'],
    ['lost', { process: { end: 'lost' } }, 'crashed', 'process', 'the agent is gone and left no exit status'],
    ['exit 137', { process: { status: 137 } }, 'crashed', 'process', 'the agent ended with exit 137 or SIGKILL'],
    ['exit 162', { process: { status: 162 } }, 'crashed', 'process', 'the agent ended with exit 162 or signal 34'],
    ['exit 128', { process: { status: 128 } }, 'failed', 'process', 'the agent ended with exit 128'],
    ['exit 1', { process: { status: 1 } }, 'failed', 'process', 'the agent ended with exit 1'],
    // The agent's own terminal event, then its completion signal.
    ['a failed turn', { turn: 'failed' }, 'failed', 'agent', 'the agent reported that its turn failed'],
    ['a failure in its words', { failure: failure('failed') }, 'failed', 'agent', 'words about failed'],
    ['a rate limit', { failure: failure('rate-limited') }, 'rate-limited', 'agent', 'words about rate-limited'],
    ['a rate limit with its end', { failure: failure('rate-limited', '2030-01-01T00:00:00Z') }, 'rate-limited', 'agent', 'words about rate-limited (until 2030-01-01T00:00:00Z)'],
    ['a refused login', { failure: failure('auth') }, 'auth', 'agent', 'words about auth'],
    ['a turn left open', { turn: 'open' }, 'incomplete', 'agent', "the agent's turn was left open"],
    ['no completion signal', { signal: false }, 'incomplete', 'agent', 'the output does not end as this agent ends its turns'],
    // Its answer.
    ['no answer', { answer: 'none' }, 'incomplete', 'answer', 'the agent gave no DEVFLOW_RESULT'],
    ['the answer failed', { answer: { status: 'failed', reason: 'tests hang' } }, 'failed', 'answer', 'the agent answered "failed": tests hang'],
    ['the answer declined', { answer: { status: 'declined', summary: 'nothing to do' } }, 'declined', 'answer', 'the agent answered "declined": nothing to do'],
    ['the answer failed where none is required', { answer: { status: 'failed' }, asked: { evidence: [] } }, 'failed', 'answer', 'the agent answered "failed"'],
    // Git.
    ['an unknown head', { git: { head: undefined, errors: ['fatal: broken'] } }, 'incomplete', 'git', 'git could not be asked: fatal: broken'],
    ['unknown commits', { git: { commits: undefined } }, 'incomplete', 'git', 'git could not be asked: no answer'],
    ['unknown commits on the branch', { git: { onBranch: undefined } }, 'incomplete', 'git', 'git could not be asked: no answer'],
    ['a branch that may have moved', { git: { moved: undefined } }, 'incomplete', 'git', 'git could not be asked: no answer'],
    ['an unknown working tree', { git: { uncommitted: undefined } }, 'incomplete', 'git', 'git could not be asked: no answer'],
    ['another branch', { git: { branch: 'main' } }, 'rejected', 'git', `the worktree is on main, not on ${BRANCH}`],
    ['a detached HEAD', { git: { branch: undefined } }, 'rejected', 'git', `the worktree is on no branch, not on ${BRANCH}`],
    ['a history that was rewritten', { git: { descends: false } }, 'rejected', 'git', /no longer part of the branch/],
    ['a merge under way', { git: { underWay: 'a merge' } }, 'incomplete', 'git', 'a merge is under way in the worktree'],
    ['no commit and a clean tree', { git: unchangedGit }, 'no-change', 'git', 'no commit since the phase began'],
    ['no commit and a dirty tree', { git: { ...unchangedGit, uncommitted: ['a'] }, asked: { evidence: ['commit'] } }, 'incomplete', 'git', 'no commit since the phase began'],
    ['a path not committed', { git: { uncommitted: ['a b'] } }, 'incomplete', 'git', '1 path not committed: a b'],
    ['many paths not committed', { git: { uncommitted: 'abcdefg'.split('') } }, 'incomplete', 'git', '7 paths not committed: a, b, c, d, e and 2 more'],
    ['a review with commits', { asked: review }, 'rejected', 'git', "the review changed the run's branch"],
    ['a review with commits that do not count', { asked: review, git: { ...unchangedGit, onBranch: [{ hash: 'b', subject: 's' }], moved: true } }, 'rejected', 'git', "the review changed the run's branch"],
    ['a review that changed the worktree', { asked: review, git: unchangedGit, changedByReview: ['a', 'b'] }, 'rejected', 'git', "the review changed the run's worktree: a, b"],
    ['a review of which that is not known', { asked: review, git: unchangedGit, changedByReview: { unknown: 'no git' } }, 'incomplete', 'git', "the review changed the run's worktree: unknown (no git)"],
    ['a review of which that was not looked at', { asked: review, git: unchangedGit, changedByReview: 'none' }, 'incomplete', 'git', /^the review changed the run's worktree: unknown/],
    ['commits that others have too', { git: { commits: [], differs: true } }, 'no-change', 'git', 'the base branch or a remote has all commits since the phase began: nobody can say whose they are'],
    ['files that changed while the checks ran', { changedDuringChecks: ['a'] }, 'incomplete', 'git', 'files changed while the checks ran: a'],
    ['such files unknown', { changedDuringChecks: { unknown: 'no git' } }, 'incomplete', 'git', 'files changed while the checks ran: unknown (no git)'],
    ['a review on another branch', { git: { ...unchangedGit, branch: 'main' }, asked: review }, 'rejected', 'git', /^the worktree is on main/],
    ['a review that rewrote history', { git: { ...unchangedGit, descends: false }, asked: review }, 'rejected', 'git', /no longer part/],
    // The verdict.
    ['gaps', { answer: { status: 'success', verdict: 'gaps', reason: 'no tests' } }, 'rejected', 'answer', 'the verdict is "gaps": no tests'],
    ['gaps with a summary only', { answer: { status: 'success', verdict: 'gaps', summary: 'two gaps' } }, 'rejected', 'answer', 'the verdict is "gaps": two gaps'],
    ['no verdict', { answer: { status: 'success' } }, 'incomplete', 'answer', 'the agent gave no verdict'],
    ['no answer, so no verdict', { answer: 'none', asked: { evidence: ['verdict'] } }, 'incomplete', 'answer', 'the agent gave no verdict'],
    // Checks.
    ['a failed check', { checks: [passed, check(false, 'exit 1', 'lint')] }, 'rejected', 'checks', 'check "lint" failed (exit 1)'],
    ['a check that timed out', { checks: [check(false, 'timed out after 10m 0s')] }, 'rejected', 'checks', 'check "test" failed (timed out after 10m 0s)'],
    ['a check that passed before', { checks: [{ ...check(false, 'exit 1', 'lint'), before: 'passed' }] }, 'rejected', 'checks', 'check "lint" failed (exit 1): it passed before the phase began'],
    ['a check that failed before too', { checks: [{ ...check(false, 'exit 1', 'lint'), before: 'failed' }] }, 'rejected', 'checks', 'check "lint" failed (exit 1)'],
    ['checks that could not be run', { checks: [], checksNotRun: 'no room' }, 'incomplete', 'checks', 'the checks were not run: no room'],
    // What is protected.
    ['what is protected changed', { protected: { changed: ['a (deleted)', 'b#c'], diff: '-a' } }, 'rejected', 'protected', 'changed although protected, put it back: a (deleted), b#c'],
    ['much that is protected changed', { protected: { changed: 'abcdefghijkl'.split(''), diff: '' } }, 'rejected', 'protected', /: a, b, c, d, e, f, g, h, i, j and 2 more$/],
    ['what is protected unknown', { protected: { unknown: 'no git' } }, 'incomplete', 'protected', 'what is protected could not be compared: no git'],
    ['what is protected changed and a dirty tree', { git: { uncommitted: ['a'] }, protected: { changed: ['a'], diff: '' } }, 'rejected', 'protected', /^changed although protected/],
    ['checks that were not run', { checks: [] }, 'incomplete', 'checks', 'the checks were not run'],
  ];

  it.each(
    cases.map(
      ([name, attempt, outcome, ...reason]) => [name, outcome, attempt, ...reason] as const,
    ),
  )('with %s is %s', (_, outcome, attempt, evidence, text) => {
    const verdict = judged(attempt);
    const first = verdict.reasons.find(({ says }) => says !== 'yes');
    expect(verdict.outcome).toBe(outcome);
    expect(first?.evidence).toBe(evidence);
    expect(first?.text).toMatch(typeof text === 'string' ? exactly(text) : text);
  });

  it('has the diff of what is protected as detail, cut between characters, with its length', () => {
    const detail = (diff: string) =>
      judged({ protected: { changed: ['a'], diff } }).reasons.find(({ says }) => says === 'no')
        ?.detail;
    expect(detail('-a\n+b\n')).toBe('-a\n+b\n');
    expect(detail('😀'.repeat(8_000))).toBe('😀'.repeat(8_000));
    expect(detail('😀'.repeat(8_001))).toBe(
      `${'😀'.repeat(8_000)}\n[1 of 8001 characters are left out]\n`,
    );
  });

  // prettier-ignore
  const completed: [name: string, attempt: Case][] = [
    ['what is protected is as it was', { protected: { changed: [], diff: '' } }],
    ['nothing was answered and none is required', { answer: 'none', asked: { evidence: ['commit'] } }],
    ['nothing was committed and none is required', { git: unchangedGit, asked: { evidence: ['answer'] } }],
    ['a rebase is under way and clean is not required', { git: { underWay: 'a rebase' }, asked: { evidence: ['commit'] } }],
    ['paths are not committed and clean is not required', { git: { uncommitted: ['a'] }, asked: { evidence: ['commit'] } }],
    ['a check failed and none is required', { checks: [check(false, 'exit 1')], asked: { evidence: ['answer'] } }],
    ['the verdict is gaps and none is required', { answer: { status: 'success', verdict: 'gaps' }, asked: { evidence: ['answer'] } }],
    ['a review left the branch alone', { git: unchangedGit, asked: review }],
    ["the run's worktree is dirty and this is a review", { git: { ...unchangedGit, uncommitted: ['a'] }, asked: review }],
    ['the agent has no terminal event, so that the signal alone tells', { turn: 'unknown' }],
    ['it did not exit after its turn and was ended', { process: { endedBy: 'finished', status: 143 } }],
    ['it was killed for that', { process: { endedBy: 'finished', status: 137 } }],
    ['its turn was over when the time limit was reached', { process: { endedBy: 'time', status: 143 } }],
    ['its turn was over when it had been silent for too long', { process: { endedBy: 'idle', status: 143 } }],
  ];

  it.each(completed)('is completed where %s', (_, attempt) => {
    expect(judged(attempt).outcome).toBe('completed');
  });
});

describe('between two grounds', () => {
  /** In the order in which they count: each case is decided by what it is named after. */
  const order: [outcome: Outcome, attempt: Case][] = [
    ['not-started', { process: { end: 'not-started' } }],
    ['stopped', { process: { endedBy: 'stop' } }],
    ['rate-limited', { failure: failure('rate-limited') }],
    ['timed-out', { process: { endedBy: 'time' }, turn: 'open' }],
    ['crashed', { process: { status: 137 } }],
    ['failed', { turn: 'failed' }],
    ['incomplete', { signal: false }],
    ['declined', { answer: { status: 'declined', verdict: 'gaps' } }],
    ['no-change', { git: unchangedGit }],
    ['rejected', { checks: [check(false, 'exit 1')] }],
  ];
  const pairs = order.flatMap(([outcome, first], index) =>
    order
      .slice(index + 1)
      .map(([second, later]) => [outcome, second, merge(first, later)] as const),
  );

  it.each(pairs)('"%s" goes before "%s"', (outcome, _, attempt) => {
    expect(judged(attempt).outcome).toBe(outcome);
  });

  function merge(first: Case, later: Case): Case {
    return { ...later, ...first, process: { ...later.process, ...first.process } };
  }

  it('a quota stop is no time-out, although the limit ended it', () => {
    const attempt = {
      process: { endedBy: 'time', status: 143 },
      failure: failure('rate-limited'),
    } as const;
    expect(judged(attempt).outcome).toBe('rate-limited');
  });

  it('git goes before the verdict: gaps found by an agent that rewrote history', () => {
    const verdict = judged({
      git: { descends: false },
      answer: { status: 'success', verdict: 'gaps' },
    });
    expect(
      verdict.reasons.filter(({ says }) => says === 'no').map(({ evidence }) => evidence),
    ).toEqual(['git', 'answer']);
  });
});

describe('what the agent says went wrong', () => {
  const times = (attempt: Case, words: string) =>
    judged(attempt).reasons.filter(({ text }) => text.includes(words)).length;

  it('is said once, beside the exit status that it explains', () => {
    const failed: Case = { process: { status: 1 }, turn: 'failed', failure: failure('failed') };
    expect(times(failed, 'words about failed')).toBe(1);
    expect(judged(failed).reasons[0]?.text).toBe('the agent ended with exit 1: words about failed');
    const limited: Case = { process: { status: 1 }, turn: 'failed', failure: failure('auth') };
    expect(times(limited, 'words about auth')).toBe(1);
  });

  it('is said beside a time-out, which it explains, and beside a crash', () => {
    for (const process of [{ endedBy: 'time' }, { endedBy: 'idle' }, { status: 137 }] as const) {
      for (const turn of ['failed', 'open'] as const) {
        const hung: Case = {
          process: { status: 143, ...process },
          turn,
          failure: failure('failed'),
        };
        expect(times(hung, 'words about failed')).toBe(1);
        expect(judged(hung).reasons[0]?.says).toBe('no');
        expect(judged(hung).reasons.filter(({ evidence }) => evidence === 'process')).toHaveLength(
          1,
        );
      }
    }
    const lost: Case = { process: { end: 'lost' }, turn: 'failed', failure: failure('failed') };
    expect(judged(lost).outcome).toBe('crashed');
    expect(times(lost, 'words about failed')).toBe(1);
  });

  it('says how an agent that did not exit was ended', () => {
    const words = (endedBy: 'finished' | 'time' | 'idle') =>
      judged({ process: { endedBy, status: 143 } }).reasons[0]?.text;
    const said = 'the agent finished its turn and did not exit: it was ended';
    expect(words('finished')).toBe(said);
    expect(words('time')).toBe(`${said} at its time limit`);
    expect(words('idle')).toBe(`${said} after a long silence`);
  });

  it('is the outcome where devflow ended it for that', () => {
    const ended: Case = {
      process: { endedBy: 'limit' },
      turn: 'open',
      failure: failure('rate-limited'),
    };
    expect(judged(ended).outcome).toBe('rate-limited');
    expect(judged({ process: { endedBy: 'limit' } }).outcome).toBe('incomplete');
  });
});

function exactly(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}$`);
}
