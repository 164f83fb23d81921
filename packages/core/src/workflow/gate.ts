import type { GateDefinition } from './schema-gate.js';
import { parseDuration } from './units.js';

/** Where a person must approve before the run goes on. */
export interface GateSettings {
  readonly when: 'before' | 'after';
  readonly message?: string;
  /** How long an answer is waited for, and what comes of it then. */
  readonly limit?: { readonly ms: number; readonly decision: 'reject' | 'approve' };
}

/** The schema has refused what is none. */
export function fillGate(definition: GateDefinition): GateSettings {
  if (typeof definition === 'string') return { when: definition };
  const { when, message, timeout, onTimeout } = definition;
  const ms = timeout === undefined ? undefined : parseDuration(timeout);
  return {
    when,
    ...(message !== undefined && { message }),
    ...(ms !== undefined &&
      onTimeout !== undefined &&
      onTimeout !== 'wait' && { limit: { ms, decision: onTimeout } }),
  };
}
