import {
  type AgentEventParser,
  type Clock,
  type Fields,
  type FoundEvent,
  cut,
  fields,
  finishes,
  oneLine,
  otherEvent,
  plainLine,
  readEntry,
  text,
} from '@devflow/core/adapter';

import { failureOf } from './failure.js';
import { actionOf, isCall, isDenied, sandboxError, wentWell } from './item.js';
import { type Turn, goesOn, newTurn, resultOf, stateOf, usageOf } from './turn.js';

/** Does the output end with the event of a completed turn, and did nothing fail after it? */
export function completionSignalDetected(output: string): boolean {
  return finishes(output, createParser);
}

export function createParser(clock: Clock): AgentEventParser {
  const turn = newTurn();
  return {
    line(line) {
      if (line === '') return [];
      const entry = readEntry(line);
      const found = entry === undefined ? plainLine(line) : readEvent(turn, entry, line, clock);
      return [{ v: 1, ...found, state: stateOf(turn), child: false }];
    },
    openCalls: () => turn.calls.size,
    result: () => resultOf(turn),
  };
}

function readEvent(turn: Turn, entry: Fields, line: string, clock: Clock): FoundEvent {
  const type = text(entry['type']) ?? 'unknown';
  const item = fields(entry['item']);
  switch (type) {
    case 'thread.started': {
      turn.sessionId = text(entry['thread_id']);
      const session = turn.sessionId;
      const event = { kind: 'session', name: type, summary: 'the session begins' } as const;
      return { ...event, ...(session !== undefined && { session }) };
    }
    case 'turn.started':
      goesOn(turn);
      return otherEvent(type, line);
    case 'item.started':
    case 'item.updated':
      return item === undefined ? otherEvent(type, line) : itemBegins(turn, item, line);
    case 'item.completed':
      return item === undefined ? otherEvent(type, line) : itemEnds(turn, item, line);
    case 'error':
      // After the end of a turn it takes the good end back.
      if (turn.ended === 'completed') turn.ended = undefined;
      return errorEvent(turn, type, text(entry['message']), clock);
    case 'turn.completed':
      endTurn(turn, 'completed');
      turn.trouble = undefined;
      turn.usage = usageOf(entry);
      return endEvent(turn, type);
    case 'turn.failed':
      endTurn(turn, 'failed');
      errorEvent(turn, type, text(fields(entry['error'])?.['message']), clock);
      return endEvent(turn, type);
    default:
      return otherEvent(type, line, text(entry['message']), text(entry['text']));
  }
}

function itemBegins(turn: Turn, item: Fields, line: string): FoundEvent {
  const action = actionOf(item);
  if (action === undefined) return unknownItem(item, line);
  goesOn(turn);
  const id = text(item['id']);
  if (isCall(item)) {
    turn.lastText = undefined; // what was said before it is not the last word
    if (id !== undefined) turn.calls.add(id);
  }
  return { ...action, running: true };
}

function itemEnds(turn: Turn, item: Fields, line: string): FoundEvent {
  const action = actionOf(item);
  const said = item['type'] === 'agent_message' ? text(item['text']) : undefined;
  if (action === undefined && said === undefined) return unknownItem(item, line);
  goesOn(turn);
  turn.calls.delete(text(item['id']) ?? '');
  if (said !== undefined || isCall(item)) turn.lastText = said;
  if (action === undefined) {
    return { kind: 'text', name: 'agent_message', summary: oneLine(said ?? ''), text: said ?? '' };
  }
  if (isCall(item)) takeUp(turn, item, action.summary);
  const ok = wentWell(item);
  return { ...action, ...(ok !== undefined && { ok }) };
}

function takeUp(turn: Turn, item: Fields, summary: string): void {
  const error = sandboxError(item);
  turn.done += 1;
  if (error !== undefined) turn.blocked += 1;
  turn.sandboxError = error ?? turn.sandboxError;
  if (isDenied(item)) turn.denials.push(summary);
}

/** Thoughts, and warnings: an item of type `error` ends nothing. */
function unknownItem(item: Fields, line: string): FoundEvent {
  const name = `item/${text(item['type']) ?? 'unknown'}`;
  return otherEvent(name, line, text(item['message']), text(item['text']));
}

function errorEvent(turn: Turn, name: string, said: string | undefined, clock: Clock): FoundEvent {
  const message = said ?? 'the agent gave no reason';
  turn.trouble = failureOf(message, clock);
  return { kind: 'error', name, summary: oneLine(message), detail: cut(message, 900), ok: false };
}

function endTurn(turn: Turn, how: 'completed' | 'failed'): void {
  turn.begun = true;
  turn.ended = how;
  turn.calls.clear(); // What it started and did not wait for.
}

function endEvent(turn: Turn, name: string): FoundEvent {
  const ok = stateOf(turn) === 'turn_finished';
  const { failure } = resultOf(turn);
  const session = turn.sessionId;
  return {
    kind: 'end',
    name,
    summary: oneLine(ok ? 'the turn is finished' : (failure?.message ?? 'the turn failed')),
    ok,
    ...(session !== undefined && { session }),
  };
}
