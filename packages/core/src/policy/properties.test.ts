import { describe, expect, it } from 'vitest';
import { holds } from '../../test/any-run.js';
import type { Visit } from '../state/fold.js';
import { allAttempts } from '../state/selectors.js';
import { LOOPS } from '../workflow/loop.js';
import { RETRIED } from '../workflow/retries.js';

/** Did a stay in a phase end as completed, or was it skipped? */
function isBehind(visit: Visit | undefined): boolean {
  if (visit?.skipped !== undefined) return visit.attempts.length === 0;
  return visit?.attempts.at(-1)?.ended?.outcome === 'completed';
}

describe('whatever the attempts come to', () => {
  it('a run ends, within its attempts, over all loops and resumes', () => {
    holds(({ last }, { maxAttempts }) => {
      expect(allAttempts(last).length).toBeLessThanOrEqual(maxAttempts);
    });
  });

  it('a run never gets past a phase that is not completed', () => {
    holds(({ states }) => {
      for (const { visits } of states) {
        for (const [index, visit] of visits.entries()) {
          const next = visits[index + 1];
          if (next === undefined || next.sentBackBy !== undefined) continue;
          expect(isBehind(visit)).toBe(true);
          expect(next.phase).toBeGreaterThan(visit.phase);
        }
      }
    });
  });

  it('a run is completed only where the last visit of every phase ended as completed', () => {
    let seen = 0;
    holds(({ last, step }, { phases }) => {
      if (step.do !== 'end' || step.state !== 'completed') return;
      seen += 1;
      for (const { id } of phases) {
        const visit = last.visits.findLast(({ phase }) => phase === id);
        expect(isBehind(visit)).toBe(true);
      }
    });
    expect(seen).toBeGreaterThan(10);
  });

  it('no loop of a phase is taken more often than it may, whatever the others do', () => {
    const full: Record<string, number> = {};
    holds(
      ({ last }, { phases }) => {
        for (const phase of phases) {
          for (const loop of LOOPS) {
            const max = phase[loop]?.max ?? 0;
            const used = last.visits.filter(
              (visit) => visit.sentBackBy === phase.id && visit.loop === loop,
            ).length;
            expect(used).toBeLessThanOrEqual(max);
            if (used === max && max > 0) full[loop] = (full[loop] ?? 0) + 1;
          }
        }
      },
      { numRuns: 2_000 },
    );
    for (const loop of LOOPS) expect(full[loop]).toBeGreaterThan(10);
  });

  it('a phase that may be skipped is asked about once each time that the run comes to it', () => {
    let asked = 0;
    holds(({ bodies }, { phases }) => {
      let answers: number[] = [];
      for (const body of bodies) {
        if (body.type === 'condition-held') answers.push(body.phase);
        if (body.type !== 'phase-entered' && body.type !== 'phase-skipped') continue;
        const mayBeSkipped = phases.find(({ id }) => id === body.phase)?.when !== undefined;
        const expected = mayBeSkipped && body.type === 'phase-entered' ? [body.phase] : [];
        expect(answers).toEqual(expected);
        asked += expected.length;
        answers = [];
      }
    });
    expect(asked).toBeGreaterThan(100);
  });

  it('nothing is tried a fourth time that has come to the same three times', () => {
    let still = 0;
    holds(
      ({ last, step }) => {
        if (last.attemptsBeforeResume > 0) return;
        for (const phase of new Set(last.visits.map((visit) => visit.phase))) {
          const results = allAttempts(last)
            .filter((attempt) => attempt.phase === phase)
            .map(({ ended: end }) => JSON.stringify([end?.outcome, end?.tree, end?.reasons]));
          const isSame = (index: number) =>
            /^\["(?:rejected|no-change)","same"/.test(results[index] ?? '') &&
            [1, 2, 3].every((back) => results[index - back] === results[index]);
          expect(results.some((_, index) => isSame(index))).toBe(false);
        }
        still += Number(step.do === 'end' && step.reason.includes('three times with the same'));
      },
      { resumes: 0, numRuns: 4_000 },
    );
    expect(still).toBeGreaterThan(5);
  });

  it('a phase is not tried again more often than each outcome has retries, however often its run waits', () => {
    let used = 0;
    let waited = 0;
    holds(
      ({ last }, { phases }) => {
        if (last.attemptsBeforeResume > 0) return; // stopped and picked up: counted anew
        waited += Number(last.attemptsBeforeWaitOver > 0);
        for (const { phase, attempts } of last.visits) {
          const retries = phases.find(({ id }) => id === phase)?.retries;
          for (const outcome of RETRIED) {
            const tries = attempts.filter(({ ended: end }) => end?.outcome === outcome).length;
            const most = typeof retries === 'number' ? retries : (retries?.[outcome] ?? 1);
            expect(tries).toBeLessThanOrEqual(most + 1);
            used += Number(tries === most + 1);
          }
        }
      },
      { resumes: 0, numRuns: 2_000 }, // one run in thirty waits
    );
    expect(waited).toBeGreaterThan(10);
    expect(used).toBeGreaterThan(10);
  });

  it('no pause is longer than its cap, whatever the clock says', () => {
    const all: number[] = [];
    holds(({ pauses }) => all.push(...pauses));
    expect(all.length).toBeGreaterThan(10);
    expect(Math.min(...all)).toBeGreaterThan(0);
    expect(Math.max(...all)).toBe(5 * 60_000);
  });

  it('no two attempts at a phase have the same number', () => {
    holds(({ last }) => {
      const names = allAttempts(last).map(({ phase, attempt }) => `${phase}.${attempt}`);
      expect(new Set(names).size).toBe(names.length);
    });
  });
});
