/** What a script may say. None of it knows how an API carries it. */
import type { ModelRequest, OfferedTool } from './request.ts';

/** What the model does next. */
export type Turn = MessageTurn | FailureTurn | ErrorTurn;

/** A turn, or a function that makes it for the request it answers. */
export type Step = Turn | ((request: ModelRequest) => Turn);

/** A step for each request in order, or a function of the request and its number from 0. */
export type Script = readonly Step[] | ((request: ModelRequest, index: number) => Step);

/** A message. With neither text nor calls it is an empty one, as models give now and then. */
export interface MessageTurn {
  readonly text?: string;
  readonly calls?: readonly Call[];
  /** Streams the text word by word and waits this long before each. */
  readonly wordEveryMs?: number;
  /** Only the headers are sent until this settles. */
  readonly after?: Promise<unknown>;
  /** What happens once all is said and before any of it is ended; with nothing to say, at once. */
  readonly breaks?: Break;
  readonly headers?: Headers;
}

/** The connection is cut, nothing more comes, or the API reports a failure inside the stream. */
export type Break = 'cut' | 'hang' | StreamFailure;

export interface StreamFailure {
  readonly failure: Failure;
  /** The Responses API has two events for it: `response.failed`, the default, and `error`. */
  readonly event?: 'error';
}

/** A call of a tool, or a function that finds the tool among those that are offered. */
export type Call = ToolCall | ((request: ModelRequest) => ToolCall);

export interface ToolCall {
  /** Name of the tool. A tool that the request does not offer is a fault of the test. */
  readonly tool: string;
  /** Arguments; a text for a tool that takes a text (`type: "custom"` in the Responses API). */
  readonly input: Readonly<Record<string, unknown>> | string;
  /** Call it although it is not offered, as a model may. */
  readonly unoffered?: true;
}

/** A call together with what was offered under its name. */
export interface ResolvedCall {
  readonly name: string;
  readonly input: ToolCall['input'];
  readonly offered?: OfferedTool;
}

/** A refusal in the words of whichever API was asked. */
export interface FailureTurn {
  readonly failure: Failure;
  readonly headers?: Headers;
}

export type FailureKind =
  | 'bad-request'
  | 'unauthorized'
  | 'forbidden'
  | 'unknown-model'
  | 'context-length' // the conversation is longer than the model can read
  | 'rate-limit' // too many requests just now
  | 'usage-limit' // what the subscription gives for some hours or days is used up
  | 'no-credit' // nothing is left to pay with
  | 'server-error'
  | 'overloaded';

export interface Failure {
  readonly kind: FailureKind;
  readonly message?: string;
  readonly retryAfterSeconds?: number;
  /** When the limit ends, in seconds since 1970. */
  readonly resetsAt?: number;
}

/** A refusal in the test's own words. A text as its body becomes the message of the API's form. */
export interface ErrorTurn {
  readonly status: number;
  readonly body?: string | object;
  readonly headers?: Headers;
}

type Headers = Readonly<Record<string, string>>;
