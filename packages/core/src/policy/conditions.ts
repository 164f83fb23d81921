import { mayBeginUnchecked } from '../gate/gates.js';
import type { RunState } from '../state/fold.js';
import { whySkipped } from '../state/selectors.js';
import type { Next } from './step.js';
import type { Phase } from '../workflow/workflow.js';

/** Pure: what the `when` of a phase leads to. */

/** What comes in place of entering a phase whose `when` was not asked yet: the question. Asked once for each time that the run comes to it. */
export function asked(state: RunState, next: Next): Next {
  if (next.do !== 'enter' || next.phase.when === undefined) return next;
  const { phase, do: _, ...entry } = next;
  if (state.held[phase.id]?.visits === state.visits.length) return next;
  return {
    ...entry,
    do: 'ask-when',
    phase,
    when: next.phase.when,
    approved: mayBeginUnchecked(state, phase),
  };
}

/** The phases that were skipped when the run came to them last, in words. */
export function skippedText(state: RunState, phases: readonly Phase[]): string {
  const names = phases.filter(({ id }) => whySkipped(state, id) !== undefined);
  return names.map(({ id, name }) => `${id} ${name}`).join(', ');
}
