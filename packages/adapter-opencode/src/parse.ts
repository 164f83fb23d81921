import {
  type AgentEventParser,
  type Clock,
  type Fields,
  type FoundEvent,
  cut,
  fields,
  finishes,
  missingServer,
  number,
  oneLine,
  otherEvent,
  plainLine,
  readEntry,
  text,
} from '@devflow/core/adapter';

import { addSpent, cutShort, failureOf, isRefusal, spentOf } from './outcome.js';
import { actionOf } from './tools.js';
import { type Turn, beginStep, fail, newTurn, resultOf, stateOf } from './turn.js';

/** Does the output end with the last step of a turn that the model ended by itself? */
export function completionSignalDetected(output: string): boolean {
  return finishes(output, createParser);
}

export function createParser(clock: Clock): AgentEventParser {
  const turn = newTurn();
  return {
    line(line) {
      if (line === '') return [];
      const entry = readEntry(line);
      if (entry === undefined) return [toEvent(turn, plainLine(line), false)];
      const child = takeUpSession(turn, entry);
      const found = readEvents(turn, entry, line, { child, clock });
      return found.map((event) => toEvent(turn, event, child));
    },
    openCalls: () => (turn.ended === undefined ? turn.calls.size : 0),
    result: () => resultOf(turn),
  };
}

function toEvent(turn: Turn, found: FoundEvent, child: boolean) {
  return { v: 1 as const, ...found, state: stateOf(turn), child };
}

/** OpenCode prints events of the agent's own session only, the watchdog those of sub-agents too. @returns whether the event is a sub-agent's */
function takeUpSession(turn: Turn, entry: Fields): boolean {
  const sessionId = text(entry['sessionID']);
  if (sessionId === undefined) return false;
  turn.sessionId ??= sessionId;
  return sessionId !== turn.sessionId;
}

interface Context {
  readonly child: boolean;
  readonly clock: Clock;
}

function readEvents(turn: Turn, entry: Fields, line: string, context: Context): FoundEvent[] {
  if (entry['type'] !== 'devflow.servers') return [readEvent(turn, entry, line, context)];
  const name = 'devflow.servers';
  const session = announce(turn, name);
  const begun = session === undefined ? [] : [session];
  return [...begun, otherEvent(name, line), ...missingServers(entry)];
}

/** What keeps a tool server that is configured from being used. */
function missingServers(entry: Fields): FoundEvent[] {
  return Object.entries(fields(entry['servers']) ?? {}).flatMap(([name, server]) => {
    const status = text(fields(server)?.['status']) ?? 'unknown';
    if (status === 'connected' || status === 'disabled') return [];
    return [missingServer('devflow.servers', name, status, text(fields(server)?.['error']))];
  });
}

function readEvent(turn: Turn, entry: Fields, line: string, context: Context): FoundEvent {
  const part = fields(entry['part']) ?? {};
  const type = text(entry['type']);
  switch (type) {
    case 'step_start':
      return stepStart(turn, context);
    case 'text':
      return textEvent(turn, part, line, context);
    case 'tool_use':
      return toolEvent(turn, part, line, context);
    case 'step_finish':
      return stepFinish(turn, part, context);
    case 'error':
      return errorEvent(turn, fields(entry['error']) ?? {}, context);
    case 'devflow.tool':
      return toolBegins(turn, entry, context);
    case 'devflow.tool-end':
      return { ...actionOf(text(entry['tool']) ?? 'tool', fields(entry['input']) ?? {}), ok: true };
    case 'devflow.step':
      return stepUsage(turn, 'devflow.step', part);
    case 'devflow.retry':
      return retryEvent(turn, entry, context);
    case 'devflow.gave-up':
      return { ...errorEvent(turn, entry, { ...context, child: false }), name: 'devflow.gave-up' };
    default:
      return otherEvent(type ?? 'unknown', line, text(part['text']));
  }
}

function stepStart(turn: Turn, { child }: Context): FoundEvent {
  if (!child) beginStep(turn);
  return (
    announce(turn, 'step_start') ?? { kind: 'other', name: 'step_start', summary: 'step_start' }
  );
}

/** The first event of a turn stands for its session: OpenCode announces none. */
function announce(turn: Turn, name: string): FoundEvent | undefined {
  const session = turn.sessionId;
  if (turn.announced || session === undefined) return undefined;
  turn.announced = true;
  return { kind: 'session', name, summary: oneLine(`session ${session}`), session };
}

function textEvent(turn: Turn, part: Fields, line: string, { child }: Context): FoundEvent {
  const said = text(part['text']);
  if (said === undefined) return otherEvent('text', line);
  if (!child) {
    turn.stepText = said;
    turn.lastText = said;
  }
  return { kind: 'text', name: 'text', summary: oneLine(said), text: said };
}

function toolBegins(turn: Turn, entry: Fields, { child }: Context): FoundEvent {
  const id = text(entry['callID']);
  if (!child) {
    turn.begun = true;
    if (id !== undefined) turn.calls.add(id);
  }
  const action = actionOf(text(entry['tool']) ?? 'tool', fields(entry['input']) ?? {});
  return { ...action, running: true };
}

function toolEvent(turn: Turn, part: Fields, line: string, { child }: Context): FoundEvent {
  const state = fields(part['state']);
  const tool = text(part['tool']);
  if (state === undefined || tool === undefined) return otherEvent('tool_use', line);
  const id = text(part['callID']);
  if (!child && id !== undefined) turn.calls.delete(id);
  const action = actionOf(tool, fields(state['input']) ?? {});
  const error = text(state['error']);
  if (isRefusal(error)) turn.denials.push(action.summary);
  const detail = error ?? text(state['output']);
  const exit = number(fields(state['metadata'])?.['exit']) ?? 0;
  return {
    ...action,
    ok: state['status'] === 'completed' && exit === 0,
    ...(detail !== undefined && detail !== '' && { detail: cut(detail, 900) }),
  };
}

function stepFinish(turn: Turn, part: Fields, { child }: Context): FoundEvent {
  const event = stepUsage(turn, 'step_finish', part);
  const reason = text(part['reason']);
  if (child || reason === 'tool-calls') return event;
  turn.begun = true;
  const early = cutShort(reason);
  if (early === undefined) {
    turn.ended = 'finished';
    turn.trouble = undefined;
  } else {
    fail(turn, { kind: 'failed', message: cut(early, 900) });
  }
  turn.calls.clear();
  const session = turn.sessionId === undefined ? {} : { session: turn.sessionId };
  const summary = oneLine(early ?? 'the turn is finished');
  return { ...event, kind: 'end', summary, ok: early === undefined, ...session };
}

/** With what the attempt has used so far, its sub-agents included. */
function stepUsage(turn: Turn, name: string, part: Fields): FoundEvent {
  turn.spent = addSpent(turn.spent, spentOf(part));
  return { kind: 'usage', name, summary: 'what a step used', usage: turn.spent.usage };
}

function errorEvent(turn: Turn, error: Fields, { child, clock }: Context): FoundEvent {
  const failure = failureOf(error, clock);
  if (!child) fail(turn, failure);
  const name = cut(`error/${text(error['name']) ?? 'unknown'}`, 300);
  return { kind: 'error', name, summary: oneLine(failure.message), ok: false };
}

function retryEvent(turn: Turn, entry: Fields, { child, clock }: Context): FoundEvent {
  const failure = failureOf(entry, clock);
  if (!child) {
    turn.begun = true;
    turn.ended = undefined;
    turn.trouble = failure;
  }
  const attempt = number(entry['attempt']) ?? '?';
  const summary = oneLine(`retry ${attempt}: ${failure.message}`);
  return { kind: 'error', name: 'devflow.retry', summary, ok: false };
}
