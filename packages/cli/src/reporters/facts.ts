import type { RunEvent } from '@devflow/core';

/** What later lines need of earlier events. */
export interface RunFacts {
  readonly runId: string;
  readonly startedAt: number;
  readonly baseBranch: string | undefined;
  readonly phases: readonly { readonly id: number; readonly name: string }[];
}

/** Remembers what the first event of a run says. */
export function rememberFacts(facts: RunFacts | undefined, event: RunEvent): RunFacts | undefined {
  if (event.type !== 'run-started' && event.type !== 'run-resumed') return facts;
  return {
    runId: event.run,
    startedAt: Date.parse(event.at),
    baseBranch: event.base.branch,
    phases: event.phases,
  };
}

/** `3 code`, as phases are called everywhere. */
export function phaseLabel(facts: Pick<RunFacts, 'phases'> | undefined, id: number): string {
  const name = facts?.phases.find((phase) => phase.id === id)?.name;
  return name === undefined ? `phase ${id}` : `${id} ${name}`;
}
