import type { Attempt, Visit } from '../state/fold.js';
import type { Gate } from '../state/gates.js';
import type { CameBack } from '../state/records.js';
import type { GateSettings } from '../workflow/gate.js';
import type { Phase, When } from '../workflow/workflow.js';

export type Step =
  | ({
      readonly do: 'enter';
      readonly phase: Phase;
      readonly because: string;
      /** The agents that may be asked, in this order. */
      readonly candidates: readonly string[];
    } & CameBack)
  | ({
      /** Is the phase to be done at all? */
      readonly do: 'ask-when';
      readonly phase: Phase;
      readonly when: When;
      readonly because: string;
      /** A person lets the phase be done although that could not be told. */
      readonly approved: boolean;
    } & CameBack)
  | {
      readonly do: 'attempt';
      readonly phase: Phase;
      readonly visit: Visit;
      readonly number: number;
      /** The agents that may be asked, in this order. */
      readonly candidates: readonly string[];
    }
  | {
      readonly do: 'adopt';
      readonly phase: Phase;
      readonly visit: Visit;
      readonly attempt: Attempt;
    }
  | {
      /** A person is to be asked. */
      readonly do: 'open-gate';
      readonly phase: Phase;
      readonly gate: GateSettings;
    }
  | {
      /** A person has been asked, and there is no answer yet. */
      readonly do: 'gate';
      readonly gate: Gate;
    }
  | {
      readonly do: 'wait';
      readonly for: 'reset' | 'login';
      readonly reason: string;
      readonly until?: string;
    }
  | {
      /** Before a further attempt. */
      readonly do: 'pause';
      readonly phase: Phase;
      /** In milliseconds; never longer than the delay itself, whatever the clock says. */
      readonly ms: number;
      /** When it is due, in milliseconds: as if it had come, once the pause is over. */
      readonly due: number;
    }
  | {
      readonly do: 'end';
      readonly state: 'completed' | 'failed' | 'stopped';
      readonly reason: string;
      /** Is a budget the cause? Then more may be allowed when the run is resumed. */
      readonly overBudget?: true;
    };

/** Of all that is said of a step, who sent the run there. */
export function cameBack({ sentBackBy, loop, gate }: CameBack): CameBack {
  return {
    ...(sentBackBy !== undefined && { sentBackBy }),
    ...(loop !== undefined && { loop }),
    ...(gate !== undefined && { gate }),
  };
}

/** A step whose agents are not chosen yet. */
export type Next =
  | Exclude<Step, { do: 'enter' | 'attempt' }>
  | Omit<Extract<Step, { do: 'enter' }>, 'candidates'>
  | Omit<Extract<Step, { do: 'attempt' }>, 'candidates'>;

/** The part of the workflow that a run goes through, by ids of phases, both included. */
export interface PhaseRange {
  readonly first: number;
  readonly last: number;
}
