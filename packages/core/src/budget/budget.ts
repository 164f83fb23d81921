import type { Usage } from '../adapter/index.js';
import type { Attempt, RunState } from '../state/fold.js';
import { allAttempts } from '../state/selectors.js';
import { BUDGET_KINDS, type Budget, type BudgetKind } from '../workflow/budget.js';
import type { Phase, Workflow } from '../workflow/workflow.js';
import { formatDuration } from '../workflow/units.js';

/** What one attempt used, by its agent's own figures and devflow's clock. A kind that is not stated stays away: unknown is not zero. */
export type Spent = { readonly [Kind in BudgetKind]?: number };

/** A budget, and what of it is spent; `null` where an attempt did not state what it used. */
export interface BudgetFigures {
  readonly limit: Pick<Budget, BudgetKind>;
  readonly spent: { readonly [Kind in BudgetKind]?: number | null };
  /** Attempts that stated nothing before a person last resumed the run with a budget: they are not in it. */
  readonly uncounted: number;
}

/** A budget with the attempts that it is for. */
interface Account {
  /** Whose it is, in words. */
  readonly of: string;
  readonly budget: Budget;
  readonly attempts: readonly Attempt[];
}

/** All tokens of every kind; each is stated once. Without input and output it is unknown; an agent that tells none of a cache has none. */
export function tokensOf(usage: Usage | undefined): number | undefined {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage ?? {};
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
}

/** The run's budget as it stands now; undefined where it has none. */
export function runBudget({ budget }: Workflow, state: RunState): Budget | undefined {
  return merged(budget, state.budget.run);
}

export function phaseBudget({ id, budget }: Phase, state: RunState): Budget | undefined {
  if (budget === undefined) return undefined;
  const given = Object.entries(state.budget.phases[id] ?? {});
  // What it has no limit of gets none by a word that was for the run.
  return merged(budget, Object.fromEntries(given.filter(([kind]) => kind in budget)));
}

function merged(own: Budget | undefined, given: Budget = {}): Budget | undefined {
  const budget = { ...own, ...given };
  return BUDGET_KINDS.some((kind) => budget[kind] !== undefined) ? budget : undefined;
}

/**
 * Why nothing more may be spent on a phase; undefined where more may be. Pure.
 * @param now what the attempt under way has used so far
 */
export function overBudget(
  workflow: Workflow,
  phase: Phase,
  state: RunState,
  now: Spent = {},
): string | undefined {
  const accounts = [runAccount(workflow, state), phaseAccount(phase, state)];
  const reasons = accounts.map((account) => account && overAccount(account, state, now));
  return reasons.find((reason) => reason !== undefined);
}

/** The phases whose own budgets allow nothing more. */
export function phasesOverBudget({ phases }: Workflow, state: RunState): number[] {
  const accounts = phases.map((phase) => ({ id: phase.id, account: phaseAccount(phase, state) }));
  return accounts.flatMap(({ id, account }) =>
    account !== undefined && overAccount(account, state, {}) !== undefined ? [id] : [],
  );
}

/** What is spent of the run's budget, and of those of its phases. */
export function budgetFigures(
  workflow: Workflow,
  state: RunState,
): {
  readonly budget?: BudgetFigures;
  readonly phaseBudgets?: Readonly<Record<number, BudgetFigures>>;
} {
  const run = runAccount(workflow, state);
  const phases = workflow.phases.flatMap((phase) => {
    const account = phaseAccount(phase, state);
    return account === undefined ? [] : [[phase.id, figuresOf(account, state)] as const];
  });
  return {
    ...(run !== undefined && { budget: figuresOf(run, state) }),
    ...(phases.length > 0 && { phaseBudgets: Object.fromEntries(phases) }),
  };
}

function runAccount(workflow: Workflow, state: RunState): Account | undefined {
  const budget = runBudget(workflow, state);
  return budget && { of: 'the budget of the run', budget, attempts: allAttempts(state) };
}

function phaseAccount(phase: Phase, state: RunState): Account | undefined {
  const budget = phaseBudget(phase, state);
  const of = `the budget of phase ${phase.id} ${phase.name}`;
  const attempts = allAttempts(state).filter((attempt) => attempt.phase === phase.id);
  return budget && { of, budget, attempts };
}

function overAccount(account: Account, state: RunState, now: Spent): string | undefined {
  const { of, budget } = account;
  for (const kind of BUDGET_KINDS) {
    const limit = budget[kind];
    if (limit === undefined) continue;
    const { known, missing } = sumOf(account, kind, state);
    const spent = known + (now[kind] ?? 0);
    if (spent >= limit) return `${of} is used up: ${amountOf(kind, spent, limit)}`;
    const [first] = missing;
    if (first !== undefined) return `${of} cannot be kept: ${unstated(first, kind)}`;
  }
  return undefined;
}

/** What was stated, and who did not state it. */
function sumOf({ attempts }: Account, kind: BudgetKind, state: RunState) {
  const ended = attempts.filter((attempt) => attempt.ended !== undefined);
  const figures = ended.map((attempt) => ({ attempt, figure: spentBy(attempt)[kind] }));
  const known = figures.reduce((sum, { figure }) => sum + (figure ?? 0), 0);
  const silent = figures.filter(({ figure }) => figure === undefined).map((each) => each.attempt);
  const before = new Set(allAttempts(state).slice(0, state.budget.attemptsBefore));
  return {
    known,
    missing: silent.filter((attempt) => !before.has(attempt)),
    uncounted: silent.filter((attempt) => before.has(attempt)),
  };
}

/** An agent that never ran has used nothing. */
function spentBy({ ended }: Attempt): Spent {
  if (ended === undefined) return {};
  if (ended.outcome === 'not-started') return { usd: 0, tokens: 0, wallClockMs: 0 };
  const { costUsd: usd, usage, durationMs: wallClockMs } = ended;
  const tokens = tokensOf(usage);
  return {
    wallClockMs,
    ...(usd !== undefined && { usd }),
    ...(tokens !== undefined && { tokens }),
  };
}

function figuresOf(account: Account, state: RunState): BudgetFigures {
  const { budget } = account;
  const kinds = BUDGET_KINDS.filter((kind) => budget[kind] !== undefined);
  const sums = kinds.map((kind) => [kind, sumOf(account, kind, state)] as const);
  const spent = sums.map(([kind, sum]) => [kind, sum.missing.length > 0 ? null : sum.known]);
  return {
    limit: Object.fromEntries(kinds.map((kind) => [kind, budget[kind]])),
    spent: Object.fromEntries(spent) as BudgetFigures['spent'],
    uncounted: new Set(sums.flatMap(([, { uncounted }]) => uncounted)).size,
  };
}

/** What is left out of the budgets once a person has said what more may be spent, one sentence each. */
export function notCounted(workflow: Workflow, state: RunState): string[] {
  const accounts = [
    runAccount(workflow, state),
    ...workflow.phases.map((phase) => phaseAccount(phase, state)),
  ].filter((account) => account !== undefined);
  const said = accounts.flatMap((account) =>
    BUDGET_KINDS.filter((kind) => account.budget[kind] !== undefined).flatMap((kind) =>
      sumOf(account, kind, state).uncounted.map((attempt) => unstated(attempt, kind)),
    ),
  );
  return [...new Set(said)].map((sentence) => `${sentence}: it is not counted in the budget`);
}

const KIND_WORDS = { usd: 'cost', tokens: 'tokens', wallClockMs: 'time' } as const;

function unstated({ phase, attempt, agent }: Attempt, kind: BudgetKind): string {
  return `attempt ${attempt} at phase ${phase} (${agent}) stated no ${KIND_WORDS[kind]}`;
}

/** `$0.42 of $5.00, 120,340 of 200,000 tokens`: of every kind that is limited. */
export function budgetText({ limit, spent, uncounted }: BudgetFigures): string {
  const amounts = BUDGET_KINDS.flatMap((kind) => {
    const most = limit[kind];
    return most === undefined ? [] : [amountOf(kind, spent[kind] ?? undefined, most)];
  });
  const attempts = `${uncounted} ${uncounted === 1 ? 'attempt' : 'attempts'}`;
  const without = uncounted === 0 ? '' : ` (without ${attempts} that did not state it)`;
  return `${amounts.join(', ')}${without}`;
}

function amountOf(kind: BudgetKind, spent: number | undefined, limit: number): string {
  const figure = (amount: number | undefined, text: (amount: number) => string) =>
    amount === undefined ? 'unknown' : text(amount);
  switch (kind) {
    case 'usd':
      return `${figure(spent, dollars)} of ${dollars(limit)}`;
    case 'tokens':
      return `${figure(spent, grouped)} of ${grouped(limit)} tokens`;
    case 'wallClockMs':
      return `${figure(spent, formatDuration)} of ${formatDuration(limit)}`;
    default:
      return kind satisfies never;
  }
}

const grouped = (count: number) => count.toLocaleString('en-US');

/** To the cent, or to its hundredth part where that makes a difference. */
function dollars(usd: number): string {
  const cents = usd.toFixed(2);
  return `$${Math.abs(usd - Number(cents)) < 0.00005 ? cents : usd.toFixed(4)}`;
}
