import type { BudgetFigures } from '@devflow/core';
import { budgetText } from '@devflow/core/status';

interface Budgets {
  readonly budget?: BudgetFigures;
  readonly phaseBudgets?: Readonly<Record<number, BudgetFigures>>;
}

/** What is spent of each budget: of the run, and of its phases. */
export function budgetLines({ budget, phaseBudgets = {} }: Budgets): string[] {
  return [
    ...(budget === undefined ? [] : [budgetText(budget)]),
    ...Object.entries(phaseBudgets).map(([id, figures]) => `phase ${id}: ${budgetText(figures)}`),
  ];
}

const FLAG_NAMES = { usd: 'usd', tokens: 'tokens', wallClockMs: 'wallClock' } as const;

/** ` --budget usd=…`: how more may be allowed of what is used up, or not known; empty where nothing is. */
export function budgetFlag({ budget, phaseBudgets = {} }: Budgets): string {
  const all = [budget, ...Object.values(phaseBudgets)].filter((figures) => figures !== undefined);
  const kinds = (['usd', 'tokens', 'wallClockMs'] as const).filter((kind) =>
    all.some(({ limit, spent }) => {
      const most = limit[kind];
      return most !== undefined && (spent[kind] ?? Infinity) >= most;
    }),
  );
  const members = kinds.map((kind) => `${FLAG_NAMES[kind]}=…`).join(',');
  return members === '' ? '' : ` --budget ${members}`;
}
