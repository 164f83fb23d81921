import type { RecordBody } from './records.js';

type Opened = Extract<RecordBody, { type: 'gate-opened' }>;
type Decided = Extract<RecordBody, { type: 'gate-decided' }>;

/** A question to a person, and the answer. */
export interface Gate extends Omit<Opened, 'type'> {
  readonly openedAt: string;
  /** How many stays in phases there were when it was opened: what it belongs to. */
  readonly visits: number;
  /** And attempts. */
  readonly attempts: number;
  readonly decided?: Omit<Decided, 'type' | 'gate'> & { readonly at: string };
  /** A person went on with the run although it had been aborted here: it is asked anew. */
  readonly reopened?: true;
}

/** The gate that waits for an answer. */
export function openGate(gates: readonly Gate[]): Gate | undefined {
  const last = gates.at(-1);
  return last?.decided === undefined ? last : undefined;
}

/** The first decision counts; one on another gate than the open one changes nothing. */
export function decideGate(
  gates: readonly Gate[],
  gate: string,
  decided: NonNullable<Gate['decided']>,
): readonly Gate[] {
  const open = openGate(gates);
  if (open?.gate !== gate) return gates;
  return [...gates.slice(0, -1), { ...open, decided }];
}

/**
 * When a person resumes the run: a failed preflight is looked at again, and a run that ended as it was aborted is
 * asked again; one that was cut off before it ended ends.
 */
export function afterResume(
  gates: readonly Gate[],
  at: string,
  hadEnded: boolean,
): readonly Gate[] {
  const open = openGate(gates);
  const looked =
    open?.kind === 'preflight'
      ? decideGate(gates, open.gate, { decision: 'recheck', by: 'person', at })
      : gates;
  if (!hadEnded) return looked;
  return looked.map((gate) =>
    gate.decided?.decision === 'abort' ? { ...gate, reopened: true } : gate,
  );
}
