import type { RunEvent } from '@devflow/core';

/** What later lines need of earlier events. */
export interface RunFacts {
  readonly runId: string;
  readonly startedAt: number;
  /** When it ended, or began to wait. */
  readonly endedAt?: number;
  readonly baseBranch: string | undefined;
  readonly phases: readonly { readonly id: number; readonly name: string }[];
}

/** Remembers what the first event of a run says, and phases that are entered without having been announced. */
export function rememberFacts(facts: RunFacts | undefined, event: RunEvent): RunFacts | undefined {
  if (facts !== undefined && (event.type === 'run-ended' || event.type === 'run-waiting'))
    return { ...facts, endedAt: Date.parse(event.at) };
  if (event.type === 'phase-entered' && facts !== undefined) return withPhase(facts, event);
  if (event.type !== 'run-started' && event.type !== 'run-resumed') return facts;
  return {
    runId: event.run,
    startedAt: Date.parse(event.at),
    baseBranch: event.base.branch,
    phases: event.phases,
  };
}

function withPhase(
  facts: RunFacts,
  { phase: id, name }: Extract<RunEvent, { type: 'phase-entered' }>,
): RunFacts {
  if (facts.phases.some((phase) => phase.id === id)) return facts;
  return { ...facts, phases: [...facts.phases, { id, name }].toSorted((a, b) => a.id - b.id) };
}

/** `3 code`, as phases are called everywhere. */
export function phaseLabel(facts: Pick<RunFacts, 'phases'> | undefined, id: number): string {
  const name = facts?.phases.find((phase) => phase.id === id)?.name;
  return name === undefined ? `phase ${id}` : `${id} ${name}`;
}
