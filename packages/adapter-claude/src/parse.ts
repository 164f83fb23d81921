import {
  type AgentEventParser,
  type Clock,
  type Fields,
  type FoundEvent,
  cut,
  fields,
  finishes,
  items,
  missingServer,
  number,
  oneLine,
  otherEvent,
  plainLine,
  readEntry,
  text,
} from '@devflow/core/adapter';

import {
  addSpent,
  denialsOf,
  endedWell,
  messageOf,
  resetOf,
  spentOf,
  troubleOf,
} from './outcome.js';
import { actionOf, outputOf } from './tools.js';
import { type Turn, newTurn, openCallsOf, resultOf, stateOf, takeUp } from './turn.js';

/** Does the output end with the result of a turn that went well, and with nothing still at work? */
export function completionSignalDetected(output: string): boolean {
  return finishes(output, createParser);
}

export function createParser(clock: Clock): AgentEventParser {
  const turn = newTurn(clock);
  return {
    line(line) {
      if (line === '') return [];
      const entry = readEntry(line);
      const found = entry === undefined ? [plainLine(line)] : readEvent(turn, entry, line);
      const child = entry !== undefined && isChild(entry);
      return found.map((event) => {
        return { v: 1, ...event, name: cut(event.name, 300), state: stateOf(turn), child };
      });
    },
    openCalls: () => openCallsOf(turn),
    result: () => resultOf(turn),
  };
}

function readEvent(turn: Turn, entry: Fields, line: string): readonly FoundEvent[] {
  const type = text(entry['type']) ?? 'unknown';
  if (!isChild(entry)) takeUp(turn, entry, type);
  const message = fields(entry['message']) ?? {};
  switch (type) {
    case 'assistant':
      if (text(entry['error']) !== undefined) return [errorEvent(turn, entry, message)];
      return items(message['content']).map((block) => assistantBlock(turn, entry, block));
    case 'user':
      return items(message['content']).map((block) => userBlock(turn, block, line));
    case 'system':
      return [systemEvent(turn, entry, line), ...missingServers(entry)];
    case 'rate_limit_event':
      turn.resetsAt = resetOf(entry);
      return [{ ...unknownEvent(entry, line), kind: turn.resetsAt ? 'attention' : 'other' }];
    case 'result': // of a sub-agent it ends no turn of the agent's
      return [isChild(entry) ? unknownEvent(entry, line) : resultEvent(turn, entry)];
    default:
      return [unknownEvent(entry, line)];
  }
}

/** Events of sub-agents carry the call or the id of their own agent. */
function isChild(entry: Fields): boolean {
  return text(entry['parent_tool_use_id']) !== undefined || text(entry['agent_id']) !== undefined;
}

function assistantBlock(turn: Turn, entry: Fields, block: Fields): FoundEvent {
  const said = text(block['text']);
  if (block['type'] === 'text' && said !== undefined) {
    if (!isChild(entry)) turn.lastText = said;
    return { kind: 'text', name: 'text', summary: oneLine(said), text: said };
  }
  const id = text(block['id']);
  const tool = text(block['name']);
  if (block['type'] === 'tool_use' && id !== undefined && tool !== undefined) {
    const action = actionOf(tool, fields(block['input']) ?? {});
    turn.calls.set(id, { action, child: isChild(entry) });
    return { ...action, running: true };
  }
  const name = text(block['type']) ?? 'block';
  return { kind: 'other', name, summary: oneLine(text(block['thinking']) ?? name) };
}

function userBlock(turn: Turn, block: Fields, line: string): FoundEvent {
  const id = text(block['tool_use_id']);
  if (block['type'] === 'tool_result' && id !== undefined) {
    const action = turn.calls.get(id)?.action ?? actionOf('tool_result', {});
    turn.calls.delete(id);
    const detail = outputOf(block['content']);
    return { ...action, ok: block['is_error'] !== true, ...(detail !== undefined && { detail }) };
  }
  const said = text(block['text']);
  if (said === undefined) return { ...plainLine(line), name: text(block['type']) ?? 'block' };
  return { kind: 'prompt', name: 'user', summary: oneLine(said), detail: cut(said, 900) };
}

function systemEvent(turn: Turn, entry: Fields, line: string): FoundEvent {
  const other = unknownEvent(entry, line);
  switch (entry['subtype']) {
    case 'init': {
      const summary = `Claude Code ${word(entry['claude_code_version'])}, ${word(entry['model'])}`;
      const session = turn.sessionId === undefined ? {} : { session: turn.sessionId };
      return { kind: 'session', name: other.name, summary: oneLine(summary), ...session };
    }
    case 'api_retry': {
      const [attempt, most] = [word(entry['attempt']), word(entry['max_retries'])];
      const summary = oneLine(`retry ${attempt} of ${most}: ${word(entry['error'])}`);
      if (!isChild(entry)) turn.trouble = troubleOf(entry, summary, turn.clock);
      return { ...other, kind: 'error', summary, ok: false };
    }
    case 'permission_denied':
      return { ...other, kind: 'attention', ok: false };
    case 'background_tasks_changed':
      // The whole set each time. Ambient ones (watchers) are no work, the agent says.
      turn.background = items(entry['tasks']).filter((task) => task['ambient'] !== true).length;
      return other;
    default:
      return other;
  }
}

/** Those of a profile are waited for; one of the user's own may still start after that (`pending`), or be switched off. */
const NOT_MISSING = new Set(['connected', 'pending', 'disabled']);

/** Tool servers without which the agent works all the same, as it says at its start. */
function missingServers(entry: Fields): FoundEvent[] {
  if (entry['subtype'] !== 'init') return [];
  return items(entry['mcp_servers']).flatMap((server) => {
    const [name, status] = [text(server['name']), text(server['status'])];
    if (name === undefined || status === undefined || NOT_MISSING.has(status)) return [];
    return [missingServer('mcp_servers', name, status)];
  });
}

function errorEvent(turn: Turn, entry: Fields, message: Fields): FoundEvent {
  const said = outputOf(message['content']) ?? text(entry['error']) ?? 'error';
  if (!isChild(entry)) turn.trouble = troubleOf(entry, said, turn.clock);
  return {
    kind: 'error',
    name: `error/${text(entry['error'])}`,
    summary: oneLine(said),
    ok: false,
  };
}

function resultEvent(turn: Turn, entry: Fields): FoundEvent {
  turn.begun = true;
  turn.ended = entry;
  turn.calls.clear(); // What was asked for and not run by now never will be.
  const spent = spentOf(entry);
  turn.spent = turn.spent === undefined ? spent : addSpent(turn.spent, spent);
  for (const [id, denial] of denialsOf(entry)) turn.denials.set(id, denial);
  const ok = endedWell(entry);
  if (!ok) turn.trouble = troubleOf(entry, messageOf(entry), turn.clock, turn.trouble);
  return {
    kind: 'end',
    name: `result/${text(entry['subtype']) ?? 'unknown'}`,
    summary: oneLine(ok ? 'the turn is finished' : messageOf(entry)),
    ok,
    ...(turn.spent.usage !== undefined && { usage: turn.spent.usage }),
    ...(turn.sessionId !== undefined && { session: turn.sessionId }),
  };
}

function unknownEvent(entry: Fields, line: string): FoundEvent {
  const name = [text(entry['type']) ?? 'unknown', text(entry['subtype'])].filter(Boolean).join('/');
  const words = ['summary', 'message', 'description', 'content', 'text'];
  return otherEvent(name, line, ...words.map((key) => text(entry[key])));
}

/** For a sentence: a text, a number, or a question mark. */
function word(value: unknown): string {
  return text(value) ?? String(number(value) ?? '?');
}
