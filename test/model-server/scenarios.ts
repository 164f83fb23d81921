/** What a model does, in words that hold for every agent. */
import { STRUCTURED_OUTPUT } from './messages.ts';
import type { ModelRequest, OfferedTool, ProtocolName } from './request.ts';
import type { Call, Failure, FailureTurn, MessageTurn, Step, ToolCall } from './turns.ts';

/** Says something and calls tools. */
export function work(text: string, ...calls: readonly Call[]): MessageTurn {
  return { text, calls };
}

/** Says nothing but calls tools. */
export function call(...calls: readonly Call[]): MessageTurn {
  return { calls };
}

/** A text and no call: the agent takes it as its final answer. */
export function say(text: string): MessageTurn {
  return { text };
}

export const emptyReply: MessageTurn = {};

/** Says something with a wait before each word. */
export function slowly(text: string, wordEveryMs: number): MessageTurn {
  return { text, wordEveryMs };
}

/** Answers with the headers, what was said so far, and then nothing until the server closes. */
export function hang(said: MessageTurn = {}): MessageTurn {
  return { ...said, breaks: 'hang' };
}

/** Answers with the headers, and with the rest when the promise is settled. */
export function holdUntil(after: Promise<unknown>, then: MessageTurn): MessageTurn {
  return { ...then, after };
}

/** Says all this; then the connection breaks. */
export function cut(said: MessageTurn = {}): MessageTurn {
  return { ...said, breaks: 'cut' };
}

/** Says all this; then the API reports a failure inside the stream. */
export function failing(
  kind: Failure['kind'],
  said: MessageTurn = {},
  more: Omit<Failure, 'kind'> & { readonly event?: 'error' } = {},
): MessageTurn {
  const { event, ...rest } = more;
  return { ...said, breaks: { failure: { kind, ...rest }, ...(event && { event }) } };
}

/** Is refused before anything is said, in the words of the API that was asked. */
export function refused(kind: Failure['kind'], more: Omit<Failure, 'kind'> = {}): FailureTurn {
  return { failure: { kind, ...more } };
}

/** A final answer for a schema: by a tool where the agent has one for it, else a text that is JSON. */
export function structured(value: Readonly<Record<string, unknown>>): Step {
  return ({ tools }) =>
    tools.includes(STRUCTURED_OUTPUT)
      ? { calls: [{ tool: STRUCTURED_OUTPUT, input: value }] }
      : { text: JSON.stringify(value) };
}

export interface Means {
  /** Call it although nothing of the kind is offered, under the name that the agent knows. */
  readonly unoffered?: true;
  /** More arguments, in the words of the agent's tool. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Runs a command with the agent's shell, whatever its name and arguments are. */
export function shell(command: string, means: Means = {}): Call {
  return (request) => shellCall(request, command, means);
}

/**
 * Writes a file with the agent's tool for it, or with its shell where it has none or only one for
 * patches, and the content is no text of whole lines. Some tools want the path to be absolute.
 */
export function writeFile(path: string, content: string, means: Means = {}): Call {
  return (request) => {
    const tool = find(request, WRITERS, means.unoffered && USUAL[request.protocol].writer);
    if (tool !== undefined) return toCall(tool, fileInput(tool, path, content), means);
    const patch = find(request, ['apply_patch']);
    // A patch ends its file with a newline, always.
    if (patch?.freeform && content.endsWith('\n')) {
      return toCall(patch, addFile(path, content), means);
    }
    return shellCall(request, shellWrite(path, content), means);
  };
}

/** By agent: Claude Code, OpenCode, and Codex in its versions. */
const SHELLS = ['Bash', 'bash', 'exec_command', 'shell_command', 'shell'];
const WRITERS = ['Write', 'write'];

/** What each API's agent calls it where the request does not offer it. */
const USUAL: Readonly<Record<ProtocolName, { readonly shell: string; readonly writer?: string }>> =
  {
    messages: { shell: 'Bash', writer: 'Write' },
    responses: { shell: 'exec_command' },
    'chat-completions': { shell: 'bash', writer: 'write' },
  };

function shellCall(request: ModelRequest, command: string, means: Means): ToolCall {
  const tool = find(request, SHELLS, means.unoffered && USUAL[request.protocol].shell);
  if (tool !== undefined) return toCall(tool, shellInput(tool, command), means);
  throw new Error(`a shell is not offered; offered: ${request.tools.join(', ') || 'none'}`);
}

function find(
  { offered }: ModelRequest,
  names: readonly string[],
  otherwise?: string,
): OfferedTool | undefined {
  const found = offered.find(({ name }) => names.includes(name));
  return found ?? (otherwise === undefined ? undefined : { name: otherwise });
}

function toCall({ name }: OfferedTool, input: ToolCall['input'], means: Means): ToolCall {
  const all = typeof input === 'string' ? input : { ...input, ...means.more };
  return { tool: name, input: all, ...(means.unoffered && { unoffered: true }) };
}

function shellInput(tool: OfferedTool, command: string): Record<string, unknown> {
  const properties = propertiesOf(tool);
  if ('cmd' in properties || tool.name === 'exec_command') {
    // As long as it allows: else it goes on in the background after ten seconds.
    return { cmd: command, ...('yield_time_ms' in properties && { yield_time_ms: 30_000 }) };
  }
  if (typeOf(properties['command']) === 'array' || tool.name === 'shell') {
    return { command: ['bash', '-lc', command] };
  }
  return { command, ...('description' in properties && { description: 'Run a command' }) };
}

function fileInput(tool: OfferedTool, path: string, content: string): Record<string, unknown> {
  const camel = 'filePath' in propertiesOf(tool) || tool.name === 'write';
  return camel ? { filePath: path, content } : { file_path: path, content };
}

function addFile(path: string, content: string): string {
  const lines = content.slice(0, -1).split('\n');
  const added = lines.map((line) => `+${line}`).join('\n');
  return `*** Begin Patch\n*** Add File: ${path}\n${added}\n*** End Patch\n`;
}

function shellWrite(path: string, content: string): string {
  const file = quote(path);
  return `mkdir -p "$(dirname ${file})" && printf %s ${quote(content)} >${file}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function propertiesOf({ schema }: OfferedTool): Readonly<Record<string, unknown>> {
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) return {};
  return { ...(schema.properties as Record<string, unknown>) };
}

function typeOf(schema: unknown): unknown {
  return typeof schema === 'object' && schema !== null && 'type' in schema
    ? schema.type
    : undefined;
}
