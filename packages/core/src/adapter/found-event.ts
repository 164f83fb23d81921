import type { AgentEvent } from './agent-event.js';
import { cut, oneLine } from './words.js';

/** An event as one entry of the stream gives it; the version, the turn's state and the child mark come from the parser. */
export type FoundEvent = Omit<AgentEvent, 'v' | 'state' | 'child'>;

/** What the adapter does not know, with the line as it is. @param words what it says to a person, the first that is not empty */
export function otherEvent(
  name: string,
  line: string,
  ...words: readonly (string | undefined)[]
): FoundEvent {
  const said = words.map((word) => oneLine(word ?? '')).find((word) => word !== '');
  const summary = said ?? oneLine(name);
  return { kind: 'other', name: cut(name, 300), summary, detail: cut(line, 900) };
}

/** A tool server that the agent does without; it says so once, at its start. @param status the agent's own word, e.g. `failed` */
export function missingServer(
  name: string,
  server: string,
  status: string,
  why?: string,
): FoundEvent {
  const reason = why === undefined ? '' : `: ${why}`;
  const summary = oneLine(`the tool server "${server}" is not there (${status})${reason}`);
  return { kind: 'attention', name: cut(name, 300), summary, ok: false };
}

/** A line that is no entry of the stream. */
export function plainLine(line: string): FoundEvent {
  return otherEvent('text', line, line);
}
