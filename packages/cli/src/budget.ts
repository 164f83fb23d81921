import type { BudgetDefinition } from '@devflow/core';

/**
 * What `--budget usd=5,tokens=200000,wallClock=2h` says. Read only: the core refuses what is no budget, with every
 * problem at once. A member that is named twice is kept as both, and one without a value as an empty one.
 */
export function budgetIn(flag: string | undefined): { readonly budget?: BudgetDefinition } {
  if (flag === undefined) return {};
  const members = new Map<string, string[]>();
  for (const member of flag.split(',')) {
    const [name = '', ...value] = member.split('=');
    const values = members.get(name.trim()) ?? [];
    members.set(name.trim(), [...values, value.join('=').trim()]);
  }
  const read = [...members].map(([name, values]) => [name, figure(values.join(' and '))]);
  return { budget: Object.fromEntries(read) as BudgetDefinition };
}

function figure(text: string): number | string {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
