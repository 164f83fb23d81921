/** The keys of a phase that send the run back: for what is not accepted, for gaps, for what could not be done. */
export const LOOPS = ['onRejected', 'onGaps', 'onFailed'] as const;
export type LoopName = (typeof LOOPS)[number];

export interface Loop {
  /** The name of the phase itself or an earlier one. */
  readonly goto: string;
  /** How often, over the whole run: it never resets. */
  readonly max: number;
}
