import { describe, expect, it } from 'vitest';
import {
  attempted,
  ended,
  entered,
  holder,
  intended,
  journalOf,
  phaseOf,
  resumed,
  runEnded,
  started,
  workflowOf,
} from '../../test/journal-of.js';
import { budgetFigures, budgetText, notCounted, overBudget, tokensOf } from './budget.js';
import { fold } from '../state/fold.js';
import type { BudgetGiven, Outcome, RecordBody } from '../state/records.js';
import type { Budget } from '../workflow/budget.js';

const used = (phase: number, attempt: number, costUsd?: number, tokens?: number, ms = 1) => [
  intended(phase, attempt),
  ended(phase, 'completed', attempt, {
    durationMs: ms,
    ...(costUsd !== undefined && { costUsd }),
    ...(tokens !== undefined && { usage: { inputTokens: tokens, outputTokens: 0 } }),
  }),
];
const given = (limit: Budget, phases: number[] = []): RecordBody => ({
  type: 'run-resumed',
  holder,
  budget: { limit, phases } satisfies BudgetGiven,
});

/** What is said of phase 1 under this budget of the run, and this one of phase 1. */
function said(bodies: readonly RecordBody[], run?: Budget, own?: Budget, now = {}) {
  const one = phaseOf(1, 'one', own === undefined ? {} : { budget: own });
  const flow = workflowOf([one, phaseOf(2, 'two')], run === undefined ? {} : { budget: run });
  const state = fold(journalOf(started, entered(1), ...bodies));
  return {
    over: overBudget(flow, one, state, now),
    figures: budgetFigures(flow, state),
    notes: notCounted(flow, state),
  };
}

describe('tokens', () => {
  it('are those of every kind', () => {
    const all = { inputTokens: 1, outputTokens: 20, cacheReadTokens: 300, cacheWriteTokens: 4_000 };
    expect(tokensOf(all)).toBe(4_321);
    expect(tokensOf({ inputTokens: 1, outputTokens: 2 })).toBe(3);
  });

  it('are unknown without those of input or output: unknown is not zero', () => {
    expect(tokensOf(undefined)).toBeUndefined();
    expect(tokensOf({ inputTokens: 1, cacheReadTokens: 5 })).toBeUndefined();
    expect(tokensOf({ outputTokens: 1 })).toBeUndefined();
  });
});

describe('a budget', () => {
  it('is used up at its limit, by the sum of all attempts', () => {
    const twice = [...used(1, 1, 0.5, 100, 2_000), ...used(1, 2, 0.4, 100, 3_000)];
    expect(said(twice, { usd: 0.91, tokens: 201, wallClockMs: 5_001 }).over).toBeUndefined();
    expect(said(twice, { usd: 0.9 }).over).toBe('the budget of the run is used up: $0.90 of $0.90');
    expect(said(twice, { tokens: 200 }).over).toBe(
      'the budget of the run is used up: 200 of 200 tokens',
    );
    expect(said(twice, { wallClockMs: 5_000 }).over).toBe(
      'the budget of the run is used up: 5.0s of 5.0s',
    );
  });

  it('has the attempt under way in it', () => {
    const once = used(1, 1, 0.5);
    const over = 'the budget of the run is used up: $1.25 of $1.00';
    expect(said(once, { usd: 1 }, undefined, { usd: 0.75 }).over).toBe(over);
    expect(said(once, { usd: 1 }, undefined, { usd: 0.4, tokens: 1e9 }).over).toBeUndefined();
  });

  it('of a phase has the attempts at that phase only, over all visits', () => {
    const visits = [
      ...used(1, 1, 0.5),
      entered(2),
      ...used(2, 1, 9),
      entered(1, { sentBackBy: 2 }),
      ...used(1, 2, 0.5),
    ];
    expect(said(visits, { usd: 100 }, { usd: 1.01 }).over).toBeUndefined();
    expect(said(visits, { usd: 100 }, { usd: 1 }).over).toBe(
      'the budget of phase 1 one is used up: $1.00 of $1.00',
    );
  });

  it('is never reset by a resume', () => {
    const bodies = [...used(1, 1, 1), runEnded('failed'), resumed];
    expect(said(bodies, { usd: 1 }).over).toContain('used up');
  });

  it('cannot be kept once an attempt stated nothing of it', () => {
    const silent = used(1, 1, undefined, 100);
    expect(said(silent, { tokens: 1_000 }).over).toBeUndefined();
    const over =
      'the budget of the run cannot be kept: attempt 1 at phase 1 (agent) stated no cost';
    expect(said(silent, { usd: 1 }).over).toBe(over);
    expect(said([...silent, ...used(1, 2, 5)], { usd: 1 }).over).toContain('used up: $5.00');
    expect(said(silent, { usd: 1 }).figures.budget).toMatchObject({ spent: { usd: null } });
  });

  it.each<Outcome>(['failed', 'auth', 'rate-limited', 'crashed', 'stopped'])(
    'cannot be kept after "%s" without a figure either',
    (outcome) => expect(said(attempted(1, outcome), { usd: 1 }).over).toContain('cannot be kept'),
  );

  it('counts nothing of an agent that never ran', () => {
    expect(said(attempted(1, 'not-started'), { usd: 1, tokens: 1 }).over).toBeUndefined();
  });

  it('has no limit where none is said', () => {
    const { over, figures } = said(used(1, 1, 1e6, 1e9));
    expect({ over, figures }).toEqual({ over: undefined, figures: {} });
  });
});

describe("a person's word on a budget", () => {
  it('takes the place of what was said of these kinds, and the latest one counts', () => {
    const spent = used(1, 1, 3, 100);
    const word = [...spent, runEnded('failed'), given({ usd: 5 })];
    expect(said(word, { usd: 1, tokens: 1_000 }).figures.budget).toEqual({
      limit: { usd: 5, tokens: 1_000 },
      spent: { usd: 3, tokens: 100 },
      uncounted: 0,
    });
    expect(said(word, { usd: 1 }).over).toBeUndefined();
    expect(said([...word, runEnded('failed'), given({ usd: 2 })], { usd: 1 }).over).toContain(
      '$3.00 of $2.00',
    );
    expect(said([...word, resumed], { usd: 1 }).over).toBeUndefined();
  });

  it('counts for the phases that it names, of what they limit', () => {
    const word = [...used(1, 1, 3, 100), runEnded('failed'), given({ usd: 5, tokens: 9_000 }, [1])];
    const { over, figures } = said(word, undefined, { usd: 1 });
    expect(over).toBeUndefined();
    expect(figures.phaseBudgets).toEqual({
      1: { limit: { usd: 5 }, spent: { usd: 3 }, uncounted: 0 },
    });
    const other = [...used(1, 1, 3), runEnded('failed'), given({ usd: 5 }, [])];
    expect(said(other, undefined, { usd: 1 }).over).toContain('phase 1 one is used up');
  });

  it('leaves out what was unknown before it, says so, and counts on from there', () => {
    const word = [
      ...attempted(1, 'failed'),
      ...used(1, 2, 0.5),
      runEnded('failed'),
      given({ usd: 1 }),
    ];
    const { over, figures, notes } = said(word);
    expect(over).toBeUndefined();
    expect(figures.budget).toEqual({ limit: { usd: 1 }, spent: { usd: 0.5 }, uncounted: 1 });
    expect(notes).toEqual([
      'attempt 1 at phase 1 (agent) stated no cost: it is not counted in the budget',
    ]);
    expect(said([...word, ...attempted(1, 'failed', 3)]).over).toContain('attempt 3');
  });

  it('still asks for the figures of an attempt that was under way', () => {
    const word = [intended(1), given({ usd: 1 }), ended(1, 'failed')];
    expect(said(word).over).toContain('attempt 1 at phase 1 (agent) stated no cost');
  });
});

it('a budget in words has what is spent and what may be, and what is not known', () => {
  const limit = { usd: 5, tokens: 200_000, wallClockMs: 7_200_000 };
  const spent = { usd: 0.42, tokens: 120_340, wallClockMs: 300_000 };
  expect(budgetText({ limit, spent, uncounted: 0 })).toBe(
    '$0.42 of $5.00, 120,340 of 200,000 tokens, 5m 0s of 2h 0m',
  );
  expect(budgetText({ limit: { usd: 0.01 }, spent: { usd: 0.0042 }, uncounted: 2 })).toBe(
    '$0.0042 of $0.01 (without 2 attempts that did not state it)',
  );
  expect(budgetText({ limit: { tokens: 5 }, spent: { tokens: null }, uncounted: 0 })).toBe(
    'unknown of 5 tokens',
  );
});
