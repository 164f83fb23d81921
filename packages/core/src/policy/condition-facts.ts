import type { RunDefinition } from '../state/definition.js';
import type { RunState } from '../state/fold.js';
import { allAttempts, lastEnded, whySkipped } from '../state/selectors.js';
import type { ConditionFacts } from '../workflow/condition.js';

/** What the expression of a `when` is told. Pure. A phase that has not run is that, in a word, and has no output. */
export function conditionFacts(
  { id, branch, base, task, workflow }: RunDefinition,
  state: RunState,
): ConditionFacts {
  const run = { id, branch, base: base.commit, attempts: BigInt(allAttempts(state).length) };
  const phases = workflow.phases.map(({ id: phase, name }) => [name, factsOf(state, phase)]);
  return { task, run, vars: workflow.variables, phases: Object.fromEntries(phases) as unknown };
}

function factsOf(state: RunState, phase: number) {
  const ended = lastEnded(state, phase);
  const { output = null } = (ended?.answer ?? {}) as { readonly output?: unknown };
  return {
    outcome: whySkipped(state, phase) === undefined ? (ended?.outcome ?? 'not-run') : 'skipped',
    verdict: ended?.answer?.verdict ?? 'none',
    summary: ended?.answer?.summary ?? '',
    output,
  };
}
