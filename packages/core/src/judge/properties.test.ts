import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ALL,
  BRANCH,
  type Case,
  allEvidence,
  check,
  cleanGit,
  failure,
  judged,
  passed,
} from '../../test/judged-case.js';
import type { AgentFailure } from '../adapter/index.js';
import { judge } from './judge.js';
import { type Evidence, EVIDENCE } from '../workflow/schema-phase.js';

describe('whatever else is observed', () => {
  const anyCheck = fc.record({ ok: fc.boolean(), name: fc.string() });
  const matched = fc.array(
    fc.record({ pattern: fc.string(), paths: fc.array(fc.string(), { maxLength: 2 }) }),
    { maxLength: 2 },
  );
  const anyCase: fc.Arbitrary<
    Required<Omit<Case, 'failure'>> & { failure: AgentFailure | undefined }
  > = fc.record({
    process: fc.record(
      {
        end: fc.constantFrom('exited', 'lost', 'not-started'),
        status: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(255)),
        endedBy: fc.constantFrom('stop', 'time', 'idle', 'output', 'finished'),
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
          output: fc.jsonValue(),
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
      moved: fc.constantFrom(true, false, undefined),
    }),
    evidence: fc.record(
      {
        output: fc.array(fc.string(), { maxLength: 2 }),
        changes: fc.record({ must: matched, mustNot: matched }),
        files: fc.array(
          fc.record({ file: fc.string(), is: fc.constantFrom('file', 'nothing', 'a directory') }),
          { maxLength: 2 },
        ),
        errors: fc.array(fc.string(), { maxLength: 1 }),
      },
      { requiredKeys: [] },
    ),
    protected: fc.constantFrom(
      { changed: [], diff: '' },
      { changed: ['a'], diff: '-a' },
      { unknown: 'no git' },
    ),
    checksNotRun: fc.string(),
    changedByReview: fc.constantFrom([], ['a'], { unknown: 'no git' }),
    changedDuringChecks: fc.constantFrom([], ['a'], { unknown: 'no git' }),
    checks: fc.array(
      anyCheck.map(({ ok, name }) => check(ok, 'exit', name)),
      { maxLength: 3 },
    ),
    asked: fc.record({
      mode: fc.constantFrom('work', 'review'),
      evidence: fc.subarray([...EVIDENCE]),
      output: fc.boolean(),
    }),
  });
  /** An attempt that is good but for a few things: at random hardly any would be completed. */
  const nearlyGood = fc
    .tuple(
      anyCase,
      fc.subarray(
        [
          'process',
          'turn',
          'failure',
          'signal',
          'answer',
          'git',
          'evidence',
          'protected',
          'checks',
          'asked',
        ] as const,
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
      const { mode, evidence, output } = { ...ALL, ...attempt.asked };
      const answer = attempt.answer ?? { status: 'success', verdict: 'pass' };
      const git = { ...cleanGit, ...attempt.git };
      const work = mode === 'work';
      const measured = attempt.evidence ?? allEvidence;
      const { must, mustNot } = measured.changes ?? {};
      const isAsAsked =
        answer === 'none' || (answer.output !== undefined && measured.output?.length === 0);
      if (output === true && !isAsAsked) return false;
      const has: Record<Evidence, boolean> = {
        answer: answer !== 'none' && answer.status === 'success',
        verdict: answer !== 'none' && answer.verdict === 'pass',
        commit: !work || (git.commits ?? []).length > 0,
        clean: !work || git.uncommitted?.length === 0,
        changes:
          must?.every(({ paths }) => paths.length > 0) === true &&
          mustNot?.every(({ paths }) => paths.length === 0) === true,
        files:
          measured.files !== undefined &&
          measured.files.length > 0 &&
          measured.files.every(({ is }) => is === 'file'),
        checks:
          (attempt.checks ?? [passed]).length > 0 &&
          (attempt.checks ?? []).every(({ passed: ok }) => ok),
      };
      const facts = attempt.protected;
      const kept = facts === undefined || ('changed' in facts && facts.changed.length === 0);
      return kept && evidence.every((name) => has[name]);
    });
    expect(seen).toBeGreaterThan(100);
  });

  it('what was not measured of what is asked for never makes a completed phase', () => {
    holds((attempt) => {
      const { evidence = ALL.evidence, output } = attempt.asked ?? {};
      const { evidence: facts = allEvidence, answer } = attempt;
      const { outcome, reasons } = judged(attempt);
      const isUnknown = (['changes', 'files'] as const).filter(
        (name) => evidence.includes(name) && facts[name] === undefined,
      );
      const isUnseen = output === true && answer !== 'none' && facts.output === undefined;
      return (
        !(isUnknown.length > 0 || isUnseen) ||
        (outcome !== 'completed' &&
          isUnknown.every((name) =>
            reasons.some(({ evidence: by, says }) => by === name && says === 'unknown'),
          ))
      );
    });
  });

  it('a path that must not change is never completed, whatever else there is', () => {
    const changes = { must: [], mustNot: [{ pattern: 'test/**', paths: ['test/a'] }] };
    holds((attempt) => {
      const evidence: readonly Evidence[] = [...(attempt.asked?.evidence ?? []), 'changes'];
      const asked = { ...attempt.asked, evidence };
      const { outcome, reasons } = judged({ ...attempt, evidence: { changes }, asked });
      const said = reasons.filter(({ evidence: by, says }) => by === 'changes' && says === 'no');
      return outcome !== 'completed' && said.length === 1;
    });
  });

  it('without the completion signal nothing is completed', () => {
    holds((attempt) => judged({ ...attempt, signal: false }).outcome !== 'completed');
  });

  it('with an exit status that is not 0, or none, nothing is completed but what did not exit after its turn', () => {
    holds((attempt) => {
      const { end, status, endedBy } = { end: 'exited', status: 0, ...attempt.process };
      const byUs = endedBy === 'finished' || endedBy === 'time' || endedBy === 'idle';
      const didNotExit =
        byUs && end !== 'not-started' && (attempt.turn ?? 'finished') === 'finished';
      const exited = end === 'exited' && status === 0;
      return exited || didNotExit || judged(attempt).outcome !== 'completed';
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
