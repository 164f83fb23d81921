import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentFailure, AgentResult, Answer } from './adapter/index.js';
import type { GitFacts } from './git/measure.js';
import { type Observation, type ProcessFacts, type Requirements, judge } from './judge.js';
import type { CheckResult, Outcome, Reason } from './state/records.js';
import { type Evidence, EVIDENCE } from './workflow/schema.js';

const BRANCH = 'devflow/test/work';
const ALL: Requirements = { mode: 'work', evidence: EVIDENCE, branch: BRANCH };

const cleanGit: GitFacts = {
  head: 'b'.repeat(40),
  branch: BRANCH,
  uncommitted: [],
  commits: [{ hash: 'b'.repeat(40), subject: 'Add it' }],
  differs: true,
  descends: true,
  errors: [],
};
const unchangedGit: Partial<GitFacts> = { commits: [], differs: false };
const passed = check(true, 'exit 0');

/** What an attempt gives that did all that can be asked. */
interface Case {
  readonly process?: Partial<ProcessFacts>;
  readonly turn?: AgentResult['turn'];
  readonly failure?: AgentFailure;
  readonly signal?: boolean;
  readonly answer?: Answer | 'none';
  readonly git?: Partial<GitFacts>;
  readonly checks?: readonly CheckResult[];
  readonly asked?: Partial<Requirements>;
}

function check(ok: boolean, ended: string, name = 'test'): CheckResult {
  return { name, command: ['npm', name], passed: ok, ended, output: '', durationMs: 1 };
}

function judged(attempt: Case) {
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
  };
  return judge(observation, attempt.checks ?? [passed], { ...ALL, ...attempt.asked });
}

const failure = (kind: AgentFailure['kind'], resetsAt?: string): AgentFailure => ({
  kind,
  message: `words about ${kind}`,
  ...(resetsAt !== undefined && { resetsAt }),
});
const review = { mode: 'review', evidence: ['marker', 'verdict'] } as const;

describe('an attempt', () => {
  it('is completed where all that its phase requires says yes, and each ground is named', () => {
    expect(judged({})).toEqual({
      outcome: 'completed',
      reasons: [
        { evidence: 'process', says: 'yes', text: 'the agent ended with exit 0' },
        { evidence: 'agent', says: 'yes', text: 'the output ends as this agent ends its turns' },
        { evidence: 'answer', says: 'yes', text: 'the agent answered "success"' },
        { evidence: 'git', says: 'yes', text: '1 commit since the phase began' },
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
    ['ended at its time limit', { process: { endedBy: 'time', status: 143 } }, 'timed-out', 'process', 'the time limit was reached'],
    ['silent', { process: { endedBy: 'idle', status: 143 } }, 'idle', 'process', 'the agent was silent for too long'],
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
    ['an unknown working tree', { git: { uncommitted: undefined } }, 'incomplete', 'git', 'git could not be asked: no answer'],
    ['another branch', { git: { branch: 'main' } }, 'rejected', 'git', `the worktree is on main, not on ${BRANCH}`],
    ['a detached HEAD', { git: { branch: undefined } }, 'rejected', 'git', `the worktree is on no branch, not on ${BRANCH}`],
    ['a history that was rewritten', { git: { descends: false } }, 'rejected', 'git', /no longer part of the branch/],
    ['no commit and a clean tree', { git: unchangedGit }, 'no-change', 'git', 'no commit since the phase began'],
    ['no commit and a dirty tree', { git: { ...unchangedGit, uncommitted: ['a'] }, asked: { evidence: ['commit'] } }, 'incomplete', 'git', 'no commit since the phase began'],
    ['a path not committed', { git: { uncommitted: ['a b'] } }, 'incomplete', 'git', '1 path not committed: a b'],
    ['many paths not committed', { git: { uncommitted: 'abcdefg'.split('') } }, 'incomplete', 'git', '7 paths not committed: a, b, c, d, e and 2 more'],
    ['a review with commits', { asked: review }, 'rejected', 'git', "the review changed the run's branch"],
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

  // prettier-ignore
  const completed: [name: string, attempt: Case][] = [
    ['nothing was answered and none is required', { answer: 'none', asked: { evidence: ['commit'] } }],
    ['nothing was committed and none is required', { git: unchangedGit, asked: { evidence: ['marker'] } }],
    ['paths are not committed and clean is not required', { git: { uncommitted: ['a'] }, asked: { evidence: ['commit'] } }],
    ['a check failed and none is required', { checks: [check(false, 'exit 1')], asked: { evidence: ['marker'] } }],
    ['the verdict is gaps and none is required', { answer: { status: 'success', verdict: 'gaps' }, asked: { evidence: ['marker'] } }],
    ['a review left the branch alone', { git: unchangedGit, asked: review }],
    ["the run's worktree is dirty and this is a review", { git: { ...unchangedGit, uncommitted: ['a'] }, asked: review }],
    ['the agent has no terminal event, so that the signal alone tells', { turn: 'unknown' }],
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
    ['timed-out', { process: { endedBy: 'time' } }],
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

describe('whatever else is observed', () => {
  const anyCheck = fc.record({ ok: fc.boolean(), name: fc.string() });
  const anyCase: fc.Arbitrary<
    Required<Omit<Case, 'failure'>> & { failure: AgentFailure | undefined }
  > = fc.record({
    process: fc.record(
      {
        end: fc.constantFrom('exited', 'lost', 'not-started'),
        status: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(255)),
        endedBy: fc.constantFrom('stop', 'time', 'idle', 'output'),
      },
      { requiredKeys: ['end'] },
    ),
    turn: fc.constantFrom('finished', 'failed', 'open', 'unknown'),
    failure: fc.option(
      fc.constantFrom('failed', 'rate-limited', 'auth').map((kind) => failure(kind)),
      { nil: undefined },
    ),
    signal: fc.boolean(),
    answer: fc.oneof(
      fc.constant('none' as const),
      fc.record(
        {
          status: fc.constantFrom('success', 'failed', 'declined'),
          verdict: fc.constantFrom('pass', 'gaps'),
          reason: fc.string(),
        },
        { requiredKeys: ['status'] },
      ),
    ),
    git: fc.record({
      head: fc.option(fc.constant('c'.repeat(40)), { nil: undefined }),
      branch: fc.constantFrom(BRANCH, 'main', undefined),
      uncommitted: fc.option(fc.array(fc.string(), { maxLength: 2 }), { nil: undefined }),
      commits: fc.option(fc.array(fc.constant({ hash: 'c', subject: 's' }), { maxLength: 2 }), {
        nil: undefined,
      }),
      descends: fc.constantFrom(true, false, undefined),
    }),
    checks: fc.array(
      anyCheck.map(({ ok, name }) => check(ok, 'exit', name)),
      { maxLength: 3 },
    ),
    asked: fc.record({
      mode: fc.constantFrom('work', 'review'),
      evidence: fc.subarray([...EVIDENCE]),
    }),
  });
  /** An attempt that is good but for a few things: at random hardly any would be completed. */
  const nearlyGood = fc
    .tuple(
      anyCase,
      fc.subarray(
        ['process', 'turn', 'failure', 'signal', 'answer', 'git', 'checks', 'asked'] as const,
        { maxLength: 2 },
      ),
    )
    .map(([random, keys]): Case =>
      Object.fromEntries(
        keys.flatMap((key) => (random[key] === undefined ? [] : [[key, random[key]]])),
      ),
    );
  const attempts = fc.oneof(nearlyGood, anyCase as fc.Arbitrary<Case>);

  const holds = (property: (attempt: Case) => boolean | undefined) =>
    fc.assert(fc.property(attempts, property), { numRuns: 2_000 });

  it('unknown is never yes: facts of git that are missing never make a completed phase', () => {
    holds((attempt) => {
      const { outcome, reasons } = judged(attempt);
      const git = { ...cleanGit, ...attempt.git };
      const unknown = [git.head, git.branch, git.uncommitted, git.commits, git.descends].includes(
        undefined,
      );
      return (
        !unknown ||
        (outcome !== 'completed' &&
          reasons.some(({ evidence, says }) => evidence === 'git' && says !== 'yes'))
      );
    });
  });

  it('a completed phase has every piece of evidence that it requires', () => {
    let seen = 0;
    holds((attempt) => {
      if (judged(attempt).outcome !== 'completed') return true;
      seen += 1;
      const { mode, evidence } = { ...ALL, ...attempt.asked };
      const answer = attempt.answer ?? { status: 'success', verdict: 'pass' };
      const git = { ...cleanGit, ...attempt.git };
      const work = mode === 'work';
      const has: Record<Evidence, boolean> = {
        marker: answer !== 'none' && answer.status === 'success',
        verdict: answer !== 'none' && answer.verdict === 'pass',
        commit: !work || (git.commits ?? []).length > 0,
        clean: !work || git.uncommitted?.length === 0,
        checks:
          (attempt.checks ?? [passed]).length > 0 &&
          (attempt.checks ?? []).every(({ passed: ok }) => ok),
      };
      return evidence.every((name) => has[name]);
    });
    expect(seen).toBeGreaterThan(100);
  });

  it('without the completion signal nothing is completed', () => {
    holds((attempt) => judged({ ...attempt, signal: false }).outcome !== 'completed');
  });

  it('with an exit status that is not 0, or none, nothing is completed', () => {
    holds((attempt) => {
      const { end, status } = { end: 'exited', status: 0, ...attempt.process };
      return (end === 'exited' && status === 0) || judged(attempt).outcome !== 'completed';
    });
    holds(
      (attempt) =>
        judged({ ...attempt, process: { end: 'exited', status: 1 } }).outcome !== 'completed',
    );
  });

  it('an exit without a status is unknown, and so a crash', () => {
    const agent = { result: { turn: 'finished' }, completionSignal: true } as const;
    const verdict = judge({ process: { end: 'exited' }, agent, git: cleanGit }, [], {
      ...ALL,
      evidence: [],
    });
    expect(verdict).toMatchObject({ outcome: 'crashed', reasons: [{ says: 'unknown' }, {}, {}] });
  });

  it('an error event of the agent outranks its answer', () => {
    holds(
      (attempt) =>
        judged({
          ...attempt,
          failure: failure('failed'),
          answer: { status: 'success', verdict: 'pass' },
        }).outcome !== 'completed' &&
        judged({ ...attempt, turn: 'failed' }).outcome !== 'completed',
    );
  });

  it('the outcome is that of the first ground that does not say yes, so a completed one has none', () => {
    holds((attempt) => {
      const { outcome, reasons } = judged(attempt);
      return (outcome === 'completed') === reasons.every(({ says }) => says === 'yes');
    });
  });

  it('every ground has words', () => {
    holds((attempt) => judged(attempt).reasons.every(({ text }) => text !== ''));
  });
});

function exactly(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}$`);
}
