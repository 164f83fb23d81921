import type { RunContext } from '../context.js';
import type { RecordBody } from '../state/records.js';
import type { Phase } from '../workflow/workflow.js';

/** Journals what a preflight found, and tells it. */
export function reportPreflight(
  { log, emit }: Pick<RunContext, 'log' | 'emit'>,
  phase: Phase,
  found: Omit<Extract<RecordBody, { type: 'preflight' }>, 'type' | 'phase'>,
): void {
  log.append({ type: 'preflight', phase: phase.id, ...found });
  const { problems, notes } = found;
  emit({ type: 'preflight', phase: phase.id, problems, notes });
}
