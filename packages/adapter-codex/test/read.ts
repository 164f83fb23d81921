/** Events as Codex prints them, and what the parser makes of them. */
import { readFileSync } from 'node:fs';

import type { Clock } from '@devflow/core/adapter';

import { createParser } from '../src/parse.ts';

const CLOCK: Clock = { now: () => new Date('2026-11-30T09:00:00Z'), timeZone: 'Europe/Berlin' };

export function capture(name: string): string {
  return readFileSync(new URL(`../fixtures/0.171.0/${name}.jsonl`, import.meta.url), 'utf8');
}

/** The events of some lines, and what the parser makes of the whole. */
export function read(...given: readonly (string | object)[]) {
  const parser = createParser(CLOCK);
  const events = given
    .map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
    .flatMap((line) => parser.line(line));
  return { events, result: parser.result(), parser };
}

export const error = (message: string) => ({ type: 'error', message });
export const turnFailed = (message: string) => ({ type: 'turn.failed', error: { message } });
export const item = (fields: object, type = 'item.completed') => ({
  type,
  item: { id: '1', ...fields },
});
export const command = (output: string, more: object = {}) =>
  item({
    type: 'command_execution',
    command: "/bin/bash -lc 'npm test'",
    aggregated_output: output,
    exit_code: 1,
    status: 'failed',
    ...more,
  });
export const completed = { type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } };
export const message = (text: string) => item({ type: 'agent_message', text });
