import { z } from 'zod';

/** Outcomes that can be tried again: those whose consequence is a retry or going back. */
export const RETRIED = [
  'rejected',
  'no-change',
  'failed',
  'incomplete',
  'timed-out',
  'idle',
  'crashed',
] as const;
type Retried = (typeof RETRIED)[number];

/** How many further attempts: in all, whatever they come to; or by outcome, each counted by itself. */
export type Retries = number | Readonly<Partial<Record<Retried, number | undefined>>>;

/** Why there is no count for the other outcomes. */
const NEVER_RETRIED = {
  completed: 'the run goes on to the next phase',
  declined: 'the agent said that it need not or must not',
  'rate-limited': 'the next agent is asked, or the run waits for the reset',
  auth: 'the next agent is asked, or the run waits for a login',
  'not-started': 'the next agent is asked',
  'over-budget': 'what it may spend is used up',
  stopped: 'a person ended it',
} as const;

const count = z.int('expected a whole number').min(0, 'expected 0 or more');
const never = (outcome: string, why: string) =>
  z.never(`${outcome} is never retried: ${why}`).optional();

/** A number, or a count by outcome. */
export const RETRIES = z.union([
  count,
  z.strictObject({
    ...byName(RETRIED, () => count.optional()),
    ...byName(Object.keys(NEVER_RETRIED) as (keyof typeof NEVER_RETRIED)[], (outcome) =>
      never(outcome, NEVER_RETRIED[outcome]),
    ),
  }),
]);

function byName<Name extends string, Value>(
  names: readonly Name[],
  value: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, value(name)])) as Record<Name, Value>;
}
