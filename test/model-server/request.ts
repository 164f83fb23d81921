/** What an agent asks, whatever API it speaks. */
import type { IncomingHttpHeaders } from 'node:http';

export type ProtocolName = 'messages' | 'responses' | 'chat-completions';

/** One call of the model. */
export interface ModelRequest extends Asked {
  readonly protocol: ProtocolName;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Names of the tools that the agent offers. */
  readonly tools: readonly string[];
  /** The whole body as text. */
  readonly body: string;
}

export interface Asked {
  readonly model: string;
  readonly offered: readonly OfferedTool[];
  readonly stream: boolean;
  /** The JSON schema that the final answer is to obey, wherever the API has it. */
  readonly schema?: unknown;
}

export interface OfferedTool {
  /** With its namespace before it where it has one: `namespace.name`. */
  readonly name: string;
  /** JSON schema of its arguments. */
  readonly schema?: unknown;
  /** It takes a text instead of arguments. */
  readonly freeform?: true;
}
