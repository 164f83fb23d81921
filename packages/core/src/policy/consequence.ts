import type { Outcome } from '../state/records.js';

/** What an outcome leads to. `go-back` is a retry where the phase names nowhere to go back to; `move-on` asks the next agent of the phase, and waits where there is none. */
export type Consequence = 'advance' | 'retry' | 'go-back' | 'move-on' | 'fail' | 'stop';

export const CONSEQUENCES: Readonly<Record<Outcome, Consequence>> = {
  completed: 'advance',
  rejected: 'go-back',
  'no-change': 'retry',
  failed: 'retry',
  incomplete: 'retry',
  'timed-out': 'retry',
  idle: 'retry',
  crashed: 'retry',
  'rate-limited': 'move-on',
  auth: 'move-on',
  declined: 'fail',
  'over-budget': 'fail',
  'not-started': 'move-on',
  stopped: 'stop',
};

/** Outcomes of a turn that stopped early: the session is continued where the agent can. */
export const UNFINISHED: ReadonlySet<Outcome> = new Set<Outcome>([
  'incomplete',
  'timed-out',
  'idle',
  'crashed',
  'rate-limited',
  'auth',
  'over-budget',
  'stopped',
]);
