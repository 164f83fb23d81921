import type { AgentAdapter, Usage } from '../../../adapter/index.js';
import type { Capture } from '../../read-capture.js';

/** An adapter, with what the suite needs to know of its agent. Each part that is left out leaves cases UNSUPPORTED. */
export interface AdapterSubject extends AdapterKit {
  readonly adapter: AgentAdapter;
}

/** What an adapter brings along for its conformance tests. */
export interface AdapterKit {
  /** What the agent printed. Not needed where stdout is plain text. */
  readonly captures?: AdapterCaptures;
  readonly stub?: AgentStub;
  /** Path of the agent's program where it is installed: its help and version are asked, no model is. */
  readonly realBinary?: string | undefined;
  readonly wire?: Wiring;
}

export interface AdapterCaptures {
  /** A turn that went well; its last line is the one that ends the turn. */
  readonly success: Capture & { readonly says: CaptureFacts };
  /** A turn that failed, to its end. */
  readonly error: Capture;
}

/** What a person reads in the success capture: what is left out the agent did not say. */
interface CaptureFacts {
  readonly finalText: string;
  readonly sessionId?: string;
  readonly usage?: Usage;
  readonly costUsd?: number;
}

/** What a machine is like: what the agent's program answers, and what it finds. */
export interface StubState {
  /** Questions that preflight asks of the program, the first that fits counts. Anything else is an attempt. */
  readonly answers?: readonly StubAnswer[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Files by their path below HOME. */
  readonly home?: Readonly<Record<string, string>> | undefined;
}

export interface StubAnswer {
  /** Words that the arguments have, in this order. */
  readonly args: readonly string[];
  readonly stdout: string;
  readonly stderr?: string | undefined;
  readonly status?: number | undefined;
}

/** How a program is put in the place of the agent's own; everything is all right with it. */
interface AgentStub extends StubState {
  /** Name of the agent's program; of its command where that names one in the PATH. */
  readonly program?: string | undefined;
  /** A profile's options that make it run this program; `{ program }` where the adapter takes that. */
  options?(program: string): Readonly<Record<string, unknown>>;
  /** Flags that the agent knows and its help has no entry for. */
  readonly unlistedFlags?: readonly string[] | undefined;
  /** The same machine where the agent is not logged in: other answers, which come first, and another environment or HOME. */
  readonly loggedOut?: StubState | undefined;
}

/** A program that puts devflow's hooks into the agent's own configuration. */
export interface Wiring {
  run(args: readonly string[], place: WiringPlace): Promise<{ readonly status: number }>;
  /** Hooks of somebody else that are there before: files below HOME, with the words that must stand there afterwards. */
  readonly foreign?:
    Readonly<Record<string, { readonly content: string; readonly keeps: string }>> | undefined;
}

export interface WiringPlace {
  readonly home: string;
  readonly cwd: string;
}
