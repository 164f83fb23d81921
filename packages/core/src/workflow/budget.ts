import type { BudgetDefinition } from './schema-budget.js';
import { parseDuration } from './units.js';

/** What may be spent: of the run over all its attempts, or of a phase over all attempts at it. A kind that is left out has no limit. */
export interface Budget {
  /** US dollars. */
  readonly usd?: number;
  /** Tokens of every kind: input, output, from the cache and into it. */
  readonly tokens?: number;
  /** Time that attempts take, added up; waits are not in it. */
  readonly wallClockMs?: number;
  /** Said where agents may be asked that state what they used only at the end of a turn: they can go over within it. */
  readonly enforce?: 'live' | 'between-attempts';
}

export const BUDGET_KINDS = ['usd', 'tokens', 'wallClockMs'] as const;
export type BudgetKind = (typeof BUDGET_KINDS)[number];

/** The schema has refused what is no budget. */
export function fillBudget({ usd, tokens, wallClock, enforce }: BudgetDefinition): Budget {
  const wallClockMs = wallClock === undefined ? undefined : parseDuration(wallClock);
  return {
    ...(usd !== undefined && { usd }),
    ...(tokens !== undefined && { tokens }),
    ...(wallClockMs !== undefined && { wallClockMs }),
    ...(enforce !== undefined && { enforce }),
  };
}
