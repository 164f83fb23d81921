/** Events as OpenCode and the watchdog print them, and what the parser makes of them. */
import { readFileSync, readdirSync } from 'node:fs';

import type { Clock } from '@devflow/core/adapter';

import { createParser } from '../src/parse.ts';

export const FIXTURES = new URL('../fixtures/1.18.33/', import.meta.url);
export const CLOCK: Clock = { now: () => new Date('2026-11-30T09:00:00Z'), timeZone: 'UTC' };

export function captured(): readonly string[] {
  const names = readdirSync(FIXTURES).filter((name) => name.endsWith('.jsonl'));
  return names.map((name) => name.replace('.jsonl', ''));
}

export function capture(name: string): string {
  return readFileSync(new URL(`${name}.jsonl`, FIXTURES), 'utf8');
}

/** The events of some lines, and what the parser makes of the whole. */
export function read(...given: readonly (string | object)[]) {
  const parser = createParser(CLOCK);
  const events = given
    .map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
    .flatMap((line) => parser.line(line));
  return { events, result: parser.result(), parser };
}

const SESSION = 'ses_1';
export const stepStart = { type: 'step_start', sessionID: SESSION, part: { type: 'step-start' } };
export const said = (text: string) => ({ type: 'text', sessionID: SESSION, part: { text } });
export const stepFinish = (reason?: string, more: object = {}) => ({
  type: 'step_finish',
  sessionID: SESSION,
  part: { reason, ...more },
});
export const toolUse = (tool: string, state: object, callID = 'c1') => ({
  type: 'tool_use',
  sessionID: SESSION,
  part: { tool, callID, state },
});
export const toolBegins = (
  tool: string,
  callID = 'c1',
  sessionID = SESSION,
  input: object = {},
) => ({
  type: 'devflow.tool',
  sessionID,
  callID,
  tool,
  input,
});
export const error = (name: string, data: object) => ({
  type: 'error',
  sessionID: SESSION,
  error: { name, data },
});
export const retry = (data: object) => ({
  type: 'devflow.retry',
  sessionID: SESSION,
  attempt: 1,
  data,
});
