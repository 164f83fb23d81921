/** How one vendor's API carries a turn. */
import type { Asked, ProtocolName } from './request.ts';
import type { Failure, ResolvedCall } from './turns.ts';

export interface Protocol {
  readonly name: ProtocolName;
  readonly path: RegExp;
  read(body: Record<string, unknown>): Asked;
  /** The whole answer at once. */
  whole(answer: Answer): unknown;
  /** The answer as it is streamed. */
  frames(answer: Answer): readonly Frame[];
  refuse(failure: Failure): Refusal;
  /** The body of a refusal of which only the status is known, and perhaps the message. */
  refuseWith(status: number, message: string | undefined): unknown;
  /** How a stream that has begun reports a failure; `event` as in a script's break. */
  failInStream(failure: Failure, event?: 'error'): readonly Frame[];
}

export interface Answer {
  /** Part of all ids in the answer, so that they are unique within a conversation. */
  readonly id: string;
  /** The text in the pieces that are streamed; none is no text. */
  readonly words: readonly string[];
  readonly calls: readonly ResolvedCall[];
}

/** One server-sent event. */
export interface Frame {
  readonly event?: string;
  /** A text is sent as it is, everything else as JSON. */
  readonly data: unknown;
  /** It carries a piece of the text or of a call's arguments. */
  readonly delta?: true;
}

export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Every message is billed the same, so that a test can tell the calls by the sums. */
export const USAGE = { input: 1000, cacheWrite: 100, cacheRead: 10, output: 50, reasoning: 5 };

export function record(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new TypeError('not an object');
  return { ...value };
}

export function records(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(record) : [];
}

/** An object's field that is an object itself, or an empty one. */
export function field(value: Record<string, unknown>, name: string): Record<string, unknown> {
  const inner = value[name];
  return typeof inner === 'object' && inner !== null ? { ...inner } : {};
}
