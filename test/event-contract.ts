/** What the contract says of every event and every result, whatever the agent printed. */
import type {
  AgentEvent,
  AgentEventKind,
  AgentFailure,
  AgentResult,
  TurnState,
} from '@devflow/core/adapter';
import { expect } from 'vitest';

const KINDS: Readonly<Record<AgentEventKind, true>> = {
  session: true,
  prompt: true,
  text: true,
  idle: true,
  edit: true,
  read: true,
  search: true,
  command: true,
  test: true,
  check: true,
  git: true,
  plan: true,
  subagent: true,
  web: true,
  attention: true,
  error: true,
  usage: true,
  end: true,
  other: true,
};
const STATES: Readonly<Record<TurnState, true>> = {
  unknown: true,
  working: true,
  turn_finished: true,
  needs_operator: true,
  failed: true,
  exited: true,
};
const TURNS: Readonly<Record<AgentResult['turn'], true>> = {
  finished: true,
  failed: true,
  open: true,
  unknown: true,
};
const FAILURES: Readonly<Record<AgentFailure['kind'], true>> = {
  failed: true,
  'rate-limited': true,
  auth: true,
};

export function expectEvent(event: AgentEvent): void {
  const faults = [
    event.v === 1 || 'v',
    isOneOf(KINDS, event.kind) || 'kind',
    isOneOf(STATES, event.state) || 'state',
    typeof event.child === 'boolean' || 'child',
    isText(event.name, 300) || 'name',
    (isText(event.summary, 300) && !/[\n\r]/.test(event.summary)) || 'summary',
    maybe(event.file, 300) || 'file',
    maybe(event.cmd, 300) || 'cmd',
    maybe(event.detail, 900) || 'detail',
    maybe(event.text) || 'text',
    maybe(event.session) || 'session',
    [undefined, true, false].includes(event.ok) || 'ok',
    [undefined, true].includes(event.running) || 'running',
    areNumbers(event.usage ?? {}) || 'usage',
  ].filter((fault) => fault !== true);
  if (faults.length > 0) expect({ faults, of: JSON.stringify(event).slice(0, 2000) }).toBe('none');
}

export function expectResult(result: AgentResult): void {
  const { failure, costUsd = 0 } = result;
  const faults = [
    isOneOf(TURNS, result.turn) || 'turn',
    maybe(result.finalText) || 'finalText',
    maybe(result.sessionId) || 'sessionId',
    areNumbers({ ...result.usage, ...result.sessionUsage, costUsd }) || 'usage',
    (result.denials ?? []).every((denial) => typeof denial === 'string') || 'denials',
    failure === undefined || isOneOf(FAILURES, failure.kind) || 'failure.kind',
    failure === undefined || typeof failure.message === 'string' || 'failure.message',
    failure?.resetsAt === undefined || isInstant(failure.resetsAt) || 'failure.resetsAt',
  ].filter((fault) => fault !== true);
  if (faults.length > 0) expect({ faults, of: JSON.stringify(result).slice(0, 2000) }).toBe('none');
}

function isOneOf(known: Readonly<Record<string, true>>, value: unknown): boolean {
  return typeof value === 'string' && Object.hasOwn(known, value);
}

function isText(value: unknown, characters = Infinity): boolean {
  return typeof value === 'string' && value.length <= characters;
}

function maybe(value: unknown, characters?: number): boolean {
  return value === undefined || isText(value, characters);
}

function areNumbers(counts: object): boolean {
  return Object.values(counts).every((count) => Number.isFinite(count));
}

function isInstant(value: string): boolean {
  const instant = new Date(value);
  return !Number.isNaN(instant.getTime()) && instant.toISOString() === value;
}
