import { closeSync, openSync, writeSync } from 'node:fs';
import type { AgentEvent } from './adapter/index.js';

/** The agent events of an attempt, as they are kept and shown. */
export interface EventLog {
  /** Keeps an event (one in flight is only shown). @returns it with secrets redacted */
  write(event: AgentEvent): AgentEvent;
  close(): void;
}

/** @param secrets values that must not leave this process in an event */
export function openEventLog(file: string, secrets: readonly string[]): EventLog {
  const descriptor = openSync(file, 'w'); // taken up again after a crash, the output is read from its start
  const redact = redactor(secrets);
  return {
    write(event) {
      const shown = redact(event);
      if (shown.running !== true)
        writeSync(descriptor, `${JSON.stringify({ at: new Date().toISOString(), ...shown })}\n`);
      return shown;
    },
    close: () => closeSync(descriptor),
  };
}

function redactor(secrets: readonly string[]): (event: AgentEvent) => AgentEvent {
  if (secrets.length === 0) return (event) => event;
  return (event) =>
    Object.fromEntries(
      Object.entries(event).map(([key, value]: [string, unknown]) => [
        key,
        typeof value === 'string' ? redactText(value, secrets) : value,
      ]),
    ) as unknown as AgentEvent; // the same keys and types
}

/** The longest first: one that begins like another must not leave the rest of it. */
export function redactText(text: string, secrets: readonly string[]): string {
  const ordered = secrets.toSorted((a, b) => b.length - a.length);
  return ordered.reduce((cleaned, secret) => cleaned.replaceAll(secret, '[redacted]'), text);
}
