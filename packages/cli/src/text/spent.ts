import type { AttemptResult } from '@devflow/core';
import { addUsage } from '@devflow/core/status';

type Spent = Pick<AttemptResult, 'usage' | 'costUsd'>;

/** `12.3k in (10k cached), 1.2k out, $0.13`, as the agent states it; what it does not state is left out. */
export function spentText({ usage = {}, costUsd }: Spent): string {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  // What came from the cache or went into it is input too, and counted beside the rest.
  const input =
    inputTokens === undefined
      ? undefined
      : inputTokens + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
  const cached = cacheReadTokens ? ` (${compact(cacheReadTokens)} cached)` : '';
  return [
    input === undefined ? undefined : `${compact(input)} in${cached}`,
    outputTokens === undefined ? undefined : `${compact(outputTokens)} out`,
    costUsd === undefined ? undefined : dollars(costUsd),
  ]
    .filter((part) => part !== undefined)
    .join(', ');
}

/** All attempts together. What is unknown of one is unknown of the sum. */
export function usageOfAll(attempts: readonly Spent[]): Pick<Spent, 'usage'> {
  const [first, ...others] = attempts.map(({ usage }) => usage);
  return { usage: others.reduce(addUsage, first) ?? {} };
}

/** `950`, `12.3k`, `123k`, `1.2M`. */
export function compact(count: number): string {
  const [unit, divisor] = count < 999_500 ? (['k', 1_000] as const) : (['M', 1_000_000] as const);
  if (count < 1_000) return String(count);
  const value = count / divisor;
  return `${value < 99.95 ? Number(value.toFixed(1)) : Math.round(value)}${unit}`;
}

/** Less than a cent is not nothing. */
function dollars(usd: number): string {
  return usd > 0 && usd < 0.005 ? '<$0.01' : `$${usd.toFixed(2)}`;
}
